import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// The forward DCT in vectors against its plain twin, and both against the definition.
@Suite struct ForwardDCTKernelsTests {
    private static let stride = 104
    private static let count = 12

    /// Eight rows of twelve blocks: noise, flat, ramps, and nothing but 0 and 255 in patterns that reach every extreme.
    private func samples(_ seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        let noise = random.bytes(Self.stride * 8)
        return (0..<Self.stride * 8).map { place in
            let (x, y) = (place % Self.stride, place / Self.stride)
            let (u, v) = (Int(seed) % 8, Int(seed) / 8 % 8)
            return switch x / 8 % 6 {
            case 0: noise[place]
            case 1: noise[y * Self.stride] & 1 == 0 ? 0 : 255
            case 2: UInt8(truncatingIfNeeded: 3 * x + 9 * y)
            case 3: noise[place] & 1 == 0 ? 0 : 255
            case 4: ForwardDCTByTheBook.cosine(x % 8, u) * ForwardDCTByTheBook.cosine(y, v) < 0 ? 0 : 255
            default: seed & 1 == 0 ? 255 : 0
            }
        }
    }

    private func table(_ seed: UInt64) -> QuantizationTable {
        var random = SeededRandom(seed: seed)
        let largest = [1, 2, 16, 255][Int(seed % 4)]
        return QuantizationTable(values: (0..<64).map { _ in UInt16.random(in: 1...UInt16(largest), using: &random) })
    }

    private typealias Result = (coefficients: [Int16], masks: [UInt64])

    private func run(_ samples: [UInt8], _ table: QuantizationTable, _ slots: BlockSlots, isTwin: Bool) -> Result {
        let slotCount = slots.slot(Self.count - 1) + 1
        var coefficients = [Int16](repeating: 77, count: 64 * slotCount)
        var masks = [UInt64](repeating: 77, count: slotCount)
        samples.withRawSpan { samples in
            var values = coefficients.mutableSpan
            var bits = masks.mutableSpan
            let quantizer = ForwardQuantizer(table)
            if isTwin {
                ForwardDCTReference.transform(
                    samples, at: 8, stride: Self.stride, count: Self.count, quantizer: quantizer, slots: slots,
                    coefficients: &values, masks: &bits)
            } else {
                ForwardDCTKernels.transform(
                    samples, at: 8, stride: Self.stride, count: Self.count, quantizer: quantizer, slots: slots,
                    coefficients: &values, masks: &bits)
            }
        }
        return (coefficients, masks)
    }

    @Test(arguments: 0..<128 as Range<UInt64>)
    func kernelEqualsItsTwin(_ seed: UInt64) {
        let (samples, table) = (samples(seed), table(seed))
        for slots in [BlockSlots.consecutive, BlockSlots(first: 2, groupSize: 2, step: 6)] {
            let kernel = run(samples, table, slots, isTwin: false)
            let twin = run(samples, table, slots, isTwin: true)
            #expect(kernel.coefficients == twin.coefficients)
            #expect(kernel.masks == twin.masks)
        }
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func coefficientsAreThoseOfTheDefinition(_ seed: UInt64) {
        let samples = samples(seed)
        let block = samples.withRawSpan { ForwardDCTReference.transform($0, at: 0, stride: Self.stride) }
        let expected = ForwardDCTByTheBook.transform((0..<64).map { samples[$0 / 8 * Self.stride + $0 % 8] })
        for place in 0..<64 { #expect(abs(Double(block[place]) / 8 - expected[place]) < 0.5) }
    }

    @Test func masksAreInZigZagOrder() {
        let (samples, table) = (samples(4), table(3))
        let result = run(samples, table, .consecutive, isTwin: false)
        for block in 0..<Self.count {
            for position in 0..<64 {
                let value = result.coefficients[64 * block + Int(ZigZagOrder.natural[position])]
                #expect((value != 0) == (result.masks[block] >> UInt64(position) & 1 != 0))
            }
        }
    }

    @Test func divisionByMultiplicationIsExact() {
        for step in UInt16(1)...255 {
            let values = ForwardQuantizer(QuantizationTable(values: Array(repeating: step, count: 64))).values
            let (rounding, factor, scale) = (UInt32(values[0]), UInt32(values[64]), UInt32(values[128]))
            #expect(rounding == 4 * UInt32(step))
            let isExact = (0..<32768 as Range<UInt32>).allSatisfy {
                (($0 &* factor) >> 16 &* scale) >> 16 == $0 / (8 * UInt32(step))
            }
            #expect(isExact, "step \(step)")
        }
    }
}

/// T.81 §A.3.3 "FDCT and IDCT (informative)" as it is printed.
enum ForwardDCTByTheBook {
    /// cos((2x + 1) uπ / 16)
    static func cosine(_ x: Int, _ u: Int) -> Double {
        // Angles in sixteenths of π, brought into the first quarter.
        let table = [
            1, 0.9807852804032304, 0.9238795325112867, 0.8314696123025452, 0.7071067811865476, 0.5555702330196022,
            0.3826834323650898, 0.19509032201612828, 0,
        ]
        let angle = (2 * x + 1) * u % 32
        let mirrored = angle > 16 ? 32 - angle : angle
        return mirrored > 8 ? -table[16 - mirrored] : table[mirrored]
    }

    static func transform(_ samples: [UInt8]) -> [Double] {
        (0..<64).map { place in
            let (v, u) = (place / 8, place % 8)
            var sum = 0.0
            for y in 0..<8 {
                for x in 0..<8 { sum += (Double(samples[8 * y + x]) - 128) * cosine(x, u) * cosine(y, v) }
            }
            let half = 0.7071067811865476
            return sum / 4 * (u == 0 ? half : 1) * (v == 0 ? half : 1)
        }
    }
}
