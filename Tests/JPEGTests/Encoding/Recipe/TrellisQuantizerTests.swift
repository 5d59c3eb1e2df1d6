import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct TrellisQuantizerTests {
    private static let table = QuantizationTable(values: [UInt16](repeating: 10, count: 64))

    /// Levels of a block of coefficients with 4 fractional bits.
    private func levels(_ coefficients: [Int16], lambda: Float) throws -> [Int16] {
        var work = WorkGuard.unlimited
        var blocks = try QuantizedCoefficients(widthInBlocks: 1, heightInBlocks: 1, meter: nil)
        var trellis = TrellisQuantizer(Self.table, lambda: lambda, prior: StandardTables.ac[0])
        return try blocks.values.withMutableBytes { (bytes) throws(ImageError) in
            for (place, value) in coefficients.enumerated() {
                bytes.storeBytes(of: value, toByteOffset: 2 * place, as: Int16.self)
            }
            try trellis.quantize(&bytes, at: 0, count: 1, work: &work)
            return (0..<64).map { Int16(bitPattern: bytes.bytes.nativeUInt16(at: 2 * $0)) }
        }
    }

    private func block(_ seed: UInt64) -> [Int16] {
        var random = SeededRandom(seed: seed)
        // Odd, so that none lies in the middle between two levels.
        return (0..<64).map { Int16(truncatingIfNeeded: (Int(random.next() % 4001) - 2000) / ($0 + 1) | 1) }
    }

    private func bitCount(_ value: Int) -> Int { Int.bitWidth - value.leadingZeroBitCount }

    /// `D + lambda R` with the lengths of the standard's codes.
    private func cost(_ levels: [Int16], _ coefficients: [Int16], lambda: Double) -> Double {
        var lengths = [Double](repeating: 17, count: 256)
        var position = 0
        for (index, count) in StandardTables.ac[0].counts.enumerated() {
            for _ in 0..<Int(count) {
                lengths[Int(StandardTables.ac[0].symbols[position])] = Double(index + 1)
                position += 1
            }
        }
        var (bits, run, error) = (0.0, 0, 0.0)
        for index in 1..<64 {
            let difference = Double(coefficients[index]) / 160 - Double(levels[index])
            error += difference * difference
            guard levels[index] != 0 else {
                run += 1
                continue
            }
            let size = bitCount(Int(levels[index].magnitude))
            bits += Double(run / 16) * lengths[0xF0] + lengths[(run % 16) << 4 | size] + Double(size)
            run = 0
        }
        if run > 0 { bits += lengths[0] }
        return error + lambda * bits
    }

    @Test func bitsOfNoWorthGiveRounding() throws {
        for seed in 0..<20 {
            let coefficients = block(UInt64(seed))
            let rounded = coefficients.map { value in
                let level = Int16((Int(value.magnitude) + 80) / 160)
                return value < 0 ? -level : level
            }
            #expect(try levels(coefficients, lambda: 0) == rounded)
        }
    }

    @Test(arguments: [0.05, 0.2, 1]) func costIsBelowThatOfRoundingAndOfZeros(lambda: Double) throws {
        for seed in 0..<20 {
            let coefficients = block(UInt64(100 + seed))
            let result = try levels(coefficients, lambda: Float(lambda))
            let rounded = try levels(coefficients, lambda: 0)
            let zeros = [rounded[0]] + [Int16](repeating: 0, count: 63)
            // Costs within the trellis are close to the standard's lengths, not equal.
            #expect(cost(result, coefficients, lambda: lambda) <= 1.05 * cost(rounded, coefficients, lambda: lambda))
            #expect(cost(result, coefficients, lambda: lambda) <= 1.05 * cost(zeros, coefficients, lambda: lambda))
            #expect(result[0] == rounded[0])
        }
    }

    @Test func bitsOfGreatWorthGiveZeros() throws {
        let result = try levels(block(7), lambda: 1e6)
        #expect(result.dropFirst().allSatisfy { $0 == 0 })
    }
}
