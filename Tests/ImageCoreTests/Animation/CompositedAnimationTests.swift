import CodecTestSupport
import ImageCodecsCore
import Testing

/// The compositor against plain composition, on random animations.
@Suite struct CompositedAnimationTests {
    private func options(isStraight: Bool, cacheByteCount: Int = 0) -> DecodingOptions {
        var options = DecodingOptions()
        if isStraight { options.pixelFormat = .rgba }
        options.maxFrameCacheByteCount = cacheByteCount
        return options
    }

    @Test(arguments: 0..<40 as Range<UInt64>, [false, true])
    func framesInAnyOrderAreThoseOfPlainComposition(seed: UInt64, isStraight: Bool) throws {
        let frames = try RandomFrames(seed: seed, count: 12)
        let expected = try frames.plainFrames(isStraight: isStraight)
        var random = SeededRandom(seed: seed)
        for cacheByteCount in [0, 1500, 1 << 20] {
            let animation = try frames.animation(options(isStraight: isStraight, cacheByteCount: cacheByteCount))
            var bitmap = Bitmap.empty
            var kept: [(Bitmap, Int)] = []
            let order = Array(0..<12) + (0..<40).map { _ in Int.random(in: 0..<12, using: &random) }
            for index in order {
                #expect(try animation.frame(at: index, into: &bitmap) == nil)
                #expect(bitmap.packedBytes() == expected[index], "frame \(index), cache \(cacheByteCount)")
                // Kept, changed, handed back as it is, or not at all.
                switch Int.random(in: 0..<4, using: &random) {
                case 0: kept.append((bitmap, index))
                case 1: try bitmap.withMutableBytes { $0.storeBytes(of: 77, toByteOffset: 0, as: UInt8.self) }
                case 2: bitmap = .empty
                default: break
                }
            }
            for (bitmap, index) in kept { #expect(bitmap.packedBytes() == expected[index]) }
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func framesAloneAreTheirOwnPixels(seed: UInt64) throws {
        let frames = try RandomFrames(seed: seed, count: 5)
        for isStraight in [false, true] {
            let animation = try frames.animation(options(isStraight: isStraight))
            for index in 0..<5 {
                let frame = try animation.subFrame(at: index)
                #expect(frame.bitmap.size == frames.plan[index].info.rect.size)
                #expect(frame.bitmap.packedBytes() == (try frames.canvasPixels(index, isStraight: isStraight)))
                #expect(frame.duration == frames.plan[index].info.duration)
            }
        }
    }

    @Test func playingInOrderDecodesEachFrameOnce() throws {
        for seed in 0..<10 as Range<UInt64> {
            let frames = try RandomFrames(seed: seed, count: 20)
            let animation = try frames.animation()
            var bitmap = Bitmap.empty
            var expected = 0
            for index in 0..<20 {
                try animation.frame(at: index, into: &bitmap)
                // What is below a frame that covers the canvas is composed anew when that frame is taken back.
                let mayCompose = index > 0 && frames.plan[index - 1].info.disposal == .restore
                expected = mayCompose ? max(expected + 1, frames.decoded.value) : expected + 1
                #expect(frames.decoded.value == expected)
            }
            try animation.frame(at: 19, into: &bitmap)
            #expect(frames.decoded.value == expected)
        }
    }

    @Test func randomAccessCostsNoMoreThanComposingFromWhereTheFrameBegins() throws {
        for seed in 0..<20 as Range<UInt64> {
            let frames = try RandomFrames(seed: seed, count: 16)
            for index in 0..<16 {
                let before = frames.decoded.value
                let animation = try frames.animation()
                let info = try animation.frameInfo(at: index)
                _ = try animation.frame(at: index)
                #expect(frames.decoded.value - before <= index - info.composedFromIndex + 1)
            }
        }
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func damagedFramesAreDrawnAsFarAsTheyGoAndReported(seed: UInt64) throws {
        let frames = try RandomFrames(seed: seed, count: 10, damageRate: 4)
        let expected = try frames.plainFrames(isStraight: false)
        var tolerant = DecodingOptions()
        tolerant.strictness = .tolerant
        let animation = try frames.animation(tolerant)
        let strict = try frames.animation()
        for index in Array(0..<10) + [9, 3, 7, 0, 5] {
            let frame = try animation.frame(at: index)
            #expect(frame.bitmap.packedBytes() == expected[index], "frame \(index)")
            let refusal = Result { () throws(ImageError) in try strict.frame(at: index) }
            if frame.isPartial {
                #expect(frame.partial?.cause == RandomFrames.damage)
            } else {
                #expect(frames.rowCounts[index] == nil)
                if case .failure(let error) = refusal { #expect(error == RandomFrames.damage) }
            }
        }
        // What is real of a frame is what it would be without the damage.
        var sound = frames
        try sound.mend()
        let whole = try sound.plainFrames(isStraight: false)
        let rowByteCount = 4 * frames.plan.canvasSize.width
        for index in 0..<10 {
            let rows = try animation.frame(at: index).partial?.rows ?? [0..<frames.plan.canvasSize.height]
            for y in rows.joined() {
                let bytes = y * rowByteCount..<(y + 1) * rowByteCount
                #expect(expected[index][bytes] == whole[index][bytes], "row \(y) of frame \(index)")
            }
        }
    }

    @Test func twoThreadsGetTheSameFrames() async throws {
        let frames = try RandomFrames(seed: 5, count: 16)
        let expected = try frames.plainFrames(isStraight: false)
        for cacheByteCount in [0, 3000] {
            let animation = try frames.animation(options(isStraight: false, cacheByteCount: cacheByteCount))
            let same = await withTaskGroup(of: Bool.self) { group in
                for start in [0, 7, 11, 3] {
                    group.addTask {
                        (0..<200).allSatisfy { round in
                            let index = (start + round * start) % 16
                            return (try? animation.frame(at: index).bitmap.packedBytes()) == expected[index]
                        }
                    }
                }
                return await group.allSatisfy { $0 }
            }
            #expect(same)
        }
    }

    @Test func whatIsHeldIsGivenBack() throws {
        let meter = MemoryMeter()
        do {
            let frames = try RandomFrames(seed: 3, count: 8)
            let animation = try frames.animation(options(isStraight: false, cacheByteCount: 4000), meter: meter)
            for index in [3, 1, 7, 0, 7] { _ = try animation.frame(at: index) }
            #expect(meter.current > 0)
        }
        #expect(meter.current == 0)
    }

    @Test func framesThatAreNotThereAreRefused() throws {
        let animation = try RandomFrames(seed: 1, count: 3).animation()
        for index in [-1, 3, .max, .min] {
            #expect(throws: ImageError.self) { try animation.frame(at: index) }
            #expect(throws: ImageError.self) { try animation.subFrame(at: index) }
            #expect(throws: ImageError.self) { try animation.frameInfo(at: index) }
            #expect(throws: ImageError.self) { try animation.duration(at: index) }
        }
    }
}
