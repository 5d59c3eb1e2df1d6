// Rows in, the coefficients of a picture out, by the tables that were chosen.

import ImageCodecsCore
import JPEGBaselineCodec

/// What makes coefficients that are kept.
struct CoefficientSource: Sendable {
    private enum Maker: Sendable {
        case standard(CoefficientCollector)
    }

    private var maker: Maker

    init(
        _ size: PixelSize, _ decisions: EncodingDecisions, _ subsampling: JPEGSubsampling, meter: MemoryMeter?,
        work: WorkGuard
    ) throws(ImageError) {
        guard let frame = decisions.frame(size) else { throw .invalidArgument("no frame has \(size) pixels") }
        maker = .standard(try CoefficientCollector(frame, format: decisions.rowFormat, meter: meter))
    }

    /// Bytes held while coefficients are made and coded. Saturates.
    static func byteCount(_ size: PixelSize, _ decisions: EncodingDecisions) -> Int {
        guard let geometry = decisions.frame(size)?.geometry else { return .max }
        return CoefficientCollector.byteCount(geometry)
            .addingSaturated(CoefficientFileWriter.memoryByteCount(geometry, decisions.process(quality: 100)))
    }

    mutating func write(_ row: RawSpan) throws(ImageError) {
        guard case .standard(var collector) = maker else { return }
        collector.write(row)
        maker = .standard(collector)
    }

    mutating func finish() throws(ImageError) -> CoefficientPicture {
        switch maker {
        case .standard(let collector):
            return CoefficientPicture(
                geometry: collector.frame.geometry, colorModel: collector.frame.colorModel,
                coefficients: collector.coefficients, quantizationTables: collector.frame.quantizationTables)
        }
    }
}
