// Opening an image file, with a remark in the error if standard input was empty.

import ImageCodecs

extension FileReader {
    /// Opens an image file, a pipe or a device, and looks at its first bytes; what starts like no image is refused.
    init(picture file: InputFile, limits: DecodingLimits) throws(ImageError) {
        if let problem = file.problem { throw problem }
        try self.init(file.path, maxByteCount: limits.maxInputByteCount)
        let header = try peek(ImageFormat.sniffingByteCount)
        if header.isEmpty, file.path == "-" { StandardInput.recordThatItIsEmpty() }
        try header.withSpan { (header) throws(ImageError) in
            guard CoderRegistry.shared.canDecode(header) else { throw CoderRegistry.refusal(header) }
        }
    }
}
