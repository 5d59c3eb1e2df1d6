import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// What a run of pixels leaves behind; that they are the right ones is seen in whole pictures.
@Suite struct PixelKernelTests {
    @Test func pixelsGoIntoTheColorCacheAtOnce() throws {
        let shape = PixelShape(width: 1024, pixelCount: 1 << 18, cacheBits: 3)
        // One group, whose pixels take no bits.
        let color: UInt32 = 0xFF12_3456
        var records = [UInt32](repeating: 0, count: PrefixGroupRecord.stride)
        records[PrefixGroupRecord.kind] = PrefixGroupRecord.kindConstant
        records[PrefixGroupRecord.literal] = color
        var pixels = try ScratchBuffer(byteCount: 4 * (shape.pixelCount + PixelKernel.margin), meter: nil)
        var workspace = [UInt32](repeating: 0, count: PixelKernel.workspaceCount)
        var (state, bitPosition) = (PixelState(), 0)
        for stop in stride(from: 1 << 14, through: shape.pixelCount, by: 1 << 14) {
            pixels.withMutableBytes { pixels in
                var space = workspace.mutableSpan
                [UInt8(0)].withRawSpan { bytes in
                    _ = PixelKernel.decode(
                        &state, shape, pixels: &pixels, workspace: &space, records: records.span, arena: bytes,
                        blocks: Span(), input: bytes, bitPosition: &bitPosition, stop: stop)
                }
            }
            #expect(state.position == stop)
            #expect(workspace.count { $0 == color } == 1)
        }
    }
}
