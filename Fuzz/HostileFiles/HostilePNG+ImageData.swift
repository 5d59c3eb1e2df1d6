// Image data: scanlines, their zlib stream, and how it is cut into IDAT chunks.

import CodecTestSupport

extension HostilePNG {
    /// First column and row, column and row step (PNG 3rd ed. §8.1 "Interlacing and pass extraction").
    private static let passes = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    mutating func writeImageData() {
        let stream = compressed(scanlines())
        if source.oneIn(60) { return }
        var start = 0
        let largest = source.pick([1, 7, 100, 8192, 8192, 1 << 20])
        while start < stream.count {
            // An empty chunk now and then.
            let count = source.oneIn(20) ? 0 : min(stream.count - start, 1 + source.below(largest))
            add("IDAT", Array(stream[start..<start + count]))
            start += count
            // Something between two pieces ends the image data.
            if source.oneIn(400) { writeAncillary() }
        }
    }

    /// Filter type bytes and filtered samples; few of huge pictures, sometimes too few or too many of others.
    private mutating func scanlines() -> [UInt8] {
        if isHuge || width == 0 || height == 0 { return [UInt8](repeating: 0, count: source.below(3000)) }
        var lines: [UInt8] = []
        let style = source.below(4)
        let wrongFilterRate = source.oneIn(25) ? 20 : 50_000
        let onlyFilter = source.oneIn(3) ? UInt8(source.below(5)) : nil
        for (columns, rows) in grids() where columns > 0 {
            let byteCount = (columns * depth * channels + 7) / 8
            for row in 0..<rows {
                lines.append(source.oneIn(wrongFilterRate) ? source.byte() : onlyFilter ?? UInt8(source.below(5)))
                switch style {
                case 0: lines += [UInt8](repeating: 0, count: byteCount)
                case 1: lines += [UInt8](repeating: UInt8(truncatingIfNeeded: row), count: byteCount)
                default: lines += source.bytes(byteCount)
                }
            }
        }
        if source.oneIn(12) { lines += source.bytes(source.below(200)) }
        if source.oneIn(12) { lines = Array(lines.prefix(source.below(lines.count + 1))) }
        return lines
    }

    private func grids() -> [(columns: Int, rows: Int)] {
        guard isInterlaced else { return [(width, height)] }
        return Self.passes.map { x, y, columnStep, rowStep in
            ((width - x + columnStep - 1) / columnStep, (height - y + rowStep - 1) / rowStep)
        }.map { (max(0, $0.0), max(0, $0.1)) }
    }

    /// A zlib stream, or a deflate stream alone, mostly sound.
    private mutating func compressed(_ lines: [UInt8]) -> [UInt8] {
        let isStored = source.oneIn(5)
        var stream =
            isStored
            ? PNGBuilder.stored(lines, blockSize: 1 + source.below(65_535))
            : PNGBuilder.deflated(lines, level: Int32(source.pick([1, 6, 9])))
        switch source.below(24) {
        case 0: stream[stream.count - 1] ^= 1
        case 1: stream = Array(stream.prefix(source.below(stream.count + 1)))
        case 2: stream += source.bytes(1 + source.below(200))
        case 3: stream += PNGBuilder.deflated([UInt8](repeating: 0, count: 100_000))
        case 4, 5:
            for _ in 0...source.below(3) { stream[source.below(stream.count)] = source.byte() }
        case 6: stream[source.below(2)] = source.byte()
        default: break
        }
        return isApple ? Array(stream.dropFirst(2).dropLast(4)) : stream
    }
}
