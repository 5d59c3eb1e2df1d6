// The scaler with sizes and pixels of any kind: every row comes, copies go on like the original, plain colors stay.

import CodecTestSupport
import ImageCodecsCore

enum ScalerCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        func side() -> Int { source.oneIn(12) ? 1 + source.below(3000) : 1 + source.below(source.oneIn(3) ? 200 : 20) }
        let size = PixelSize(width: side(), height: side())
        let target = PixelSize(width: side(), height: side())
        guard size.width * size.height <= 1 << 18, target.width * target.height <= 1 << 18 else { return [] }
        let reduction = source.oneIn(3) ? source.pick([2, 4, 8]) : 1
        let opaque = source.oneIn(2)
        let plain = source.oneIn(4) ? pixel(&source, opaque) : nil
        do {
            let meter = MemoryMeter(limit: 1 << 28)
            var run = Run(
                try RowScaler(
                    source: size, reduction: reduction, target: target, alpha: opaque ? .opaque : .premultiplied,
                    meter: meter))
            let held = meter.current
            let pushed = run.scaler.pushed
            let cut = source.below(pushed.height + 1)
            var copy: Run?
            for y in 0..<pushed.height {
                let row = (0..<pushed.width).flatMap { _ in plain ?? pixel(&source, opaque) }
                if y == cut { copy = run }
                try run.push(row)
                try copy?.push(row)
            }
            if copy == nil, meter.current != held { run.found.append("\(meter.current) bytes held, \(held) at first") }
            if let copy, copy.pixels != run.pixels { run.found.append("the copy of row \(cut) gives other pixels") }
            return run.found + run.violations(plain: plain, opaque: opaque)
        } catch {
            return ["\(error)"]
        }
    }

    /// A premultiplied pixel.
    private static func pixel(_ source: inout DecisionSource, _ opaque: Bool) -> [UInt8] {
        let alpha = opaque ? 255 : source.pick([0, 255, source.byte()])
        return source.bytes(3).map { min($0, alpha) } + [opaque ? source.byte() : alpha]
    }

    private struct Run {
        var scaler: RowScaler
        var pixels: [UInt8] = []
        var rowCount = 0
        var found: [String] = []

        init(_ scaler: RowScaler) { self.scaler = scaler }

        mutating func push(_ row: [UInt8]) throws(ImageError) {
            try scaler.makeUnique()
            var (rows, numbers): ([UInt8], [Int]) = ([], [])
            row.withRawSpan { row in
                scaler.push(row) { y, scaled in
                    numbers.append(y)
                    for place in 0..<scaled.byteCount { rows.append(scaled.byte(at: place)) }
                }
            }
            for number in numbers {
                if number != rowCount { found.append("row \(number) behind \(rowCount) rows") }
                rowCount += 1
            }
            pixels += rows
        }

        func violations(plain: [UInt8]?, opaque: Bool) -> [String] {
            var found: [String] = []
            let target = scaler.target
            if !scaler.isComplete || rowCount != target.height || pixels.count != 4 * target.width * target.height {
                found.append("\(rowCount) rows of \(target)")
            }
            for start in stride(from: 0, to: pixels.count, by: 4) {
                let pixel = Array(pixels[start..<start + 4])
                if opaque && pixel[3] != 255 || pixel.prefix(3).contains(where: { $0 > pixel[3] }) {
                    return found + ["pixel \(start / 4) is \(pixel)"]
                }
                if let plain, pixel.prefix(3) != plain.prefix(3) || !opaque && pixel[3] != plain[3] {
                    return found + ["\(plain) became \(pixel)"]
                }
            }
            return found
        }
    }
}
