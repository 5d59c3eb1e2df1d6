// The map of a WebP file: chunks, and the coding of its first picture.

import ImageCodecsCore

extension FileMap {
    /// The first picture, lossy or lossless; others are counted.
    mutating func addWebP(_ build: MapBuild, _ work: inout WorkGuard) throws(ImageError) {
        let first = listing.parts.firstIndex { $0.name == "VP8 " || $0.name == "VP8L" }
        accountWebPChunks(build.data.count, except: first)
        if let canvas = listing.parts.first(where: { $0.name == "VP8X" }), let width = canvas.count("width"),
            let height = canvas.count("height")
        {
            size = PixelSize(width: width, height: height)
        }
        guard let first else { return }
        let part = listing.parts[first]
        let start = min(part.offset + 8, partEnd(first, build.data.count))
        let end = min(start.addingSaturated(part.byteCount ?? 0), partEnd(first, build.data.count))
        if let canvas = size, let width = part.count("width"), let height = part.count("height"),
            width > canvas.width || height > canvas.height
        {
            // No decoder begins with it, and a few bytes can stand for very many pixels.
            addProblem("the picture is larger than its canvas, and not looked into")
            return account.add(8 * (end - start), Self.kind(of: part, .webP), part.name)
        }
        do throws(ImageError) {
            if part.name == "VP8L" {
                try addLossless(start..<end, build, &work)
            } else {
                try addLossy(start..<end, build, &work)
            }
        } catch {
            guard error.isDamage else { throw error }
            addProblem(
                "the picture is damaged: \(error)", advice: "imagetool convert --tolerant keeps what can be decoded")
        }
        place(over: first)
    }

    /// Layers are laid over the rectangle of their frame, whatever a packed picture's width is.
    private mutating func place(over picture: Int) {
        guard let size else { return }
        var rect = PixelRect(size)
        if let frame = listing.parts[..<picture].last(where: { $0.name == "ANMF" }), let x = frame.count("x"),
            let y = frame.count("y"), let width = frame.count("width"), let height = frame.count("height")
        {
            rect = PixelRect(x: x, y: y, width: width, height: height)
            addRemark("layers are those of the first frame, in its own rectangle")
        }
        for index in layers.indices { layers[index].place = rect }
    }

    /// The last byte that can belong to a part: damaged chunks may claim what is another's.
    private func partEnd(_ index: Int, _ byteCount: Int) -> Int {
        index + 1 < listing.parts.count ? min(listing.parts[index + 1].offset, byteCount) : byteCount
    }

    private mutating func accountWebPChunks(_ byteCount: Int, except picture: Int?) {
        for (index, part) in listing.parts.enumerated() {
            let most = partEnd(index, byteCount)
            let start = min(part.offset, most)
            let bodyStart = min(start + (part.name == "RIFF" ? 12 : 8), most)
            account.add(8 * (bodyStart - start), .structure, "names and lengths of chunks")
            guard part.name != "RIFF" else { continue }
            let body = part.name == "ANMF" ? 16 : part.byteCount ?? 0
            let end = min(bodyStart.addingSaturated(body), most)
            if body % 2 == 1, end < most { account.add(8, .padding, "up to an even length") }
            guard index != picture else { continue }
            account.add(8 * (end - bodyStart), Self.kind(of: part, .webP), part.name)
        }
    }

    // MARK: Lossless

    private mutating func addLossless(
        _ range: Range<Int>, _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) {
        var walk = VP8LWalk(build)
        try build.data.withBytes { (bytes) throws(ImageError) in try walk.run(bytes.extracting(range), &work) }
        guard walk.usedBitCount > 0 else {
            addProblem("the lossless picture does not begin as one")
            return
        }
        let transformBits = walk.transforms.reduce(0) { $0 + $1.bitCount }
        account.add(40, .header, "VP8L header")
        account.add(transformBits, .coding, "transforms")
        account.add(walk.groupBitCount, .coding, "entropy image")
        account.add(walk.codeBitCount, .coding, "prefix codes")
        account.add(walk.pixelBitCount, .pixels, "pixels")
        let named = 40 + transformBits + walk.groupBitCount + walk.codeBitCount + walk.pixelBitCount
        account.add(walk.usedBitCount - named, .coding, "flags")
        let left = 8 * range.count - walk.usedBitCount
        if walk.isComplete { account.add(min(left, 15), .padding, "after the last pixel") }
        if !walk.isComplete {
            addProblem(
                "the lossless picture ends early", advice: "imagetool convert --tolerant keeps the rows that are there")
        }
        guard let tally = walk.tally else { return }
        if size == nil { size = tally.bits.grid.area }
        describeLossless(walk, tally)
        try addLosslessLayers(walk, tally, build, &work)
    }

