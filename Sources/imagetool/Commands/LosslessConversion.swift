// A JPEG file made of another one without loss: what convert does with --lossless.

import ImageCodecs
import ImagePipeline
import JPEGCodec

extension PictureSource {
    /// The file, if it is a JPEG file.
    func jpeg(limits: DecodingLimits) throws(ImageError) -> ImageData? {
        let data: ImageData
        switch self {
        case .bytes(let bytes): data = bytes
        case .file(let file):
            var reader = try FileReader(picture: file, limits: limits)
            data = try reader.readToEnd()
        }
        let isJPEG = data.withBytes {
            ImageFormat(sniffing: $0.extracting(first: ImageFormat.sniffingByteCount)) == .jpeg
        }
        return isJPEG ? data : nil
    }
}

extension PictureConversion {
    /// Writes a JPEG file with the coefficients of another.
    ///
    /// - Parameter optionOf: how an option is called where the request comes from, for messages.
    func operate(
        on file: ImageData, budget: DecodingBudget, _ optionOf: (String) -> String, _ sink: EncodedBytesSink
    ) throws(ImageError) -> Result {
        if let option = optionWithoutMeaning {
            throw .invalidArgument("\(optionOf(option)) is not for jpeg made of jpeg with \(optionOf("lossless"))")
        }
        let info = try ImageInfo(file, options: decoding)
        let size = decoding.appliesOrientation ? info.orientation.size(ofStored: info.size) : info.size
        var surgery = surgery
        surgery.appliesOrientation = decoding.appliesOrientation
        surgery.orientation = pictureChange.orientation
        surgery.crop = pictureChange.crop.map { surgery.orientation.rect(of: $0, in: size) }
        var options = encoding
        options.limits = EncodingLimits(
            maxMemoryByteCount: decoding.limits.maxMemoryByteCount, maxTime: decoding.limits.maxTime)
        let patches = try pastedFiles.map { (file) throws(ImageError) in try file.patch(decoding.limits) }
        let job = Surgery(options, limits: decoding.limits, strictness: decoding.strictness)
        // Coefficients of the new picture, and of the file or one that is pasted, which is no larger, and may be turned.
        let byteCount = info.decodedByteCount.multipliedSaturated(by: patches.isEmpty ? 4 : 5)
            .addingSaturated(file.count * 2)
        let result = try budget.withBytes(blockingFor: byteCount) { () throws(ImageError) in
            try job.transformed(file, by: surgery, pasting: patches)
        }
        try result.file.withBytes { (bytes) throws(ImageError) in try sink(bytes) }
        let expected = surgery.crop?.size ?? surgery.orientation.size(ofStored: size)
        let warnings = [
            result.size != expected
                ? "\(result.size) pixels in place of \(expected): without loss whole MCUs are kept" : nil,
            result.damage.map { "damaged: \($0.description)" },
        ]
        return Result(
            size: result.size, partial: nil, warnings: info.warnings + warnings.compactMap { $0 },
            byteCount: result.file.count, inputByteCount: file.count)
    }

    /// Whether nothing is asked for but what can be done with coefficients.
    var keepsCoefficients: Bool {
        reduction.size == nil && reduction.limitBytes == nil && !decoding.convertsToSRGB && pictureChange.frame == nil
    }

    /// An option of files that are coded anew from pixels.
    private var optionWithoutMeaning: String? {
        if encoding.maxFileByteCount != nil { return "max-bytes" }
        if encoding.jpeg.subsampling != nil { return "sampling" }
        return encoding.embedsThumbnail ? "embed-thumbnail" : nil
    }
}

extension PictureChange {
    /// How the picture is turned and mirrored.
    fileprivate var orientation: Orientation {
        (rotation?.orientation ?? .up).followed(by: flip?.orientation ?? .up)
    }
}

extension Orientation {
    /// Where a part of a picture of this size is after the turn; one that is not within the picture stays what it is.
    fileprivate func rect(of part: PixelRect, in size: PixelSize) -> PixelRect {
        guard part.x <= size.width, part.width <= size.width, part.y <= size.height, part.height <= size.height else {
            return part
        }
        let x = mirrorsColumns ? size.width - part.x - part.width : part.x
        let y = mirrorsRows ? size.height - part.y - part.height : part.y
        return swapsAxes
            ? PixelRect(x: y, y: x, width: part.height, height: part.width)
            : PixelRect(x: x, y: y, width: part.width, height: part.height)
    }
}
