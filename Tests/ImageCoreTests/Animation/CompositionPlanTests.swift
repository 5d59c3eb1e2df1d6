import CodecTestSupport
import ImageCodecsCore
import Testing

/// Which frames a frame needs, from descriptions alone.
@Suite struct CompositionPlanTests {
    private static let size = PixelSize(width: 8, height: 6)
    private static let part = PixelRect(x: 1, y: 1, width: 4, height: 3)

    private func plan(_ infos: [FrameInfo]) throws -> CompositionPlan {
        var plan = CompositionPlan(canvasSize: Self.size)
        for info in infos { try plan.append(plan.planned(info), meter: nil) }
        return plan
    }

    private func frame(
        _ rect: PixelRect = part, _ disposal: FrameInfo.Disposal = .keep, _ blending: FrameInfo.Blending = .over,
        isOpaque: Bool = false
    ) -> FrameInfo {
        FrameInfo(rect: rect, duration: .zero, disposal: disposal, blending: blending, isOpaque: isOpaque)
    }

    private func starts(_ infos: [FrameInfo]) throws -> [Int] {
        let plan = try plan(infos)
        return (0..<plan.count).map { plan[$0].info.composedFromIndex }
    }

    @Test func framesThatStayAreNeededByAllBehind() throws {
        #expect(try starts([frame(), frame(), frame()]) == [0, 0, 0])
    }

    @Test func aFrameThatReplacesTheCanvasNeedsNoOther() throws {
        let whole = PixelRect(Self.size)
        #expect(try starts([frame(), frame(whole, .keep, .replace), frame()]) == [0, 1, 1])
        #expect(try starts([frame(), frame(whole, isOpaque: true), frame()]) == [0, 1, 1])
        // Larger than the canvas covers it too; transparent pixels show what is below.
        #expect(try starts([frame(), frame(PixelRect(x: -1, y: -1, width: 10, height: 8), isOpaque: true)]) == [0, 1])
        #expect(try starts([frame(), frame(whole), frame()]) == [0, 0, 0])
    }

    @Test func aClearedCanvasIsWhereANewChainBegins() throws {
        #expect(try starts([frame(), frame(PixelRect(Self.size), .clear), frame(), frame()]) == [0, 0, 2, 2])
        #expect(try starts([frame(Self.part, .clear), frame()]) == [0, 1])
        #expect(try starts([frame(Self.part, .keep), frame(Self.part, .clear), frame()]) == [0, 0, 0])
    }

    @Test func framesTakenBackLeaveNoTrace() throws {
        #expect(try starts([frame(Self.part, .restore), frame(Self.part, .restore), frame()]) == [0, 1, 2])
        #expect(try starts([frame(), frame(PixelRect(Self.size), .restore, .replace), frame()]) == [0, 1, 0])
    }

    @Test func savedPixelsAreNeededOnlyWhereAFrameIsTakenBack() throws {
        #expect(try plan([frame(), frame(Self.part, .clear)]).needsSavedPixels == false)
        #expect(try plan([frame(), frame(Self.part, .restore)]).needsSavedPixels)
    }

    @Test func theVisiblePartIsInsideTheCanvas() throws {
        let rects = [
            PixelRect(x: -2, y: 3, width: 5, height: 9), PixelRect(x: 8, y: 0, width: 2, height: 2),
            PixelRect(x: Int(UInt32.max), y: 0, width: Int(UInt32.max), height: 1),
            PixelRect(x: 7, y: 5, width: Int(UInt32.max), height: Int(UInt32.max)),
        ]
        let plan = try plan(rects.map { frame($0) })
        #expect(plan[0].visible == PixelRect(x: 0, y: 3, width: 3, height: 3))
        #expect(plan[1].visible.isEmpty)
        #expect(plan[2].visible.isEmpty)
        #expect(plan[3].visible == PixelRect(x: 7, y: 5, width: 1, height: 1))
    }

    @Test func composingFromTheStatedFrameGivesTheSameAsFromTheFirst() throws {
        for seed in 0..<60 as Range<UInt64> {
            let frames = try RandomFrames(seed: seed, count: 12)
            let expected = try frames.plainFrames(isStraight: true)
            for index in 0..<12 {
                var canvas = PlainCanvas(size: frames.plan.canvasSize, isStraight: true)
                for step in frames.plan[index].info.composedFromIndex...index {
                    canvas.show(frames.plan[step].info, frames.pixels[step])
                }
                #expect(canvas.pixels == expected[index], "seed \(seed), frame \(index)")
            }
        }
    }

    @Test func thePlanOfManyFramesTakesNoMoreThanItSays() throws {
        let meter = MemoryMeter()
        var plan = CompositionPlan(canvasSize: Self.size)
        for count in 1...300 {
            try plan.append(plan.planned(frame()), meter: meter)
            #expect(meter.peak <= CompositionPlan.byteCount(count))
        }
    }
}
