// The map of a PNG file: filters of rows, what each pixel costs in the deflate stream, and the stream's blocks.

import ImageCodecs
import ImageCodecsCore
import PNGCodec

extension FileMap {
    /// The default image of a PNG or APNG file; of an animation's other frames only the bytes are counted.
    mutating func addPNG(_ build: MapBuild, _ work: inout WorkGuard) throws(ImageError) {
        let isApple = listing.parts.contains { $0.name == "CgBI" }
        account.add(min(64, 8 * build.data.count), .structure, "signature")
        accountPNGChunks(build.data.count)
        guard let chunk = listing.parts.first(where: { $0.name == "IHDR" }),
            let body = build.data.bytes(chunk.offset + 8..<chunk.offset + 8 + ImageHeader.byteCount)
        else { return }
        let parsed = body.withSpan { body in
            try? ImageHeader(body, offset: chunk.offset + 8, isAppleVariant: isApple)
        }
        guard let header = parsed else { return }
        try build.limits.check(size: header.size)
        size = header.size
        let stream = try Self.imageData(listing, build, &work)
        var walk = DeflateWalk(maxByteCount: ScanlineTally.byteCount(header))
        var tally = try ScanlineTally(header, build)
        try stream.withSpan { (bytes) throws(ImageError) in try walk.run(bytes, isRaw: isApple, &tally, &work) }
        accountPNGStream(walk, tally, byteCount: stream.count)
        describePNG(header, walk, tally, byteCount: stream.count)
        addPNGLayers(header, tally)
        addPalette(build.data)
        if header.isInterlaced { try addPasses(header, build) }
        remarkPNG(header, walk, tally)
    }

    /// Everything but the bodies of IDAT chunks.
    private mutating func accountPNGChunks(_ byteCount: Int) {
        for part in listing.parts {
            let start = min(part.offset, byteCount)
            let end = min(start.addingSaturated((part.byteCount ?? 0).addingSaturated(12)), byteCount)
            // The checksum is after the body.
            let body = min(part.byteCount ?? 0, max(0, end - start - 8))
            let frame = end - start - body
            account.add(8 * frame, .structure, "lengths, types and checksums of chunks")
            let kind = Self.kind(of: part, .png)
            if part.name == "IDAT" { continue }
            account.add(8 * body, kind, part.name)
        }
    }

    /// The bodies of all IDAT chunks in one.
    private static func imageData(
        _ listing: FileListing, _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) -> [UInt8] {
        let chunks = listing.parts.filter { $0.name == "IDAT" }.map { part in
            let start = min(part.offset + 8, build.data.count)
            return start..<max(start, min(start.addingSaturated(part.byteCount ?? 0), build.data.count))
        }
        let byteCount = chunks.reduce(0) { $0 + $1.count }
        try build.meter.reserve(byteCount)
        defer { build.meter.release(byteCount) }
        var stream: [UInt8] = []
        stream.reserveCapacity(byteCount)
        try build.data.withBytes { (bytes) throws(ImageError) in
            for chunk in chunks {
                try work.spend(chunk.count / 16 + 1)
                for index in chunk { stream.append(bytes[index]) }
            }
        }
        return stream
    }

    private mutating func accountPNGStream(_ walk: DeflateWalk, _ tally: ScanlineTally, byteCount: Int) {
        let parts = MapLayer.Kind.bitParts
        account.add(walk.frameBitCount, .structure, "zlib header and checksum")
        account.add(walk.total.headerBitCount, .coding, "headers of deflate blocks")
        account.add(walk.total.endBitCount, .coding, "ends of deflate blocks")
        account.add(walk.paddingBitCount, .padding, "up to the next byte")
        // Bytes that share a match share its bits in 256ths: what is left of each kind goes to the pixels.
        let filters = (tally.filterAmount + parts / 2) / parts
        let surplus = tally.surplusAmount / parts
        account.add(filters, .coding, "filter types")
        account.add(surplus, .unknown, "after the last row")
        account.add(walk.total.literalBitCount + walk.total.matchBitCount - filters - surplus, .pixels, "pixels")
    }

    private mutating func describePNG(
        _ header: ImageHeader, _ walk: DeflateWalk, _ tally: ScanlineTally, byteCount: Int
    ) {
        let total = walk.total
        let raw = ScanlineTally.byteCount(header)
        let pixels = header.size.pixelCount ?? 0
        var section = Section(
            title: "Compression",
            introduction: """
                Each row is filtered: every byte is replaced by its difference to a prediction from its neighbours. What comes out is \
                packed by deflate: a byte is a literal, which has a code, or one of those that a match copies from up to 32768 bytes before. \
                Frequent literals have short codes, rare ones codes as long as the longest in the table below; a match costs some twenty \
                bits, however long it is, which its bytes share.
                """)
        section.figures = [
            Figure(name: "samples", value: "\(raw) bytes with filter types"),
            Figure(name: "compressed", value: "\(byteCount) bytes, \(byteCount.percent(of: raw))"),
            Figure(name: "bits of a pixel", value: (8 * byteCount).mean(of: pixels)),
            Figure(
                name: "literals",
                value: "\(total.literalCount), \(total.literalBitCount.mean(of: total.literalCount)) bits each, "
                    + "\(total.literalCount.percent(of: total.byteCount)) of all bytes"),
            Figure(
                name: "matches",
                value: "\(total.matchCount), \(total.matchBitCount.mean(of: total.matchCount)) bits and "
                    + "\(total.matchedByteCount.mean(of: total.matchCount)) bytes each"),
            Figure(
                name: "blocks",
                value: [DeflateBlock.Kind.stored, .fixed, .dynamic].compactMap { kind in
                    walk.kinds[kind].map { "\($0) \(kind.rawValue)" }
                }.joined(separator: ", ")),
        ]
        section.tables = [Self.filterTable(tally), Self.blockTable(walk)]
        sections.append(section)
    }

