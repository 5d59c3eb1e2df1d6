import ImageCodecsCore
import Testing

@Suite struct FrameCacheTests {
    private static let frameByteCount = 64

    private func plan(_ count: Int) throws -> CompositionPlan {
        var plan = CompositionPlan(canvasSize: PixelSize(width: 4, height: 1))
        for _ in 0..<count {
            try plan.append(
                plan.planned(FrameInfo(rect: PixelRect(plan.canvasSize), duration: .zero)), meter: nil)
        }
        return plan
    }

    private func frame(_ value: UInt8) throws -> ImageFrame {
        var bitmap = try Bitmap(size: PixelSize(width: 4, height: 1), format: .rgba)
        try bitmap.withMutableBytes { $0.storeBytes(of: value, toByteOffset: 0, as: UInt8.self) }
        #expect(bitmap.byteCount == Self.frameByteCount)
        return ImageFrame(bitmap: bitmap, duration: .zero)
    }

    private func kept(_ share: FrameCacheShare, _ plan: CompositionPlan) -> [Int] {
        (0..<plan.count).filter { share.largestIndex(in: $0...$0) != nil }
    }

    @Test func theFrameNotAskedForTheLongestGoesFirst() throws {
        let (cache, plan) = (FrameCache(maxByteCount: 1 << 20), try plan(6))
        let share = FrameCacheShare(cache, maxByteCount: 3 * Self.frameByteCount)
        for index in 0..<3 { share.keep(try frame(UInt8(index)), at: index, of: plan) }
        #expect(kept(share, plan) == [0, 1, 2])
        #expect(share.frame(0, of: plan)?.bitmap == (try frame(0).bitmap))
        share.keep(try frame(3), at: 3, of: plan)
        #expect(kept(share, plan) == [0, 2, 3])
        share.keep(try frame(4), at: 4, of: plan)
        #expect(kept(share, plan) == [0, 3, 4])
        // Kept again, it is the newest.
        share.keep(try frame(9), at: 0, of: plan)
        share.keep(try frame(5), at: 5, of: plan)
        #expect(kept(share, plan) == [0, 4, 5])
        #expect(share.frame(0, of: plan)?.bitmap == (try frame(9).bitmap))
        // Frames go with their share, which an optimised build ends after its last use.
        withExtendedLifetime(share) { #expect(cache.byteCount == 3 * Self.frameByteCount) }
    }

    @Test func allAnimationsTogetherKeepNoMoreThanTheCache() throws {
        let (cache, plan) = (FrameCache(maxByteCount: 4 * Self.frameByteCount), try plan(4))
        let shares = [FrameCacheShare(cache, maxByteCount: .max), FrameCacheShare(cache, maxByteCount: .max)]
        for index in 0..<3 { shares[0].keep(try frame(0), at: index, of: plan) }
        shares[1].keep(try frame(1), at: 0, of: plan)
        // Asked for again: the oldest now is the first share's frame 1.
        _ = shares[0].frame(0, of: plan)
        shares[1].keep(try frame(1), at: 1, of: plan)
        #expect(kept(shares[0], plan) == [0, 2])
        #expect(kept(shares[1], plan) == [0, 1])
        for index in 0..<4 { shares[1].keep(try frame(1), at: index, of: plan) }
        #expect(kept(shares[0], plan) == [])
        #expect(kept(shares[1], plan) == [0, 1, 2, 3])
        withExtendedLifetime(shares) { #expect(cache.byteCount == 4 * Self.frameByteCount) }
    }

    @Test func framesGoWithTheirAnimation() throws {
        let (cache, plan) = (FrameCache(maxByteCount: 1 << 20), try plan(4))
        let stays = FrameCacheShare(cache, maxByteCount: .max)
        stays.keep(try frame(1), at: 2, of: plan)
        do {
            let goes = FrameCacheShare(cache, maxByteCount: .max)
            for index in 0..<4 { goes.keep(try frame(2), at: index, of: plan) }
            withExtendedLifetime(goes) { #expect(cache.byteCount == 5 * Self.frameByteCount) }
        }
        #expect(cache.byteCount == Self.frameByteCount)
        #expect(kept(stays, plan) == [2])
    }

    @Test func aFrameLargerThanTheBudgetIsNotKept() throws {
        let (cache, plan) = (FrameCache(maxByteCount: 1 << 20), try plan(2))
        let share = FrameCacheShare(cache, maxByteCount: Self.frameByteCount - 1)
        share.keep(try frame(1), at: 0, of: plan)
        let small = FrameCache(maxByteCount: Self.frameByteCount - 1)
        let other = FrameCacheShare(small, maxByteCount: .max)
        other.keep(try frame(1), at: 0, of: plan)
        #expect((cache.byteCount, small.byteCount) == (0, 0))
    }

    @Test func anotherFrameAtTheSamePlaceIsNotTakenForIt() throws {
        // Copies of a decoder share their frames up to where they part.
        let (cache, common) = (FrameCache(maxByteCount: 1 << 20), try plan(2))
        var (one, other) = (common, common)
        let info = FrameInfo(rect: PixelRect(common.canvasSize), duration: .zero)
        try one.append(one.planned(info), meter: nil)
        try other.append(other.planned(info), meter: nil)
        let share = FrameCacheShare(cache, maxByteCount: .max)
        share.keep(try frame(1), at: 1, of: one)
        share.keep(try frame(2), at: 2, of: one)
        #expect(share.frame(1, of: other) != nil)
        #expect(share.frame(2, of: other) == nil)
        #expect(share.frame(2, of: one) != nil)
    }

    @Test func theLargestIndexIsThatOfAKeptFrame() throws {
        let (cache, plan) = (FrameCache(maxByteCount: 1 << 20), try plan(40))
        let share = FrameCacheShare(cache, maxByteCount: .max)
        for index in [3, 17, 21] { share.keep(try frame(0), at: index, of: plan) }
        #expect(share.largestIndex(in: 0...39) == 21)
        #expect(share.largestIndex(in: 4...20) == 17)
        #expect(share.largestIndex(in: 18...20) == nil)
        #expect(share.largestIndex(in: 3...3) == 3)
    }
}
