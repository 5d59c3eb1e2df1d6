// The inverse DCTs against libjpeg-turbo's samples.
//
// The vectors come from a C program on libjpeg-turbo 2.1.5 (x86-64, AVX2 on): a 3200x8 gray file made with
// `jpeg_write_coefficients` from the random table and blocks described at `Vector`, read back with
// `scale_denom` 1, 2, 4 and 8; printed is the FNV-1a hash of the samples, block after block.

import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct InverseDCTVectorTests {
    /// 400 blocks from SplitMix64: 64 steps `1 + r % largestStep`, then for each block `values` times an index
    /// `r % 64` and its value `r % (2 * magnitude + 1) - magnitude`, each r being the next number shifted right by 33.
    struct Vector: Sendable, CustomStringConvertible {
        let seed: UInt64
        let scale: DCTScale
        let magnitude: Int
        let largestStep: Int
        let values: Int
        let hash: UInt64
        var description: String { "seed \(seed), \(scale), steps up to \(largestStep)" }
    }

    static let vectors = [
        Vector(seed: 1, scale: .full, magnitude: 60, largestStep: 16, values: 3, hash: 0xfdb9_0be4_e68c_82f3),
        Vector(seed: 1, scale: .half, magnitude: 60, largestStep: 16, values: 3, hash: 0x6d21_24fc_7998_63be),
        Vector(seed: 1, scale: .quarter, magnitude: 60, largestStep: 16, values: 3, hash: 0x9768_40c2_eb55_0ade),
        Vector(seed: 1, scale: .eighth, magnitude: 60, largestStep: 16, values: 3, hash: 0x50be_cdea_cb7a_35e7),
        Vector(seed: 2, scale: .full, magnitude: 60, largestStep: 16, values: 12, hash: 0xd492_cfb8_01a6_5f4c),
        Vector(seed: 2, scale: .half, magnitude: 60, largestStep: 16, values: 12, hash: 0xd6c8_2ad7_858e_f969),
        Vector(seed: 2, scale: .quarter, magnitude: 60, largestStep: 16, values: 12, hash: 0xc699_f3fb_2ca6_21cf),
        Vector(seed: 2, scale: .eighth, magnitude: 60, largestStep: 16, values: 12, hash: 0xa2cc_c7d5_1fda_38b7),
        Vector(seed: 3, scale: .full, magnitude: 200, largestStep: 40, values: 64, hash: 0xf7d2_4733_8d8d_0687),
        Vector(seed: 3, scale: .half, magnitude: 200, largestStep: 40, values: 64, hash: 0x3ebd_e00b_d5b1_3c07),
        Vector(seed: 3, scale: .quarter, magnitude: 200, largestStep: 40, values: 64, hash: 0x0ae2_e0e7_61ac_f794),
        Vector(seed: 3, scale: .eighth, magnitude: 200, largestStep: 40, values: 64, hash: 0xc456_6ad0_b472_9413),
        Vector(seed: 4, scale: .full, magnitude: 1000, largestStep: 1, values: 64, hash: 0x60f6_bd2f_9204_e550),
        Vector(seed: 4, scale: .half, magnitude: 1000, largestStep: 1, values: 64, hash: 0xc612_f850_67eb_1da8),
        Vector(seed: 4, scale: .quarter, magnitude: 1000, largestStep: 1, values: 64, hash: 0xc220_d941_aa08_c3fc),
        Vector(seed: 4, scale: .eighth, magnitude: 1000, largestStep: 1, values: 64, hash: 0x3f24_f95d_0b93_34e6),
        Vector(seed: 5, scale: .full, magnitude: 1000, largestStep: 255, values: 30, hash: 0x6ba7_2a0f_bde1_2d14),
        Vector(seed: 5, scale: .half, magnitude: 1000, largestStep: 255, values: 30, hash: 0x9521_a89f_f0a0_f57a),
        Vector(seed: 5, scale: .quarter, magnitude: 1000, largestStep: 255, values: 30, hash: 0x3f82_c458_840b_7508),
        Vector(seed: 5, scale: .eighth, magnitude: 1000, largestStep: 255, values: 30, hash: 0x0586_3f86_5e31_7156),
        Vector(seed: 6, scale: .full, magnitude: 1023, largestStep: 32767, values: 8, hash: 0x91a5_7227_8d99_847b),
        Vector(seed: 6, scale: .half, magnitude: 1023, largestStep: 32767, values: 8, hash: 0x64b8_371c_4e57_b745),
        Vector(seed: 6, scale: .quarter, magnitude: 1023, largestStep: 32767, values: 8, hash: 0xb6ea_2bc8_2a6e_0c8d),
        Vector(seed: 6, scale: .eighth, magnitude: 1023, largestStep: 32767, values: 8, hash: 0x2cef_6caa_d015_7287),
        Vector(seed: 7, scale: .full, magnitude: 1023, largestStep: 4000, values: 64, hash: 0xfa1c_5592_6815_d4a3),
        Vector(seed: 7, scale: .half, magnitude: 1023, largestStep: 4000, values: 64, hash: 0xf7be_8e33_a917_ea31),
        Vector(seed: 7, scale: .quarter, magnitude: 1023, largestStep: 4000, values: 64, hash: 0xc316_4e68_438b_4224),
        Vector(seed: 7, scale: .eighth, magnitude: 1023, largestStep: 4000, values: 64, hash: 0x0793_0e37_7b01_9996),
    ]

    @Test(arguments: vectors)
    func samplesEqualLibjpegTurbo(vector: Vector) {
        var random = SeededRandom(seed: vector.seed)
        func next(below bound: Int) -> Int { Int((random.next() >> 33) % UInt64(bound)) }
        let table = DequantizationTable(naturalOrder: (0..<64).map { _ in UInt16(1 + next(below: vector.largestStep)) })
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for _ in 0..<400 {
            var coefficients = [Int16](repeating: 0, count: 64)
            for _ in 0..<vector.values {
                let index = next(below: 64)
                coefficients[index] = Int16(next(below: 2 * vector.magnitude + 1) - vector.magnitude)
            }
            for sample in InverseDCTReference.samples(coefficients, table, size: vector.scale.rawValue) {
                hash = (hash ^ UInt64(sample)) &* 0x100_0000_01b3
            }
        }
        #expect(hash == vector.hash)
    }
}
