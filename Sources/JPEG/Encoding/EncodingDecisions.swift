// What the options of a caller come to, before a row is seen.

package import ImageCodecsCore
import ImageEncoding
package import JPEGBaselineCodec

/// The choices of one file, made from options and pixel format.
package struct EncodingDecisions: Hashable, Sendable {
    /// libjpeg's number, 1...100, with a fraction.
    package let quality: Double
    /// `.grayscale`, `.yCbCr` or `.cmyk`.
    package let colorModel: JPEGColorModel
    /// `nil` is decided when the picture was seen.
    package let subsampling: JPEGSubsampling?
    /// What rows have to hold.
    package let rowFormat: PixelFormat
    package let tables: JPEGEncodingOptions.Tables
    package let isProgressive: Bool
    /// Whether the caller leaves the process open, so that a file that is too long otherwise may be sequential.
    package let mayBeSequential: Bool
    package let optimizesHuffmanTables: Bool
    package let restartInterval: Int
    package let effort: EncodingOptions.Effort

    /// The quality of files whose options name none.
    package static let usualQuality = 80.0

    /// - Throws: `invalidArgument` for options that make no sense together, or with this pixel format.
    package init(_ options: EncodingOptions, format: PixelFormat) throws(ImageError) {
        let own = options.jpeg
        let quality = options.quality ?? Self.usualQuality / 100
        // Not a number is in no range.
        guard (0...1).contains(quality) else {
            throw .invalidArgument("a JPEG quality of \(quality) is not in 0...1")
        }
        guard (0...65535).contains(own.restartInterval) else {
            throw .invalidArgument("a restart interval of \(own.restartInterval) MCUs is not in 0...65535")
        }
        // 0 means what 1 does, as in libjpeg.
        self.quality = max(1, 100 * quality)
        effort = options.effort
        (colorModel, rowFormat) = Self.colorModel(of: format)
        guard colorModel == .yCbCr || own.subsampling == nil else {
            let kind = colorModel == .cmyk ? "CMYK" : "gray"
            throw .invalidArgument(
                "\(kind) pictures have no chroma: sampling \(own.subsampling?.rawValue ?? "") means nothing for them")
        }
        let isFast = options.effort == .fast
        tables = own.tables ?? (isFast || colorModel == .cmyk ? .standard : .fitted)
        guard tables == .standard || colorModel != .cmyk else {
            throw .invalidArgument("there are no fitted quantisation tables for CMYK pictures")
        }
        isProgressive = own.isProgressive ?? !isFast
        mayBeSequential = own.isProgressive == nil
        optimizesHuffmanTables = own.optimizesHuffmanTables ?? !isFast
        restartInterval = own.restartInterval
        // A file of limited size may get a lower quality.
        let losesLeast = self.quality == 100 && options.maxFileByteCount == nil
        if colorModel != .yCbCr || losesLeast {
            subsampling = own.subsampling ?? .yCbCr444
        } else {
            subsampling = own.subsampling ?? (tables == .standard ? .yCbCr420 : nil)
        }
    }

    private static func colorModel(of format: PixelFormat) -> (JPEGColorModel, PixelFormat) {
        switch format.layout {
        case .cmyk: (.cmyk, .cmyk)
        case .gray, .grayAlpha: (.grayscale, .gray)
        // Rows of four bytes are read as they are; what has alpha was laid over a colour before.
        case .bgra, .rgba, .rgb:
            format.depth == .eight && !format.hasAlpha ? (.yCbCr, format) : (.yCbCr, .rgb)
        }
    }

    /// Whether the coded data can be written while rows come.
    package var isOnePass: Bool { tables == .standard && !isProgressive && !optimizesHuffmanTables }

    /// What is done besides rounding; at quality 100 all that loses nothing.
    var recipeSteps: RecipeSteps { quality == 100 ? .leastLoss : effort == .best ? .best : .all }

}

extension EncodingDecisions {
    /// The geometry of a frame; `nil` if a side is too long.
    func geometry(_ size: PixelSize, _ subsampling: JPEGSubsampling) -> FrameGeometry? {
        frame(size, subsampling, QuantizationTable(values: Array(repeating: 1, count: 64)))?.geometry
    }

    /// The frame of a file with tables of the standard.
    func standardFrame(_ size: PixelSize) throws(ImageError) -> EncoderFrame {
        let frame = EncoderFrame(
            size: size, colorModel: colorModel, subsampling: subsampling ?? .yCbCr420,
            quantizationTables: StandardQuantization.tables(
                quality: quality, count: EncoderFrame.tableCount(colorModel)))
        guard let frame else { throw Self.noFrame(size) }
        return frame
    }

    private func frame(
        _ size: PixelSize, _ subsampling: JPEGSubsampling, _ table: QuantizationTable
    ) -> EncoderFrame? {
        EncoderFrame(
            size: size, colorModel: colorModel, subsampling: subsampling,
            quantizationTables: Array(repeating: table, count: EncoderFrame.tableCount(colorModel)))
    }

    static func noFrame(_ size: PixelSize) -> ImageError {
        .invalidArgument(
            "a JPEG file cannot hold \(size) pixels: no side may have more than \(FrameGeometry.maximumSide)")
    }

    /// Refuses sides that a file, or the decoders it is for, cannot have.
    static func checkSides(of size: PixelSize, _ options: JPEGEncodingOptions) throws(ImageError) {
        let side = max(size.width, size.height)
        guard side <= FrameGeometry.maximumSide else { throw noFrame(size) }
        guard side <= JPEGEncodingOptions.longestUsualSide || options.allowsLongSides else {
            throw .invalidArgument(
                "a JPEG file of \(size) pixels cannot be read by libjpeg, the strictest public decoder, which takes no side above "
                    + "\(JPEGEncodingOptions.longestUsualSide); long sides of up to \(FrameGeometry.maximumSide) are written on request"
            )
        }
    }

    /// How the recipe reads rows.
    var colorLayout: FineColorLayout {
        switch rowFormat.layout {
        case .gray, .grayAlpha: .gray
        case .bgra: .bgrx
        case .rgba: .rgbx
        case .rgb, .cmyk: .rgb
        }
    }

    /// The scale of fitted tables at a quality, 1...100.
    func scale(quality: Double) -> Double { QualityScale.scale(quality, isGray: colorModel == .grayscale) }

    /// How coefficients that are kept are coded.
    func process(quality: Double) -> CoefficientFileWriter.Process {
        guard isProgressive else { return .sequential }
        switch effort {
        case .fast: return .progressive(.usual(quality: quality / 100))
        case .default: return .progressive(.smallerOfTwo)
        case .best: return .progressive(.smallest)
        }
    }
}
