// The best quality with which a file has no more bytes than are allowed: coefficients are computed once, and divided by the
// tables of one quality after another.

import ImageCodecsCore
import JPEGBaselineCodec

/// Looks for the best quality of a file of limited size.
struct QualitySearch: Sendable {
    private let fine: CoefficientCollector
    private let decisions: EncodingDecisions
    private let segments: [UInt8]
    private let meter: MemoryMeter?
    /// The most bytes of the file.
    private let byteCount: Int

    /// Below this quality a smaller picture looks better, if there may be one.
    private static let lowestQualityBeforeScaling = 10

    init(
        _ fine: CoefficientCollector, _ decisions: EncodingDecisions, segments: [UInt8], atMost byteCount: Int,
        meter: MemoryMeter?
    ) {
        self.fine = fine
        self.decisions = decisions
        self.segments = segments
        self.byteCount = byteCount
        self.meter = meter
    }

    /// The frame with steps of 1, whose coefficients are kept.
    static func fineFrame(_ size: PixelSize, _ decisions: EncodingDecisions) -> EncoderFrame? {
        let ones = QuantizationTable(values: Array(repeating: 1, count: 64))
        return EncoderFrame(
            size: size, colorModel: decisions.colorModel, subsampling: decisions.subsampling ?? .yCbCr420,
            quantizationTables: Array(repeating: ones, count: EncoderFrame.tableCount(decisions.colorModel)))
    }

    /// Bytes held while coefficients are made, divided and coded. Saturates.
    static func byteCount(_ size: PixelSize, _ decisions: EncodingDecisions) -> Int {
        guard let geometry = fineFrame(size, decisions)?.geometry else { return .max }
        return CoefficientCollector.byteCount(geometry)
            .addingSaturated(CoefficientCollector.byteCount(geometry))
            // Two writers for a moment: the one that answered last, and the next.
            .addingSaturated(CoefficientFileWriter.memoryByteCount(geometry, decisions.process(quality: 100)))
            .addingSaturated(CoefficientFileWriter.memoryByteCount(geometry, decisions.process(quality: 100)))
    }

    /// A writer of the best file that fits, or of the smallest if none does.
    ///
    /// - Parameter mayScaleDown: whether a smaller picture is tried next, so that the worst qualities need not be.
    func run(mayScaleDown: Bool, work: inout WorkGuard) throws(ImageError) -> CoefficientFileWriter {
        var coarse: [QuantizedCoefficients] = []
        for component in fine.coefficients {
            coarse.append(
                try QuantizedCoefficients(
                    widthInBlocks: component.widthInBlocks, heightInBlocks: component.heightInBlocks, meter: meter))
        }
        let best = decisions.wholeQuality
        var low = mayScaleDown ? min(Self.lowestQualityBeforeScaling, best) : 1
        // The best file is often small enough; otherwise halve what is left between a quality that fits and one that does not.
        if try fits(best, &coarse, &work) { return try writer(best, &coarse, &work) }
        var high = best
        guard try fits(low, &coarse, &work) else { return try writer(low, &coarse, &work) }
        while high - low > 1 {
            let middle = (low + high) / 2
            if try fits(middle, &coarse, &work) { low = middle } else { high = middle }
        }
        return try writer(low, &coarse, &work)
    }

    private func fits(
        _ quality: Int, _ coarse: inout [QuantizedCoefficients], _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        var writer = try writer(quality, &coarse, &work)
        // Most answers need no more than the counts of symbols.
        guard try writer.byteCountBeforeStuffing(work: &work) <= byteCount else { return false }
        return try writer.byteCount(work: &work) <= byteCount
    }

    private func writer(
        _ quality: Int, _ coarse: inout [QuantizedCoefficients], _ work: inout WorkGuard
    ) throws(ImageError) -> CoefficientFileWriter {
        let tables = decisions.quantization(quality: quality)
        for (index, component) in fine.frame.geometry.components.enumerated() {
            let requantizer = tables.requantizer(slot: component.quantizationTable)
            try requantizer.divide(fine.coefficients[index], into: &coarse[index], work: &work)
        }
        let picture = CoefficientPicture(
            geometry: fine.frame.geometry, colorModel: fine.frame.colorModel, coefficients: coarse,
            quantizationTables: tables.tables)
        return try CoefficientFileWriter(
            picture, process: decisions.process(quality: Double(quality)), segments: segments,
            restartInterval: decisions.restartInterval > 0 ? decisions.restartInterval : nil, meter: meter, work: &work)
    }
}

/// The tables of one quality, and how coefficients are divided by them.
struct ChosenQuantization: Sendable {
    let tables: [QuantizationTable]
    /// Thresholds of each table; `nil` rounds to nearest.
    let thresholds: [[Int]]?

    func requantizer(slot: Int) -> Requantizer {
        guard let thresholds else { return Requantizer(tables[slot]) }
        return Requantizer(tables[slot]) { place, _ in thresholds[slot][place] }
    }
}
