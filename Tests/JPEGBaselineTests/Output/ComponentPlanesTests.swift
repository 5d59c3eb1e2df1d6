// The samples of the components, as people who feed encoders and GPUs want them.

import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct ComponentPlanesTests {
    /// 20x12 pixels, 4:2:0, steps of 16: two MCUs of flat blocks.
    private let file: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 16, count: 64)
        + [0xFF, 0xC0, 0, 17, 8, 0, 12, 0, 20, 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]
        // DC: "0" is a difference of 0 bits, "10" one of 4 bits. AC: "0" ends the block.
        + [0xFF, 0xC4, 0, 21, 0x00, 1, 1] + Array(repeating: 0, count: 14) + [0, 4]
        + [0xFF, 0xC4, 0, 20, 0x10, 1] + Array(repeating: 0, count: 15) + [0]
        + [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0]
        // Luma: +15, end; three blocks like it. Cb: -15, end. Cr: 0, end. Then an MCU without differences.
        //   10 1111 0  00 00 00  10 0000 0  00 | 00 00 00 00  00  00, padded with ones
        + [0b1011_1100, 0b0000_0100, 0b0000_0000, 0b0000_0000, 0b0011_1111, 0xFF, 0xD9]

    @Test func planesHoldTheSamplesAsStored() throws {
        var decoder = JPEGBaselineDecoder(keepsPlanes: true)
        _ = try decoder.append(file.span)
        _ = try decoder.finish()
        let planes = decoder.componentPlanes
        #expect(planes.map(\.size.width) == [20, 10, 10])
        #expect(planes.map(\.size.height) == [12, 6, 6])
        // A DC coefficient of 15 * 16 lifts the mean by an eighth of it.
        for (plane, value) in zip(planes, [128 + 30, 128 - 30, 128] as [UInt8]) {
            for y in 0..<plane.height {
                #expect(plane.withRowBytes(y) { $0.copiedBytes() } == Array(repeating: value, count: plane.width))
            }
        }
    }

    @Test func planesAreKeptOnlyOnRequest() throws {
        var decoder = JPEGBaselineDecoder()
        _ = try decoder.append(file.span)
        _ = try decoder.finish()
        #expect(decoder.componentPlanes.isEmpty)
        #expect(try decoder.image()?.bitmap.size == PixelSize(width: 20, height: 12))
    }
}
