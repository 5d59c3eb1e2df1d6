import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

@Suite struct LZWEncodingKernelTests {
    private typealias Encode = (
        inout LZWEncodingState, inout MutableSpan<UInt32>, RawSpan, Int, inout MutableRawSpan, inout Int
    ) -> LZWEncodingPause

    private struct Trace: Equatable {
        var output: [UInt8] = []
        var states: [LZWEncodingState] = []
        var pauses: [LZWEncodingPause] = []
    }

    /// Calls a kernel with ends and rooms of all sizes.
    private func trace(
        _ indices: [UInt8], _ minimumCodeSize: Int, _ source: DecisionSource, _ encode: Encode
    ) throws -> Trace {
        var (trace, source) = (Trace(), source)
        var state = LZWEncodingState(minimumCodeSize: minimumCodeSize)
        var table = try NumberBuffer<UInt32>(count: LZWEncodingKernelReference.slotCount, meter: nil)
        while state.position < indices.count {
            var output = try ScratchBuffer(byteCount: 4 + source.below(100), filledWith: 0xEE, meter: nil)
            let end = min(indices.count, state.position + 1 + source.below(400))
            var count = 0
            let pause = table.withMutableSpan { table in
                output.withMutableBytes { output in
                    indices.withRawSpan { indices in encode(&state, &table, indices, end, &output, &count) }
                }
            }
            trace.output += output.withBytes { $0.copiedBytes() }
            trace.states.append(state)
            trace.pauses.append(pause)
        }
        return trace
    }

    @Test(arguments: 2...8)
    func encodingEqualsTheReference(_ minimumCodeSize: Int) throws {
        for seed in 0..<20 as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            let spread = 1 + source.below(1 << minimumCodeSize)
            let indices = (0..<source.below(20_000)).map { _ in UInt8(source.below(spread) * source.below(2)) }
            let fast = try trace(indices, minimumCodeSize, source) {
                LZWEncodingKernel.encode(
                    &$0, table: &$1, indices: $2, end: $3, output: &$4, outputCount: &$5)
            }
            let plain = try trace(indices, minimumCodeSize, source) {
                LZWEncodingKernelReference.encode(
                    &$0, table: &$1, indices: $2, end: $3, output: &$4, outputCount: &$5)
            }
            #expect(fast == plain, "seed \(seed)")
        }
    }
}
