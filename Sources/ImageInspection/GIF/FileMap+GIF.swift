// The map of a GIF file: what each pixel costs in LZW codes, image by image.

import GIFCodec
import ImageCodecsCore

extension FileMap {
    /// One image of a file as its descriptor has it.
    private struct GIFImage {
        let rect: PixelRect
        let isInterlaced: Bool
        let minimumCodeSize: Int
        /// Bytes of the local color table.
        let tableByteCount: Int
        /// Where the first sub-block begins.
        let dataOffset: Int

        /// - Source: GIF89a section 20 "Image Descriptor".
        init?(_ bytes: Span<UInt8>, at offset: Int) {
            guard offset + 10 < bytes.count else { return nil }
            func number(_ place: Int) -> Int { Int(bytes[offset + place]) | Int(bytes[offset + place + 1]) << 8 }
            rect = PixelRect(x: number(1), y: number(3), width: number(5), height: number(7))
            let flags = bytes[offset + 9]
            isInterlaced = flags & 0x40 != 0
            tableByteCount = flags & 0x80 != 0 ? 3 << (Int(flags & 7) + 1) : 0
            let sizeOffset = offset + 10 + tableByteCount
            guard sizeOffset < bytes.count else { return nil }
            minimumCodeSize = Int(bytes[sizeOffset])
            dataOffset = sizeOffset + 1
        }

        /// The row of the picture that the row at `index` in the file is.
        func row(_ index: Int) -> Int {
            guard isInterlaced else { return index }
            var index = index
            for (first, step) in [(0, 8), (4, 8), (2, 4), (1, 2)] {
                let count = max(0, (rect.height - first + step - 1) / step)
                if index < count { return first + index * step }
                index -= count
            }
            return index
        }
    }

    /// All images; layers of pixels are those of the first one.
    mutating func addGIF(_ build: MapBuild, _ work: inout WorkGuard) throws(ImageError) {
        guard let header = build.data.bytes(0..<13) else { return }
        let canvas = PixelSize(
            width: Int(header[6]) | Int(header[7]) << 8, height: Int(header[8]) | Int(header[9]) << 8)
        let images = listing.parts.filter { $0.name == "image" }
        var table = Table(
            title: "Images",
            columns: [
                "image", "rectangle", "codes", "pixels a code", "longest", "clears", "with a full table", "bytes",
            ],
            rows: [])
        accountGIFBlocks(build.data.count)
        let first = images.first.flatMap { part in build.data.withBytes { GIFImage($0, at: part.offset) } }
        let area = canvas.isEmpty ? first?.rect.size ?? canvas : canvas
        guard !area.isEmpty else { return }
        try build.limits.check(size: area)
        size = area
        var total = try LayerValues(build.grid(area), meter: build.meter)
        for (index, part) in images.enumerated() {
            guard let image = build.data.withBytes({ GIFImage($0, at: part.offset) }) else { continue }
            try build.limits.check(size: image.rect.size)
            try build.limits.check(frameCount: index + 1)
            try work.countFramePixels(image.rect.size)
            let (stream, lengthBytes) = try Self.codes(image, part, build, &work)
            let walk = try addImage(image, stream, isFirst: index == 0, &total, build, &work)
            accountImage(walk, image, lengthBytes: lengthBytes, byteCount: stream.count)
            if let damage = walk.damage {
                addProblem(
                    "image \(index + 1) is damaged: \(damage)",
                    advice: "imagetool convert --tolerant keeps what comes before the damage")
            }
            guard table.rows.count < Self.maxRowCount else {
                table.omittedRowCount += 1
                continue
            }
            table.rows.append([
                "\(index + 1)", "\(image.rect)", "\(walk.codeCount)", walk.pixelCount.mean(of: walk.codeCount),
                "\(walk.longestRun)", "\(walk.clearCount)", "\(walk.fullTableCodeCount)", "\(stream.count)",
            ])
        }
        if images.count > 1 {
            layers.append(
                total.layer(
                    "bits-all", "Bits of all images",
                    "What all images together take at each pixel of the canvas: where it is high, much changes.",
                    unit: "bits", .bits))
        }
        sections.append(
            Section(
                title: "LZW",
                introduction: """
                    Each code stands for a string of pixels that came before, with one more added to the table after every code. Codes begin \
                    with one bit more than the minimum code size and grow to 12 bits at most; a clear code empties the table.
                    """, tables: [table]))
        addGIFPalette(build.data)
    }

