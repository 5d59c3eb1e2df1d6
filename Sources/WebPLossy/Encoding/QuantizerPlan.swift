// From a quality to quantisers, what a bit is worth, and how strongly is filtered.

import ImageCodecsCore

/// How the macroblocks of a segment are quantised and compared.
struct SegmentPlan: Sendable {
    /// Quantiser index, 0...127.
    let index: Int
    let luma: BlockQuantizer
    let y2: BlockQuantizer
    let chroma: BlockQuantizer
    /// What a bit is worth in squared errors, times 256.
    let bitWorth: Int
    /// Level of the loop filter.
    let filterLevel: Int

    /// Differences to the index: finer where errors show most.
    static let lumaDCDelta = -12
    static let chromaDCDelta = -10

    /// - Parameter activity: the mean of the picture's; see ``ActivitySegments``.
    init(index: Int, activity: Int = 0, _ tuning: Tuning = .usual) {
        func factor(_ table: [UInt16], _ delta: Int, limit: Int = 127) -> Int {
            Int(table[min(max(index + delta, 0), limit)])
        }
        self.index = index
        let ac = factor(QuantizerTables.ac, 0)
        luma = BlockQuantizer(
            dc: factor(QuantizerTables.dc, tuning.lumaDCDelta), ac: ac, dcRounding: tuning.lumaDCRounding,
            acRounding: tuning.lumaACRounding)
        y2 = BlockQuantizer(
            dc: 2 * factor(QuantizerTables.dc, 0), ac: max(8, ac * 155 / 100), dcRounding: 96, acRounding: 108)
        chroma = BlockQuantizer(
            dc: factor(QuantizerTables.dc, tuning.chromaDCDelta, limit: 117), ac: ac, dcRounding: 110,
            acRounding: 115)
        bitWorth = max(1, tuning.bitWorth * ac * ac / 64)
        let decline = ReproduciblePowers.exp2(-Double(activity * tuning.filterDecline) / 65536)
        filterLevel = min(63, Int(Double(ac * tuning.filterStrength) * decline / 256))
    }
}

/// Numbers that were fitted to pictures.
package struct Tuning: Hashable, Sendable {
    package var lumaDCDelta = SegmentPlan.lumaDCDelta
    package var chromaDCDelta = SegmentPlan.chromaDCDelta
    /// In 256ths of a step.
    package var lumaDCRounding = 128
    package var lumaACRounding = 84
    /// A bit is worth this many 64ths of the squared step, divided by 256.
    package var bitWorth = 128
    /// Filter level of a flat picture, in 256ths of the step.
    package var filterStrength = 56
    /// How much it declines with the mean activity, in 256ths of an octave for each octave.
    package var filterDecline = 100
    package var sharpness = 4
    /// How much the step grows with activity, in 256ths of an octave for each octave.
    package var masking = 51
    /// Weights of trellis: how much less errors of high frequencies count.
    package var trellisSlope = 20
    /// What a bit is worth to it, in hundredths of what it is worth elsewhere.
    package var trellisWorth = 90
    package var chromaTrellisWorth = 60
    package var subblockFilterDelta = 0
    /// How large an error may be that stays as it is shown already: in 16ths of what coding leaves, and of the squared step.
    package var shownErrorShare = 32
    package var shownErrorFloor = 8

    static let usual = Tuning()
}

/// The quantiser index of a quality.
enum QualityIndex {
    /// The step, as a share of the coarsest, that libwebp takes at the same number.
    ///
    /// - Parameter quality: 0...100.
    static func index(_ quality: Double) -> Double {
        let linear = quality < 75 ? quality / 150 : quality / 50 - 1
        return 127 * (1 - ReproduciblePowers.power(linear, 1.0 / 3))
    }
}
