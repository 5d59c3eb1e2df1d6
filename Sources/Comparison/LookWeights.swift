// From sums of differences to a score.
//
// Source: SSIMULACRA 2, version 2.1 (Jon Sneyers, 2023): its weights and its curve.

import ImageCodecsCore

/// What each kind of difference counts.
struct LookWeights: Sendable {
    /// The most scales.
    static let scaleCount = 6

    /// Six for each channel at each scale: of means of structure, edges that came, edges that are gone; then of their fourth powers' means.
    private let weights: [SIMD3<Double>]
    private let scaleCount: Int

    /// - Parameter scaleCount: how many scales there are; of fewer than six the first weights of the list are taken, as the metric has it.
    init(scaleCount: Int) {
        self.scaleCount = scaleCount
        weights = stride(from: 0, to: 18 * scaleCount, by: 3).map {
            SIMD3(Self.all[$0], Self.all[$0 + 1], Self.all[$0 + 2])
        }
    }

    /// What is needed of a channel at a scale.
    func needs(_ channel: Int, _ scale: Int) -> LookNeeds {
        let (plain, fourth) = pair(channel, scale)
        if plain.x != 0 || fourth.x != 0 { return .all }
        return plain == SIMD3() && fourth == SIMD3() ? .nothing : .edges
    }

    /// The share of a channel at a scale in the sum that a score is made of.
    func share(_ sums: LookSums, count: Int, _ channel: Int, _ scale: Int) -> Double {
        let (plain, fourth) = pair(channel, scale)
        let norms = (sums.fourth / Double(count)).squareRoot().squareRoot()
        let shares = plain * (sums.plain / Double(count)) + fourth * norms
        return shares.x + shares.y + shares.z
    }

    private func pair(_ channel: Int, _ scale: Int) -> (plain: SIMD3<Double>, fourth: SIMD3<Double>) {
        let first = 2 * (channel * scaleCount + scale)
        return (weights[first], weights[first + 1])
    }

    /// The score of a sum of all shares: 100 for none, less and less for more.
    static func score(_ sum: Double) -> Double {
        let x = sum * 0.956_238_261_683_484_4
        let bent = x * (2.326_765_642_916_932 + x * (-0.020_884_521_182_843_837 + x * 6.248_496_625_763_138e-05))
        return bent > 0 ? 100 - 10 * ReproduciblePowers.power(bent, 0.627_633_646_783_138_7) : 100
    }

    private static let all: [Double] = [
        // Red-green.
        0, 0.000_737_660_670_740_658_6, 0,
        0, 0.000_779_348_168_286_730_9, 0,
        0, 0.000_437_115_573_010_737_9, 0,
        1.104_172_642_665_734_6, 0.000_662_848_341_292_71, 0.000_152_316_327_837_187_52,
        0, 0.001_640_643_745_659_975_4, 0,
        1.842_245_552_053_929_8, 11.441_172_603_757_666, 0,
        0.000_798_910_943_601_516_3, 0.000_176_816_438_078_653, 0,
        1.878_759_497_954_638_7, 10.949_069_906_051_42, 0,
        0.000_728_934_699_150_807_2, 0.967_793_708_062_683_3, 0,
        0.000_140_034_242_854_358_84, 0.998_176_697_785_496_7, 0.000_319_497_559_344_350_53,
        0.000_455_099_211_379_206_3, 0, 0,
        0.001_364_876_616_324_339_8, 0, 0,
        // Lightness.
        0, 0, 0,
        7.466_890_328_078_848, 0, 17.445_833_984_131_262,
        0.000_623_560_163_404_146_6, 0, 0,
        6.683_678_146_179_332, 0.000_377_244_079_796_112_96, 1.027_889_937_768_264,
        225.205_153_008_492_74, 0, 0,
        19.213_238_186_143_016, 0.001_140_152_458_661_836_1, 0.001_237_755_635_509_985,
        176.393_175_984_506_94, 0, 0,
        24.433_009_998_704_76, 0.285_208_026_121_177_57, 0.000_448_543_692_383_340_8,
        0, 0, 0,
        34.779_063_444_837_72, 44.835_625_328_877_896, 0,
        0, 0, 0,
        0, 0, 0,
        // Blue-yellow.
        0, 0.000_868_055_657_329_169_8, 0,
        0, 0, 0,
        0, 0.000_531_319_187_435_874_7, 0,
        0.000_165_338_141_613_791_12, 0, 0,
        0, 0, 0,
        0.000_417_917_180_325_133_6, 0.001_729_082_823_472_283_3, 0,
        0.002_082_700_584_663_643_7, 0, 0,
        8.826_982_764_996_862, 23.192_433_439_989_26, 0,
        95.108_049_881_108_6, 0.986_397_803_440_068_2, 0.983_438_279_246_535_3,
        0.001_228_640_504_827_849_3, 171.266_725_589_730_7, 0.980_785_887_243_537_9,
        0, 0, 0,
        0.000_513_006_458_899_067_9, 0, 0.000_108_540_578_584_115_37,
    ]
}

/// What has to be measured of a channel at a scale, as other weights are zero.
enum LookNeeds: Sendable {
    case nothing
    /// Edges only.
    case edges
    case all
}