    /// The bytes of all sub-blocks of an image, and how many bytes their lengths take.
    private static func codes(
        _ image: GIFImage, _ part: FileListing.Part, _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) -> ([UInt8], lengthBytes: Int) {
        let end = min(part.offset.addingSaturated(part.byteCount ?? 0), build.data.count)
        let most = max(0, end - image.dataOffset)
        try build.meter.reserve(most)
        // For one image at a time.
        defer { build.meter.release(most) }
        var stream: [UInt8] = []
        stream.reserveCapacity(most)
        var lengthBytes = 0
        try build.data.withBytes { (bytes) throws(ImageError) in
            var position = image.dataOffset
            while position < end {
                let count = min(Int(bytes[position]), end - position - 1)
                lengthBytes += 1
                guard bytes[position] > 0 else { break }
                try work.spend(count / 16 + 1)
                for index in position + 1..<position + 1 + count { stream.append(bytes[index]) }
                position += 1 + count
            }
        }
        return (stream, lengthBytes)
    }

    private mutating func addImage(
        _ image: GIFImage, _ stream: [UInt8], isFirst: Bool, _ total: inout LayerValues, _ build: MapBuild,
        _ work: inout WorkGuard
    ) throws(ImageError) -> LZWWalk {
        let rect = image.rect
        var walk = LZWWalk(
            minimumCodeSize: image.minimumCodeSize, maxPixelCount: rect.size.pixelCount ?? 0)
        guard !rect.isEmpty else { return walk }
        var own: (bits: LayerValues, runs: LayerValues, sizes: LayerValues)?
        if isFirst {
            let grid = build.grid(rect.size)
            own = (
                try LayerValues(grid, meter: build.meter),
                try LayerValues(grid, filledWith: -1, meter: build.meter),
                try LayerValues(grid, filledWith: -1, meter: build.meter)
            )
        }
        try stream.withSpan { (bytes) throws(ImageError) in
            try walk.run(bytes, &work) { run, place, codeSize in
                for index in 0..<run.pixelCount {
                    let (column, line) = ((place + index) % rect.width, (place + index) / rect.width)
                    guard line < rect.height else { break }
                    let row = image.row(line)
                    let amount = (run.bitCount * MapLayer.Kind.bitParts).share(of: index, among: run.pixelCount)
                    total.add(amount, column: rect.x + column, row: rect.y + row)
                    own?.bits.add(amount, column: column, row: row)
                    own?.runs.set(run.pixelCount, column: column, row: row)
                    own?.sizes.set(codeSize, column: column, row: row)
                }
            }
        }
        if let own {
            let which = listing.parts.count { $0.name == "image" } > 1 ? " of the first image" : ""
            let first = [
                own.bits.layer(
                    "bits", "Bits of pixels" + which,
                    "What each pixel takes: the pixels of a string share the bits of its code.",
                    unit: "bits", .bits),
                own.runs.layer(
                    "run", "Pixels of a code" + which, "How long the string is that a pixel is part of.",
                    unit: "pixels", .numbers),
                own.sizes.layer(
                    "code-size", "Bits of a code" + which,
                    "How many bits the code of a pixel has: it grows with the table, and falls when a clear code empties it.",
                    unit: "bits",
                    .numbers),
            ]
            layers += first.map { layer in
                var layer = layer
                layer.place = rect
                return layer
            }
        }
        return walk
    }

    private mutating func accountGIFBlocks(_ byteCount: Int) {
        for part in listing.parts where part.name != "image" {
            let start = min(part.offset, byteCount)
            let end = min(start.addingSaturated(part.byteCount ?? 0), byteCount)
            account.add(8 * (end - start), Self.kind(of: part, .gif), part.name)
        }
    }

    private mutating func accountImage(_ walk: LZWWalk, _ image: GIFImage, lengthBytes: Int, byteCount: Int) {
        account.add(8 * 11, .header, "image descriptors and minimum code sizes")
        account.add(8 * image.tableByteCount, .header, "local color tables")
        account.add(8 * lengthBytes, .structure, "lengths of sub-blocks")
        account.add(walk.codeBitCount, .pixels, "pixels")
        account.add(walk.clearBitCount, .coding, "clear codes")
        account.add(walk.endBitCount, .coding, "end codes")
        let left = 8 * byteCount - walk.codeBitCount - walk.clearBitCount - walk.endBitCount
        account.add(min(left, 7), .padding, "up to the next byte")
        if left > 7 { account.add(left - 7, .unknown, "after the last code") }
    }

    private mutating func addGIFPalette(_ data: ImageData) {
        guard let part = listing.parts.first(where: { $0.name == "global color table" }), let count = part.byteCount,
            let colors = data.bytes(part.offset..<part.offset + min(count, 768))
        else { return }
        var table = Table(title: "", columns: ["index", "color"], rows: [], colorColumn: 1)
        for index in 0..<colors.count / 3 {
            table.rows.append([
                "\(index)", Self.colorName(colors[3 * index], colors[3 * index + 1], colors[3 * index + 2]),
            ])
        }
        sections.append(Section(title: "Palette", introduction: "The global color table.", tables: [table]))
    }
}
