// The format of a result that nobody named: that of its input, where it can be written.

import ImageCodecs

extension OutputFormat {
    /// The format that a regular file has by its first bytes; `nil` for what is read only once, and for formats that are not written.
    init?(of file: InputFile) {
        guard FileStatus(ofFileAt: file.path)?.kind == .regular,
            var reader = try? FileReader(file.path, maxByteCount: DecodingLimits.default.maxInputByteCount),
            let start = try? reader.peek(ImageFormat.sniffingByteCount),
            let format = start.withSpan({ ImageFormat(sniffing: $0) }), CoderRegistry.shared.canEncode(to: format)
        else { return nil }
        self = .coded(format)
    }

    /// The format of the result of a file: its own if it can be written, else PNG. Lossy WebP pictures become JPEG, or PNG if they have
    /// alpha, as long as WebP is written without loss alone; animations stay WebP.
    ///
    /// - Parameter isAllowed: whether the options of the command line let a format be written; if they let neither, the file's stays.
    init(like file: InputFile, isAllowed: (OutputFormat) -> Bool) {
        let png = OutputFormat.coded(.png)
        var format = OutputFormat(of: file) ?? png
        if case .coded(.webP) = format, let replacement = Self.replacement(ofLossyWebP: file.path) {
            format = replacement
        }
        self = !isAllowed(format) && isAllowed(png) ? png : format
    }

    private static func replacement(ofLossyWebP path: String) -> OutputFormat? {
        let limits = DecodingLimits.default
        guard var reader = try? FileReader(path, maxByteCount: limits.maxInputByteCount),
            let report = try? WebPCodingReport(ahead: &reader, limits: limits), report.isLossy,
            let info = try? ImageInfo(contentsOfFile: path), info.animation == nil
        else { return nil }
        return .coded(info.hasAlpha ? .png : .jpeg)
    }
}
