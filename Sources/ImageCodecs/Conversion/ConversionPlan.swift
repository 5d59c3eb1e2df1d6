// What a conversion is going to do with one file: decided by its headers, before a pixel is touched.

public import ImageCodecsCore
public import ImageEncoding
import ImagePhotoMetadata

extension ImageConversion {
    /// What is going to be done with one file, and what that takes.
    ///
    /// <!-- snippet: Tests/ImageCodecsTests/Conversion/ConversionPlanTests.swift plan -->
    /// ```swift
    /// let plan = conversion.plan(upload, to: .webP)
    /// guard plan.estimatedPeakByteCount <= 256 << 20 else { return "too large" }
    /// let result = try plan.run { (bytes) in response.append(contentsOf: bytes) }
    /// ```
    public struct Plan: Sendable {
        /// The format of the new file.
        public let format: ImageFormat
        /// What stands around the pixels; `nil` if the headers cannot be read: ``run(_:)`` then says why.
        public let info: ImageInfo?
        /// Whether all frames of an animation are written.
        public let writesAllFrames: Bool
        /// Whether people expect all frames, if there are more than one.
        let wantsAllFrames: Bool
        /// Bytes that ``run(_:)`` takes at most, those of the file among them if they are held. Saturates.
        public let estimatedPeakByteCount: Int
        /// The file.
        package let input: Input
        /// How the file is decoded: as asked for, in the colours that the new file can hold.
        package let decoding: DecodingOptions
        let conversion: ImageConversion

        /// Makes the new file.
        ///
        /// - Parameter sink: gets the new file in pieces. What it throws ends the conversion.
        /// - Throws: what reading, decoding, encoding and `sink` throw.
        @discardableResult
        public func run(_ sink: EncodedBytesSink) throws(ImageError) -> Result {
            var conversion = conversion
            let losses = conversion.encoding.losses ?? LossLog()
            conversion.encoding.losses = losses
            var result =
                if writesAllFrames {
                    try conversion.convertFrames(input, to: format, decoding, sink)
                } else {
                    try conversion.convertPicture(input, info, to: format, decoding, sink)
                }
            result.lostMetadata = losses.lostMetadata
            result.remarks = remarks(result, losses)
            return result
        }
    }

    /// What converting the file at `path` is going to do.
    ///
    /// - Parameters:
    ///   - path: relative paths start at the current directory; `-` is standard input.
    ///   - format: the format to write.
    /// - Throws: `inputOutput` when the file cannot be read; `limitExceeded(.input)` when it is too long;
    ///   `unknownFormat` or `unsupported` when no coder of `CoderRegistry.shared` wants a file that starts so.
    public func plan(contentsOfFile path: String, to format: ImageFormat) throws(ImageError) -> Plan {
        var reader = try FileReader(imageFile: path, limits: decoding.limits)
        return plan(try Input(path, &reader), to: format, decoding.scaled(by: path))
    }

    /// What converting the bytes of an image file is going to do.
    public func plan(_ data: ImageData, to format: ImageFormat) -> Plan { plan(.data(data), to: format, decoding) }

    /// - Parameter decoding: in place of ``decoding``.
    package func plan(_ input: Input, to format: ImageFormat, _ decoding: DecodingOptions) -> Plan {
        var still = decoding
        still.firstFrameOnly = true
        let info = try? input.inspect(still)
        let wantsAllFrames = !encoding.firstFrameOnly && !decoding.firstFrameOnly
        if wantsAllFrames, info?.animation != nil, CoderRegistry.shared.canEncodeAnimation(to: format) {
            var frames = decoding
            frames.firstFrameOnly = false
            // Not premultiplied: frames that are seen through keep their colours.
            frames.pixelFormat = .rgba
            let info = (try? input.inspect(frames)) ?? info
            let byteCount = info.map { estimatedByteCount(ofFrames: $0, to: format) } ?? 0
            return Plan(
                format: format, info: info, writesAllFrames: true, wantsAllFrames: true,
                estimatedPeakByteCount: input.byteCount.addingSaturated(byteCount), input: input,
                decoding: info.map { convertingColors($0, to: format, frames) } ?? frames, conversion: self)
        }
        let converted = info.map { convertingColors($0, to: format, still) } ?? still
        let byteCount = info.map { estimatedByteCount($0, to: format, still, converted, input) } ?? 0
        return Plan(
            format: format, info: info, writesAllFrames: false, wantsAllFrames: wantsAllFrames,
            estimatedPeakByteCount: input.heldByteCount.addingSaturated(byteCount), input: input,
            decoding: converted, conversion: self)
    }

    /// Options with which colours come out right in a file that has no place for what the picture says about them: they are converted to
    /// sRGB. So they are for GIF, whose profiles nearly nobody reads (browsers do not), if the picture does not come from there. Not if
    /// metadata are left out on purpose, or pixels have to stay.
    private func convertingColors(
        _ info: ImageInfo, to format: ImageFormat, _ options: DecodingOptions
    ) -> DecodingOptions {
        guard options.color == .asStored, !encoding.keepsPixels, info.metadata.colors != ImageMetadata() else {
            return options
        }
        var unlogged = encoding
        unlogged.losses = nil
        let session = try? CoderRegistry.shared.makeEncodingSession(
            to: format, picture(info, options), from: .bitmap, options: unlogged)
        let colors: Set<ImageMetadata.Kind> = [.iccProfile, .codePoints, .gamma, .chromaticities]
        guard let session else { return options }
        let isUnread =
            format == .gif && info.format != .gif && encoding.metadata != .none
            && colors.contains { info.metadata.has($0) }
        guard isUnread || !session.lostMetadata.isDisjoint(with: colors) else { return options }
        var options = options
        options.color = .converted(to: .sRGB)
        return options
    }
}
