import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Kernels from pixels to samples against their plain twins.
@Suite struct SampleKernelsTests {
    private static let room = 320

    @Test(arguments: [PixelOrder.bgrx, .rgbx, .rgb], [1, 2, 15, 16, 17, 31, 33, 48, 250])
    func colorConversionEqualsItsTwin(_ order: PixelOrder, _ width: Int) {
        var random = SeededRandom(seed: UInt64(width))
        for kind in 0..<3 {
            let noise = random.bytes(width * order.bytesPerPixel)
            let row = kind == 0 ? noise : noise.map { kind == 1 ? $0 & 1 &* 255 : 255 }
            let places = SIMD3(0, Self.room, 2 * Self.room)
            var kernel = [UInt8](repeating: 0, count: 3 * Self.room)
            var twin = kernel
            row.withRawSpan { row in
                kernel.withMutableBytes {
                    PixelSeparationKernels.convertToYCbCr(row, width: width, order: order, into: &$0, at: places)
                }
                twin.withMutableBytes {
                    PixelSeparationKernelsReference.convertToYCbCr(
                        row, width: width, order: order, into: &$0, at: places)
                }
            }
            for component in 0..<3 {
                let range = places[component]..<places[component] + width
                #expect(kernel[range] == twin[range])
            }
        }
    }

    @Test func everyColorStaysInRangeAndNearTheFormula() {
        for red in stride(from: 0, through: 255, by: 5) {
            for green in stride(from: 0, through: 255, by: 5) {
                for blue in stride(from: 0, through: 255, by: 5) {
                    // A component out of range would trap.
                    let color = RGBConversion.yCbCr(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
                    let y = 0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)
                    #expect(abs(Double(color.y) - y) < 0.51)
                    #expect(abs(Double(color.cb) - (Double(blue) - y) / 1.772 - 128) < 0.51)
                    #expect(abs(Double(color.cr) - (Double(red) - y) / 1.402 - 128) < 0.51)
                }
            }
        }
    }

    @Test(arguments: [1, 15, 16, 17, 80])
    func inksAreSeparated(_ width: Int) {
        var random = SeededRandom(seed: UInt64(width))
        let row = random.bytes(4 * width)
        let places = SIMD4(0, Self.room, 2 * Self.room, 3 * Self.room)
        var kernel = [UInt8](repeating: 0, count: 4 * Self.room)
        row.withRawSpan { row in
            kernel.withMutableBytes {
                PixelSeparationKernels.separateInks(row, width: width, into: &$0, at: places)
            }
        }
        for x in 0..<width {
            for ink in 0..<4 { #expect(kernel[places[ink] + x] == row[4 * x + ink]) }
        }
    }

    @Test(arguments: [(2, 1), (2, 2), (1, 2), (4, 1)], [8, 16, 24, 64, 72])
    func downsamplingEqualsItsTwin(_ box: (horizontal: Int, vertical: Int), _ count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let rows = SIMD2(0, Self.room)
        var kernel = random.bytes(3 * Self.room)
        for place in 0..<40 { kernel[place] = 255 }
        for place in 0..<20 { kernel[Self.room + place] = 255 }
        var twin = kernel
        kernel.withMutableBytes {
            DownsamplingKernels.downsample(
                rows, horizontal: box.horizontal, vertical: box.vertical, count: count, in: &$0, into: 2 * Self.room)
        }
        twin.withMutableBytes {
            DownsamplingKernelsReference.downsample(
                rows, horizontal: box.horizontal, vertical: box.vertical, count: count, in: &$0, into: 2 * Self.room)
        }
        let result = 2 * Self.room..<2 * Self.room + count
        #expect(kernel[result] == twin[result])
    }

    @Test func halvesAreRoundedDownAndUpInTurn() {
        // Pairs of 4 and 5: a mean of 4.5 in every column.
        var samples = (0..<96).map { UInt8(4 + $0 % 2) }
        samples.withMutableBytes {
            DownsamplingKernels.downsample(
                SIMD2(0, 32), horizontal: 2, vertical: 1, count: 8, in: &$0, into: 64)
        }
        #expect(samples[64..<72] == [4, 5, 4, 5, 4, 5, 4, 5])
    }
}
