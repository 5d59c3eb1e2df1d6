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

    /// The format of the result of a file: its own if it can be written, else PNG.
    ///
    /// - Parameter isAllowed: whether the options of the command line let a format be written; if they let neither, the file's stays.
    init(like file: InputFile, isAllowed: (OutputFormat) -> Bool) {
        let png = OutputFormat.coded(.png)
        let format = OutputFormat(of: file) ?? png
        self = !isAllowed(format) && isAllowed(png) ? png : format
    }
}