    private static func filterTable(_ tally: ScanlineTally) -> Table {
        var table = Table(title: "Filters of rows", columns: ["filter", "rows", "share"], rows: [])
        for (index, count) in tally.filterCounts.enumerated() {
            table.rows.append([
                ScanlineTally.filterClasses[index].name, "\(count)", count.percent(of: tally.rowCount),
            ])
        }
        return table
    }

    private static func blockTable(_ walk: DeflateWalk) -> Table {
        var table = Table(
            title: "Deflate blocks",
            columns: [
                "block", "kind", "bytes out", "bits", "header bits", "literals", "matches", "codes by their bits",
                "of distances",
            ], rows: [])
        for (index, block) in walk.blocks.prefix(maxRowCount).enumerated() {
            let isDynamic = block.kind == .dynamic
            table.rows.append([
                "\(index)", block.kind.rawValue, "\(block.byteCount)", "\(block.bitCount)", "\(block.headerBitCount)",
                "\(block.literalCount)", "\(block.matchCount)",
                isDynamic ? Self.codeLengths(block.literalLengthCodeCounts) : "",
                isDynamic ? Self.codeLengths(block.distanceCodeCounts) : "",
            ])
        }
        table.omittedRowCount = walk.blockCount - table.rows.count
        return table
    }

    /// How many codes there are of each length: `3 bits: 2, 5 bits: 9`.
    private static func codeLengths(_ counts: SIMD16<UInt16>) -> String {
        (0..<16).filter { counts[$0] > 0 }.map { "\($0) bits: \(counts[$0])" }.joined(separator: ", ")
    }

    private mutating func addPNGLayers(_ header: ImageHeader, _ tally: ScanlineTally) {
        let first = header.bitsPerPixel > 8 ? " What holds for the first byte of a pixel is shown." : ""
        layers += [
            tally.bits.layer(
                "bits", "Bits of pixels",
                "What each pixel takes of the deflate stream. A match's bits are shared by the bytes that it copies.",
                unit: "bits", .bits),
            tally.sources.layer(
                "source", "Literal or match",
                "Whether a pixel is coded by itself or copied, and from where." + first,
                .classes(ScanlineTally.sourceClasses)),
            tally.filters.layer(
                "filter", "Filters of rows",
                "How each row is predicted: None not at all, Sub from the left, Up from above, Average from both, Paeth from the nearest of three.",
                .classes(ScanlineTally.filterClasses)),
            tally.distances.layer(
                "distance", "How far back", "How many bytes before its copy lies; 0 for literals." + first,
                unit: "bytes", .numbers),
            tally.blocks.layer(
                "block", "Deflate blocks",
                "The number of the block that a pixel is in. Each may have codes of its own.", .identifiers),
        ]
    }

    private mutating func remarkPNG(_ header: ImageHeader, _ walk: DeflateWalk, _ tally: ScanlineTally) {
        if let damage = walk.damage {
            addProblem(
                "the compressed picture is damaged: \(damage)",
                advice: "imagetool convert --tolerant keeps the rows before the damage")
        } else if walk.isChecksumRight == false {
            addProblem("the checksum of the compressed picture does not fit its bytes")
        }
        if tally.wrongFilterCount > 0 {
            addProblem("\(tally.wrongFilterCount) rows have a filter type that does not exist")
        }
        let smaller = "imagetool optimize writes the same pixels smaller"
        if tally.filterCounts[0] == tally.rowCount, header.colorType != .indexed, tally.rowCount > 8 {
            addRemark("no row is filtered, though colours are not from a palette", advice: smaller)
        }
        if (walk.kinds[.stored] ?? 0) > 0, walk.total.literalCount > 0, walk.kinds[.dynamic] == nil {
            addRemark(
                "nothing is compressed with codes of its own: blocks are stored or have the fixed codes",
                advice: smaller)
        }
        if walk.total.headerBitCount * 10 > walk.total.bitCount, walk.total.bitCount > 80_000 {
            addRemark(
                "\(walk.total.headerBitCount.percent(of: walk.total.bitCount)) of the deflate stream is headers of blocks",
                advice: smaller)
        }
    }
}
