import CodecTestSupport
import ImageCodecsCore

/// A small PNG file of one kind, with random samples and random filters: every byte of a scanline is valid.
struct SamplePNG: CustomStringConvertible, Sendable {
    let description: String
    let file: [UInt8]

    /// Every colour type and depth, interlaced and not.
    static let kinds: [SamplePNG] = [
        (0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16]),
    ].flatMap { (colorType: UInt8, depths: [UInt8]) in
        depths.flatMap { depth in
            [false, true].map { SamplePNG(colorType: colorType, depth: depth, interlaced: $0) }
        }
    }

    /// Files of Apple's variant.
    static let apple: [SamplePNG] = [
        (0, 8, false), (2, 8, false), (3, 4, false), (4, 8, true), (6, 8, false), (6, 8, true), (6, 16, false),
    ].map { (colorType: UInt8, depth: UInt8, interlaced: Bool) in
        SamplePNG(
            "CgBI, type \(colorType), \(depth) bits\(interlaced ? ", interlaced" : "")", colorType: colorType,
            depth: depth, interlaced: interlaced, idatSize: interlaced ? 50 : .max, isApple: true)
    }

    /// Files with transparency, an orientation before the pixels, text, many chunks.
    static let peculiar: [SamplePNG] = [
        SamplePNG("gray with a key", colorType: 0, depth: 4, chunks: [("tRNS", [0, 7])]),
        SamplePNG("RGB with a key", colorType: 2, depth: 8, chunks: [("tRNS", [0, 1, 0, 2, 0, 3])]),
        SamplePNG("palette with alpha", colorType: 3, depth: 4, chunks: [("tRNS", [0, 50, 128, 255])]),
        SamplePNG("turned", colorType: 2, depth: 8, chunks: [("eXIf", exif(orientation: 6))]),
        SamplePNG(
            "turned, interlaced", colorType: 6, depth: 8, interlaced: true, chunks: [("eXIf", exif(orientation: 8))]),
        SamplePNG("mirrored", colorType: 0, depth: 8, chunks: [("eXIf", exif(orientation: 2))]),
        SamplePNG(
            "upside down, interlaced", colorType: 3, depth: 8, interlaced: true,
            chunks: [("eXIf", exif(orientation: 3))]),
        SamplePNG(
            "texts", colorType: 2, depth: 8,
            chunks: [
                ("tEXt", Array("Title\0one".utf8)),
                ("zTXt", Array("Comment\0\0".utf8) + PNGBuilder.deflated(Array(repeating: 65, count: 400))),
                ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0<x/>".utf8)),
                ("gAMA", [0, 0, 0xB1, 0x8F]), ("pHYs", [0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1]),
            ], late: [("tEXt", Array("Author\0late".utf8)), ("tIME", [7, 0xE8, 1, 2, 3, 4, 5])]),
        SamplePNG("small IDATs", colorType: 6, depth: 8, idatSize: 11),
        SamplePNG("one row", width: 50, height: 1, colorType: 2, depth: 8, interlaced: true),
        SamplePNG("one column", width: 1, height: 50, colorType: 2, depth: 8, interlaced: true),
        SamplePNG("several runs of lines", width: 260, height: 280, colorType: 6, depth: 16),
    ]

    /// An orientation that the file tells after its pixels, where it does not count.
    static let lateOrientation = SamplePNG(
        "orientation after the pixels", colorType: 2, depth: 8, late: [("eXIf", exif(orientation: 5))])

    /// Everything above.
    static let all = kinds + apple + peculiar + [lateOrientation]

    init(colorType: UInt8, depth: UInt8, interlaced: Bool) {
        self.init(
            "type \(colorType), \(depth) bits\(interlaced ? ", interlaced" : "")", colorType: colorType,
            depth: depth, interlaced: interlaced)
    }

    init(
        _ description: String, width: Int = 29, height: Int = 23, colorType: UInt8, depth: UInt8,
        interlaced: Bool = false, chunks: [(String, [UInt8])] = [], late: [(String, [UInt8])] = [],
        idatSize: Int = .max, isApple: Bool = false
    ) {
        self.description = description
        var random = SeededRandom(seed: UInt64(colorType) * 100 + UInt64(depth) + UInt64(width * height))
        var builder = PNGBuilder()
        if isApple { builder.add("CgBI", [0x50, 0, 0x20, 2]) }
        builder.addHeader(width: width, height: height, depth: depth, colorType: colorType, interlaced: interlaced)
        if colorType == 3 { builder.add("PLTE", random.bytes(3 << depth)) }
        for (type, body) in chunks { builder.add(type, body) }
        let lines = Self.scanlines(
            width: width, height: height, bitsPerPixel: Self.channels(colorType) * Int(depth),
            interlaced: interlaced, using: &random)
        let stream = PNGBuilder.deflated(lines)
        builder.addImageData(isApple ? Array(stream.dropFirst(2).dropLast(4)) : stream, chunkSize: idatSize)
        for (type, body) in late { builder.add(type, body) }
        builder.add("IEND")
        file = builder.bytes
    }

    static func channels(_ colorType: UInt8) -> Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 0 }

    /// Random scanlines with every filter type, long runs of one value between noise.
    static func scanlines(
        width: Int, height: Int, bitsPerPixel: Int, interlaced: Bool, using random: inout SeededRandom
    ) -> [UInt8] {
        // PNG 3rd ed. §8.1 "Interlacing and pass extraction": first column and row, column and row step.
        let grids =
            interlaced
            ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
            : [(0, 0, 1, 1)]
        var bytes: [UInt8] = []
        for (x, y, columnStep, rowStep) in grids where width > x && height > y {
            let columns = (width - x + columnStep - 1) / columnStep
            for _ in 0..<(height - y + rowStep - 1) / rowStep {
                bytes.append(UInt8.random(in: 0...4, using: &random))
                let count = (columns * bitsPerPixel + 7) / 8
                let isFlat = Bool.random(using: &random)
                bytes +=
                    isFlat
                    ? [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: count) : random.bytes(count)
            }
        }
        return bytes
    }

    /// A TIFF structure with an orientation alone.
    static func exif(orientation: UInt8) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }
}
