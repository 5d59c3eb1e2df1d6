// The compositor of animations, against composing every frame from the first on, pixel by pixel.

import CodecTestSupport
import ImageCodecsCore

enum ComposerCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        let (isStraight, isTolerant) = (source.oneIn(2), source.oneIn(3))
        let count = 1 + source.below(14)
        do {
            let frames = try RandomFrames(&source, count: count, damageRate: isTolerant ? 3 : nil)
            let expected = try frames.plainFrames(isStraight: isStraight)
            var options = DecodingOptions()
            if isStraight { options.pixelFormat = .rgba }
            options.maxFrameCacheByteCount = source.pick([0, 500, 3000, 1 << 20])
            options.strictness = isTolerant ? .tolerant : .strict
            let meter = MemoryMeter()
            let animation = try frames.animation(options, meter: meter)
            var (bitmap, kept, found) = (Bitmap.empty, [(Bitmap, Int)](), [String]())
            for step in 0..<count + 20 {
                let index = step < count && source.oneIn(2) ? step : source.below(count)
                switch source.below(5) {
                case 0: kept.append((bitmap, -1))
                case 1: bitmap = .empty
                default: break
                }
                try animation.frame(at: index, into: &bitmap)
                if bitmap.packedBytes() != expected[index] {
                    found.append("frame \(index) of \(count) at step \(step)")
                }
                if source.oneIn(5) { kept.append((bitmap, index)) }
            }
            for (bitmap, index) in kept where index >= 0 && bitmap.packedBytes() != expected[index] {
                found.append("frame \(index) changed after it was handed out")
            }
            return found
        } catch {
            return ["\(error)"]
        }
    }
}
