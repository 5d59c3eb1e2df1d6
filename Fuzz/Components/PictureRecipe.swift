// A PNG file made from fuzzing input, together with the pixels it must decode to, worked out the plain way.

import CodecTestSupport

/// A picture of any colour type and depth whose filtered scanlines are the input's own bytes.
struct PictureRecipe: Sendable {
    /// Columns.
    let width: Int
    /// Rows.
    let height: Int
    /// Bits of a sample: 1, 2, 4, 8 or 16.
    let depth: Int
    /// As in IHDR: 0, 2, 3, 4 or 6.
    let colorType: Int
    /// Whether the scanlines are those of the seven passes.
    let isInterlaced: Bool
    /// Red, green, blue of every entry.
    let palette: [UInt8]
    /// The body of tRNS; empty if there is none.
    let transparency: [UInt8]
    /// Filter type bytes and filtered samples, pass by pass.
    let scanlines: [UInt8]

    private static let kinds = [
        (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16),
        (6, 8), (6, 16),
    ]
    /// First column and row, column and row step (PNG 3rd ed. §8.1 "Interlacing and pass extraction").
    private static let passes = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    /// `nil` when there are too few bytes to choose from.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        (colorType, depth) = Self.kinds[Int(bytes[0]) % Self.kinds.count]
        isInterlaced = bytes[1] & 1 == 1
        width = 1 + Int(bytes[2]) + (bytes[1] & 2 == 2 ? 100 : 0)
        height = 1 + Int(bytes[3]) % 24
        var rest = Tape(bytes.dropFirst(8))
        palette = colorType == 3 ? rest.take(3 * (1 + Int(bytes[4]) % (1 << depth))) : []
        switch colorType {
        case 0 where bytes[5] & 1 == 1: transparency = rest.take(2)
        case 2 where bytes[5] & 1 == 1: transparency = rest.take(6)
        case 3 where bytes[5] & 1 == 1: transparency = rest.take(1 + Int(bytes[6]) % (palette.count / 3))
        default: transparency = []
        }
        var lines: [UInt8] = []
        for pass in Self.grids(isInterlaced) {
            let (columns, rows) = Self.size(pass, width, height)
            for _ in 0..<(columns > 0 ? rows : 0) {
                lines.append(rest.next() % 5)
                lines += rest.take((columns * depth * Self.channels(colorType) + 7) / 8)
            }
        }
        scanlines = lines
    }

    private static func grids(_ isInterlaced: Bool) -> [(x: Int, y: Int, columnStep: Int, rowStep: Int)] {
        isInterlaced ? passes.map { (x: $0.0, y: $0.1, columnStep: $0.2, rowStep: $0.3) } : [(0, 0, 1, 1)]
    }

    private static func size(
        _ pass: (x: Int, y: Int, columnStep: Int, rowStep: Int), _ width: Int, _ height: Int
    ) -> (columns: Int, rows: Int) {
        (
            max(0, (width - pass.x + pass.columnStep - 1) / pass.columnStep),
            max(0, (height - pass.y + pass.rowStep - 1) / pass.rowStep)
        )
    }

    private static func channels(_ colorType: Int) -> Int { [1, 0, 3, 1, 2, 0, 4][colorType] }

    /// The input's bytes, and zeros when they are used up.
    private struct Tape {
        var bytes: ArraySlice<UInt8>
        init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
        mutating func next() -> UInt8 { bytes.popFirst() ?? 0 }
        mutating func take(_ count: Int) -> [UInt8] { (0..<count).map { _ in next() } }
    }
}

extension PictureRecipe {
    /// The file, its image data in stored blocks.
    var file: [UInt8] {
        var builder = PNGBuilder()
        builder.addHeader(
            width: width, height: height, depth: UInt8(depth), colorType: UInt8(colorType), interlaced: isInterlaced)
        if !palette.isEmpty { builder.add("PLTE", palette) }
        if !transparency.isEmpty { builder.add("tRNS", transparency) }
        builder.addImageData(PNGBuilder.stored(scanlines, blockSize: 30_000))
        builder.add("IEND")
        return builder.bytes
    }

    /// The pixels, row by row.
    var pixels: [PlainPixel] {
        var pixels = [PlainPixel](repeating: PlainPixel(), count: width * height)
        var offset = 0
        for pass in Self.grids(isInterlaced) {
            let (columns, rows) = Self.size(pass, width, height)
            guard columns > 0 else { continue }
            let byteCount = (columns * depth * Self.channels(colorType) + 7) / 8
            var above = [UInt8](repeating: 0, count: byteCount)
            for row in 0..<rows {
                let line = unfiltered(scanlines[offset..<offset + 1 + byteCount], above)
                for column in 0..<columns {
                    let (x, y) = (pass.x + column * pass.columnStep, pass.y + row * pass.rowStep)
                    pixels[y * width + x] = pixel(line, column)
                }
                above = line
                offset += 1 + byteCount
            }
        }
        return pixels
    }

    /// PNG 3rd ed. §9.2 "Filter types for filter method 0".
    private func unfiltered(_ line: ArraySlice<UInt8>, _ above: [UInt8]) -> [UInt8] {
        let distance = max(1, depth * Self.channels(colorType) / 8)
        let filter = line[line.startIndex]
        var row = Array(line.dropFirst())
        for index in row.indices {
            let a = index >= distance ? Int(row[index - distance]) : 0
            let b = Int(above[index])
            let c = index >= distance ? Int(above[index - distance]) : 0
            let (pa, pb, pc) = (abs(b - c), abs(a - c), abs(a + b - 2 * c))
            let paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c
            row[index] &+= UInt8([0, a, b, (a + b) / 2, paeth][Int(filter)])
        }
        return row
    }

    private func pixel(_ line: [UInt8], _ x: Int) -> PlainPixel {
        func sample(_ index: Int) -> Int {
            if depth == 16 { return Int(line[2 * index]) << 8 | Int(line[2 * index + 1]) }
            return Int(line[index * depth / 8]) >> (8 - depth - index * depth % 8) & (1 << depth - 1)
        }
        func key(_ index: Int) -> Int {
            (Int(transparency[2 * index]) << 8 | Int(transparency[2 * index + 1])) & (1 << depth - 1)
        }
        let largest = depth == 16 ? 65535 : 255
        func spread(_ value: Int) -> Int { depth < 8 ? value * 255 / (1 << depth - 1) : value }
        switch colorType {
        case 0:
            let gray = sample(x)
            let isKey = !transparency.isEmpty && key(0) == gray
            return PlainPixel(spread(gray), spread(gray), spread(gray), isKey ? 0 : largest, largest: largest)
        case 2:
            let (r, g, b) = (sample(3 * x), sample(3 * x + 1), sample(3 * x + 2))
            let isKey = !transparency.isEmpty && (key(0), key(1), key(2)) == (r, g, b)
            return PlainPixel(r, g, b, isKey ? 0 : largest, largest: largest)
        case 3:
            let index = sample(x)
            guard 3 * index < palette.count else { return PlainPixel() }
            let color = palette[3 * index..<3 * index + 3].map(Int.init)
            return PlainPixel(
                color[0], color[1], color[2], index < transparency.count ? Int(transparency[index]) : 255, largest: 255)
        case 4:
            return PlainPixel(sample(2 * x), sample(2 * x), sample(2 * x), sample(2 * x + 1), largest: largest)
        default:
            return PlainPixel(
                sample(4 * x), sample(4 * x + 1), sample(4 * x + 2), sample(4 * x + 3), largest: largest)
        }
    }
}
