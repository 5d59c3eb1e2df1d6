// Colour conversion over every combination of chroma samples.

import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct YCbCrConversionTests {
    @Test func theRowKernelEqualsTheFormula() throws {
        let width = 32
        var luma = try ScratchBuffer(byteCount: width, meter: nil)
        for x in 0..<width { luma.fill(x..<x + 1, with: UInt8(x * 8 + 7)) }
        var row = try ScratchBuffer(byteCount: 3 * width, meter: nil)
        for cb in 0..<256 {
            for cr in 0..<256 {
                let b = try ScratchBuffer(byteCount: width, filledWith: UInt8(cb), meter: nil)
                let r = try ScratchBuffer(byteCount: width, filledWith: UInt8(cr), meter: nil)
                b.withBytes { b in
                    r.withBytes { r in
                        row.withMutableBytes { row in
                            luma.withBytes { luma in
                                ColorKernels.convertYCbCr(
                                    luma: luma, cb: b, cr: r, width: width, order: .rgb, into: &row)
                            }
                        }
                    }
                }
                let rgb = row.withBytes { $0.copiedBytes() }
                var isEqual = true
                for x in 0..<width {
                    let c = YCbCrConversion.rgb(y: UInt8(x * 8 + 7), cb: UInt8(cb), cr: UInt8(cr))
                    isEqual = isEqual && rgb[3 * x] == c.red && rgb[3 * x + 1] == c.green && rgb[3 * x + 2] == c.blue
                }
                #expect(isEqual, "cb \(cb) cr \(cr)")
            }
        }
    }

    /// Corners and centre by T.871 §7, rounded.
    @Test func knownColorsComeOut() {
        #expect(YCbCrConversion.rgb(y: 76, cb: 85, cr: 255) == (254, 0, 0))
        #expect(YCbCrConversion.rgb(y: 128, cb: 128, cr: 128) == (128, 128, 128))
        #expect(YCbCrConversion.rgb(y: 0, cb: 0, cr: 0) == (0, 135, 0))
        #expect(YCbCrConversion.rgb(y: 255, cb: 255, cr: 255) == (255, 121, 255))
    }
}
