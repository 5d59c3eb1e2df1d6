// A quality with which a file has no more bytes than are allowed, and not many fewer: coefficients are computed once, and divided by
// the tables of one quality after another.

import ImageCodecsCore
import JPEGBaselineCodec

/// Looks for the best quality of a file of limited size, or one that leaves no more than a two-hundredth of the bytes.
struct QualitySearch: Sendable {
    private let fine: CoefficientCollector
    private let decisions: EncodingDecisions
    private let segments: [UInt8]
    private let meter: MemoryMeter?
    /// The most bytes of the file.
    private let byteCount: Int

    /// Below this quality a smaller picture looks better, if there may be one.
    private static let lowestQualityBeforeScaling = 10
    /// A file that is at most this much shorter than allowed is good enough: a two-hundredth.
    private var sufficientByteCount: Int { byteCount - byteCount / 200 }
    /// Steps of quality from one number to the next. Tables of the standard have whole numbers; the next has some per cent more bytes.
    private var stepsPerNumber: Int { decisions.tables == .fitted ? 32 : 1 }

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

    /// Bytes held while coefficients are made, divided and coded. Saturates.
    static func byteCount(_ size: PixelSize, _ decisions: EncodingDecisions) -> Int {
        // With all chroma, if the picture is to decide.
        guard let geometry = decisions.geometry(size, decisions.subsampling ?? .yCbCr444) else { return .max }
        return CoefficientCollector.byteCount(geometry)
            .addingSaturated(CoefficientCollector.byteCount(geometry))
            // Two writers for a moment: the one that answered last, and the next.
            .addingSaturated(CoefficientFileWriter.memoryByteCount(geometry, decisions.process(quality: 100)))
            .addingSaturated(CoefficientFileWriter.memoryByteCount(geometry, decisions.process(quality: 100)))
    }

    /// A writer of the best file that fits, or of the smallest if none does.
    ///
    /// If no quality fits and the caller has not asked for a progressive file, a sequential one is tried: it has fewer headers.
    ///
    /// - Parameter mayScaleDown: whether a smaller picture is tried next, so that the worst qualities need not be.
    func run(mayScaleDown: Bool, work: inout WorkGuard) throws(ImageError) -> CoefficientFileWriter {
        var coarse: [QuantizedCoefficients] = []
        for component in fine.coefficients {
            coarse.append(
                try QuantizedCoefficients(
                    widthInBlocks: component.widthInBlocks, heightInBlocks: component.heightInBlocks, meter: meter))
        }
        let steps = stepsPerNumber
        let best = Int((decisions.quality * Double(steps)).rounded())
        let low = mayScaleDown ? min(Self.lowestQualityBeforeScaling * steps, best) : steps
        // The best file is often small enough; otherwise halve what is left between a quality that fits and one that does not.
        if try fitting(best, nil, &coarse, &work) != nil { return try writer(best, nil, &coarse, &work) }
        var process: CoefficientFileWriter.Process?
        var found = try fitting(low, nil, &coarse, &work)
        if found == nil {
            process = try smallestProcess(low, &coarse, &work)
            if process != nil { found = try fitting(low, process, &coarse, &work) }
        }
        guard var found else { return try writer(low, process, &coarse, &work) }
        var (step, high) = (low, best)
        while high - step > 1, found < sufficientByteCount {
            let middle = (step + high) / 2
            if let size = try fitting(middle, process, &coarse, &work) {
                (step, found) = (middle, size)
            } else {
                high = middle
            }
        }
        return try writer(step, process, &coarse, &work)
    }

    /// Sequential if the caller does not mind and that is smaller; `nil` for the process that the decisions name.
    private func smallestProcess(
        _ step: Int, _ coarse: inout [QuantizedCoefficients], _ work: inout WorkGuard
    ) throws(ImageError) -> CoefficientFileWriter.Process? {
        guard decisions.isProgressive, decisions.mayBeSequential else { return nil }
        let progressive = try size(step, nil, &coarse, &work)
        return try size(step, .sequential, &coarse, &work) < progressive ? .sequential : nil
    }

    private func size(
        _ step: Int, _ process: CoefficientFileWriter.Process?, _ coarse: inout [QuantizedCoefficients],
        _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var writer = try writer(step, process, &coarse, &work)
        return try writer.byteCount(work: &work)
    }

    /// Bytes of a file that has no more than are allowed; `nil` if it has more.
    private func fitting(
        _ step: Int, _ process: CoefficientFileWriter.Process?, _ coarse: inout [QuantizedCoefficients],
        _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        var writer = try writer(step, process, &coarse, &work)
        // Most answers need no more than the counts of symbols.
        guard try writer.byteCountBeforeStuffing(work: &work) <= byteCount else { return nil }
        let size = try writer.byteCount(work: &work)
        return size <= byteCount ? size : nil
    }

    private func writer(
        _ step: Int, _ process: CoefficientFileWriter.Process?, _ coarse: inout [QuantizedCoefficients],
        _ work: inout WorkGuard
    ) throws(ImageError) -> CoefficientFileWriter {
        let quality = Double(step) / Double(stepsPerNumber)
        let tables = ChosenQuantization(decisions, fine.frame, quality: quality)
        for (index, component) in fine.frame.geometry.components.enumerated() {
            let requantizer = tables.requantizer(slot: component.quantizationTable)
            try requantizer.divide(fine.coefficients[index], into: &coarse[index], work: &work)
        }
        let picture = CoefficientPicture(
            geometry: fine.frame.geometry, colorModel: fine.frame.colorModel, coefficients: coarse,
            quantizationTables: tables.tables)
        return try CoefficientFileWriter(
            picture, process: process ?? decisions.process(quality: quality), segments: segments,
            restartInterval: decisions.restartInterval > 0 ? decisions.restartInterval : nil, meter: meter, work: &work)
    }
}

/// The tables of one quality, and how coefficients of the finest step are divided by them.
private struct ChosenQuantization {
    let tables: [QuantizationTable]
    /// Where the dead zones end, of each table; `nil` rounds to nearest.
    private let widths: [DeadZone.Widths]?

    init(_ decisions: EncodingDecisions, _ frame: EncoderFrame, quality: Double) {
        guard decisions.tables == .fitted else {
            tables = StandardQuantization.tables(quality: Int(quality), count: frame.quantizationTables.count)
            widths = nil
            return
        }
        let isGray = frame.colorModel == .grayscale
        let isFull =
            frame.geometry.components[0].horizontalSampling * frame.geometry.components[0].verticalSampling == 1
        let fitted = FittedTables(
            scale: decisions.scale(quality: quality), chroma: isGray ? .none : isFull ? .full : .subsampled)
        tables = isGray ? [fitted.luma] : [fitted.luma, fitted.chroma]
        widths = isGray ? [DeadZone.gray] : [DeadZone.luma, DeadZone.chroma]
    }

    func requantizer(slot: Int) -> Requantizer {
        guard let widths else { return Requantizer(tables[slot]) }
        return Requantizer(tables[slot]) { place, step in widths[slot].threshold(place, step: step) }
    }
}

extension DeadZone.Widths {
    /// The smallest magnitude, at a place in natural order, that does not become zero.
    fileprivate func threshold(_ place: Int, step: Int) -> Int {
        guard place > 0 else { return 0 }
        let (u, v) = (Double(place % 8), Double(place / 8))
        return Int((Double(step) * (threshold + frequency * (u * u + v * v).squareRoot() / 7)).rounded(.up))
    }
}
