// Rows in, the coefficients of a picture out, by the tables that were chosen.

import ImageCodecsCore
import JPEGBaselineCodec

/// What makes coefficients that are kept.
struct CoefficientSource: Sendable {
    private enum Maker: Sendable {
        case standard(CoefficientCollector)
        case fitted(RecipeEncoder)
        /// Handed over, or a call has failed.
        case ended
    }

    private var maker: Maker

    init(
        _ size: PixelSize, _ decisions: EncodingDecisions, _ subsampling: JPEGSubsampling, meter: MemoryMeter?
    ) throws(ImageError) {
        switch decisions.tables {
        case .standard:
            let frame = try decisions.standardFrame(size)
            maker = .standard(try CoefficientCollector(frame, format: decisions.rowFormat, meter: meter))
        case .fitted:
            maker = .fitted(
                try RecipeEncoder(
                    size: size, layout: decisions.colorLayout, scale: decisions.scale(quality: decisions.quality),
                    subsampling: subsampling, steps: decisions.recipeSteps, meter: meter))
        }
    }

    /// Bytes held while coefficients are made and coded. Saturates.
    static func byteCount(_ size: PixelSize, _ decisions: EncodingDecisions) -> Int {
        // Whatever a picture will ask for.
        let candidates = decisions.subsampling.map { [$0] } ?? [.yCbCr420, .yCbCr444]
        return candidates.reduce(0) { most, subsampling in
            guard let geometry = decisions.geometry(size, subsampling) else { return .max }
            let making =
                decisions.tables == .standard
                ? CoefficientCollector.byteCount(geometry) : RecipeEncoder.byteCount(geometry)
            return max(
                most,
                making.addingSaturated(
                    CoefficientFileWriter.memoryByteCount(geometry, decisions.process(quality: decisions.quality))))
        }
    }

    mutating func write(_ row: RawSpan, work: WorkGuard) throws(ImageError) {
        // Taken out for the call, so that nothing is copied.
        switch maker {
        case .standard(var collector):
            maker = .ended
            collector.write(row)
            maker = .standard(collector)
        case .fitted(var encoder):
            maker = .ended
            try encoder.write(row, work: work)
            maker = .fitted(encoder)
        case .ended: break
        }
    }

    /// The coefficients, after the last row; `nil` if they were handed over already.
    mutating func finish(work: WorkGuard) throws(ImageError) -> CoefficientPicture? {
        defer { maker = .ended }
        switch maker {
        case .standard(let collector): return CoefficientPicture(collector.frame, collector.coefficients)
        case .fitted(var encoder):
            maker = .ended
            let output = try encoder.finish(work: work)
            return CoefficientPicture(output.frame, output.coefficients)
        case .ended: return nil
        }
    }
}

extension CoefficientPicture {
    init(_ frame: EncoderFrame, _ coefficients: [QuantizedCoefficients]) {
        self.init(
            geometry: frame.geometry, colorModel: frame.colorModel, coefficients: coefficients,
            quantizationTables: frame.quantizationTables)
    }
}
