import GIFCodec
import ImageCodecsCore
import Testing

@Suite struct GraphicControlTests {
    private func control(_ packedFields: UInt8) -> GraphicControl? {
        let bytes: [UInt8] = [packedFields, 0x2C, 0x01, 7]
        return GraphicControl(bytes.span)
    }

    @Test func theDelayCountsHundredthsOfASecond() {
        #expect(control(0)?.delay == 300)
        #expect(control(0)?.duration == .seconds(3))
    }

    @Test func anIndexIsTransparentWhereTheFlagSaysSo() {
        #expect(control(0)?.transparentIndex == nil)
        #expect(control(1)?.transparentIndex == 7)
    }

    private static let disposals: [FrameInfo.Disposal] = [
        .keep, .keep, .clear, .restore, .restore, .keep, .keep, .keep,
    ]

    @Test(arguments: zip(UInt8(0)...7, Self.disposals))
    func undefinedMethodsKeepButTheFourthRestores(_ method: UInt8, _ disposal: FrameInfo.Disposal) {
        #expect(control(method << 2)?.disposal == disposal)
    }

    @Test func fewerThanFourBytesAreNoControl() {
        let bytes: [UInt8] = [0, 0, 0]
        let control = GraphicControl(bytes.span)
        #expect(control == nil)
    }
}