    private mutating func describeLossless(_ walk: VP8LWalk, _ tally: VP8LWalk.Tally) {
        var section = Section(
            title: "Lossless coding",
            introduction: """
                Transforms make pixels that are easier to code. Then each is a literal with a prefix code for each channel, a copy of earlier \
                pixels, or a number in a cache of colors seen before. Blocks of the picture can have prefix codes of their own.
                """)
        let total = tally.counts.reduce(0, +)
        section.figures = zip(VP8LWalk.classes, zip(tally.counts, tally.bitCounts)).map { entry in
            let (count, bits) = entry.1
            return Figure(
                name: entry.0.name,
                value: "\(count) pixels, \(count.percent(of: total)), \(bits.mean(of: count)) bits each")
        }
        section.figures += [
            Figure(
                name: "prefix code groups",
                value: "\(walk.groupCount)" + (walk.groupBlockSize > 0 ? ", in blocks of \(walk.groupBlockSize)" : "")),
            Figure(name: "color cache", value: walk.colorCacheBits > 0 ? "\(1 << walk.colorCacheBits) colors" : "none"),
        ]
        var table = Table(title: "Transforms", columns: ["transform", "block", "data", "bits"], rows: [])
        for transform in walk.transforms {
            table.rows.append([
                transform.kind.name, transform.blockSize > 0 ? "\(transform.blockSize)" : "",
                transform.data.map { "\($0.size)" } ?? "", "\(transform.bitCount)",
            ])
        }
        section.tables = [table]
        if walk.groupCount > 1 {
            var groups = Table(
                title: "Groups of prefix codes", columns: ["group", "pixels", "share", "bits of a pixel"], rows: [])
            for (index, group) in tally.groupCounts.prefix(walk.groupCount).enumerated() {
                groups.rows.append([
                    "\(index)", "\(group.pixels)", group.pixels.percent(of: total), group.bits.mean(of: group.pixels),
                ])
            }
            groups.omittedRowCount = walk.groupCount - groups.rows.count
            section.tables.append(groups)
        }
        sections.append(section)
        guard let colors = walk.transforms.first(where: { $0.kind == .colorIndexing })?.data else { return }
        var palette = Table(title: "", columns: ["index", "color", "opacity"], rows: [], colorColumn: 1)
        var color = SIMD4<UInt8>(repeating: 0)
        for (index, pixel) in colors.pixels.enumerated() {
            // Each is coded as its difference to the one before.
            for channel in 0..<4 { color[channel] &+= UInt8(truncatingIfNeeded: pixel >> UInt32(8 * channel)) }
            palette.rows.append(["\(index)", Self.colorName(color[2], color[1], color[0]), "\(color[3])"])
        }
        sections.append(Section(title: "Palette", introduction: "The colors of color indexing.", tables: [palette]))
    }

    private mutating func addLosslessLayers(
        _ walk: VP8LWalk, _ tally: VP8LWalk.Tally, _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) {
        let packed = walk.transforms.contains { $0.kind == .colorIndexing && ($0.data?.size.width ?? 0) <= 16 }
        let packing = packed ? " Several pixels are packed in one; each column stands for them." : ""
        layers += [
            tally.bits.layer(
                "bits", "Bits of pixels", "What each pixel takes. The pixels of a copy share its bits." + packing,
                unit: "bits", .bits),
            tally.sources.layer(
                "source", "Literal, copy or cache", "How each pixel is coded." + packing, .classes(VP8LWalk.classes)),
        ]
        if walk.groupCount > 1 {
            layers.append(
                tally.groups.layer(
                    "group", "Entropy image", "The group of prefix codes that each block has." + packing, .identifiers))
        }
        var index = 0
        for transform in walk.transforms {
            guard let data = transform.data, let layer = try transformLayer(transform, data, build) else { continue }
            index += 1
            layers.append(layer)
        }
        guard let coded = walk.coded else { return }
        layers.append(
            try picture(
                coded, side: 1, area: coded.size, build, "coded", "As coded",
                "The picture before any transform is undone: what is left to code. Values are differences, red, green and blue around 128."
                    + packing))
        if walk.isComplete { try addUndoneTransforms(walk, coded, build, &work) }
    }

    /// The picture after each transform that is undone, but for the last, after which it is whole; up to color indexing, whose
    /// image has another size.
    private mutating func addUndoneTransforms(
        _ walk: VP8LWalk, _ coded: VP8LWalk.Image, _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) {
        // Two images at a time, one with the row above it.
        let byteCount = 8 * (coded.pixels.count + coded.size.width)
        try build.meter.reserve(byteCount)
        defer { build.meter.release(byteCount) }
        var (image, rest) = (coded, walk.transforms)
        while rest.count > 1, let transform = rest.popLast(), transform.kind != .colorIndexing {
            image = try transform.undone(image, &work)
            let isPredicted = rest.contains { $0.kind == .predictor }
            let isWithoutGreen = rest.contains { $0.kind == .subtractGreen || $0.kind == .color }
            layers.append(
                try picture(
                    image, side: 1, area: image.size, build, "without-\(transform.kind.key)",
                    "After the \(transform.kind.name) transform",
                    "The picture when that is undone. "
                        + (isPredicted
                            ? "Values are still differences to predictions, around 128."
                            : isWithoutGreen ? "Red and blue are still without green, around 128." : ""),
                    around: isPredicted ? 0x80_80_80 : isWithoutGreen ? 0x80_00_80 : 0))
        }
    }

    /// The data of a transform as a layer.
    private func transformLayer(
        _ transform: VP8LWalk.Transform, _ data: VP8LWalk.Image, _ build: MapBuild
    ) throws(ImageError) -> MapLayer? {
        guard transform.kind == .predictor || transform.kind == .color, let size else { return nil }
        let area = PixelSize(
            width: min(size.width, data.size.width * transform.blockSize),
            height: min(size.height, data.size.height * transform.blockSize))
        if transform.kind == .color {
            return try picture(
                data, side: transform.blockSize, area: area, build, "color-transform", "Color transform",
                "The factors by which green is taken from red and blue, and red from blue, of each block, around 128.")
        }
        let item = PixelSize(width: transform.blockSize, height: transform.blockSize)
        var values = try LayerValues(
            MapGrid(area, itemSize: item, maxCellCount: build.maxCellCount), meter: build.meter)
        for (place, pixel) in data.pixels.enumerated() {
            values.set(
                min(Int(pixel >> 8 & 15), 13), column: place % data.size.width, row: place / data.size.width)
        }
        return values.layer(
            "predictor", "Predictor transform", "How the pixels of each block are predicted from their neighbours.",
            .classes(Self.predictors))
    }

    /// - Source: RFC 9649 section 4.1 "Predictor Transform".
    private static let predictors: [MapLayer.Class] = zip(
        [
            "black", "left", "top", "top right", "top left", "mean of mean(left, top right) and top",
            "mean of left and top left", "mean of left and top", "mean of top left and top",
            "mean of top and top right",
            "mean of four", "select", "left + top - top left", "half of that gradient",
        ],
        [
            0x252525, 0x1F77B4, 0x2CA02C, 0x98DF8A, 0x9467BD, 0x17BECF, 0xAEC7E8, 0xBCBD22, 0xC5B0D5, 0xDBDB8D,
            0xC7C7C7,
            0xD62728, 0xFF7F0E, 0xFFBB78,
        ] as [UInt32]
    ).map { MapLayer.Class(name: $0, color: $1) }

    /// Pixels of a coded image as colours.
    ///
    /// - Parameter middle: 128 for channels whose values are differences.
    private func picture(
        _ image: VP8LWalk.Image, side: Int, area: PixelSize, _ build: MapBuild, _ key: String, _ name: String,
        _ explanation: String, around middle: UInt32 = 0x80_80_80
    ) throws(ImageError) -> MapLayer {
        let item = PixelSize(width: side, height: side)
        var values = try LayerValues(
            MapGrid(area, itemSize: item, maxCellCount: build.maxCellCount), meter: build.meter)
        let step = values.grid.step
        for row in stride(from: 0, to: image.size.height, by: step) {
            for column in stride(from: 0, to: image.size.width, by: step) {
                let pixel = image.pixels[row * image.size.width + column]
                values.set(Int((pixel & 0xFFFFFF) ^ middle), column: column, row: row)
            }
        }
        return values.layer(key, name, explanation, .colors)
    }
}
