// A coder of whole files only, by the public API alone.

import ImageCodecsCore

/// Reads and writes binary graymaps (PGM, "P5") of eight bits without comments.
struct GraymapCoder: ImageCoder {
    static let format = ImageFormat(rawValue: "org.netpbm.pgm")
    static let damage = DamageCode(rawValue: "test.damage")

    var decodableFormats: [ImageFormat] { [Self.format] }

    func canDecode(_ header: Span<UInt8>) -> Bool {
        header.count >= 3 && header[0] == UInt8(ascii: "P") && header[1] == UInt8(ascii: "5")
            && header[2] == UInt8(ascii: "\n")
    }

    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        try data.withBytes { (bytes) throws(ImageError) in
            try info(GraymapHeader(bytes), options)
        }
    }

    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        try data.withBytes { (bytes) throws(ImageError) in
            let header = try GraymapHeader(bytes)
            _ = try info(header, options)  // limits come before the first allocation
            var bitmap = try Bitmap(size: header.size, format: .gray)
            let wholeRows = min(header.size.height, (bytes.count - header.byteCount) / header.size.width)
            for y in 0..<wholeRows {
                if Task.isCancelled { throw .cancelled }
                let start = header.byteCount + y * header.size.width
                try bitmap.withMutableRow(y) { row in
                    for x in row.indices { row[x] = bytes[start + x] }
                }
            }
            var image = RasterImage(bitmap: try deliver(bitmap, options), format: Self.format)
            if wholeRows < header.size.height {
                let damage = ImageError.truncated(Self.format, offset: bytes.count)
                guard options.strictness == .tolerant, wholeRows > 0 else { throw damage }
                image.partial = PartialReport(rows: [0..<wholeRows], cause: damage)
            }
            return image
        }
    }

    func canEncode(to format: ImageFormat) -> Bool { format == Self.format }

    func encode(
        _ image: RasterImage, to format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8] {
        guard canEncode(to: format) else { throw .unsupported(format, feature: "encoding") }
        guard !image.size.isEmpty else { throw .invalidArgument("a graymap cannot be empty") }
        let header = Array("P5\n\(image.size.width) \(image.size.height)\n255\n".utf8)
        return header + (try image.bitmap.converted(to: .gray).packedBytes())
    }

    /// What a decode will deliver, or why it will not.
    private func info(_ header: GraymapHeader, _ options: DecodingOptions) throws(ImageError) -> ImageInfo {
        let limits = options.limits
        let longest = max(header.size.width, header.size.height)
        guard longest <= limits.maxDimension else {
            throw .limitExceeded(.dimension, requested: longest, allowed: limits.maxDimension)
        }
        guard let pixels = header.size.pixelCount, pixels <= limits.maxPixelCount else {
            throw .limitExceeded(.pixels, requested: header.size.pixelCount ?? .max, allowed: limits.maxPixelCount)
        }
        let result = Bitmap.byteCount(size: targetSize(header.size, options), format: format(options)) ?? .max
        // The gray picture, the scaled one and the converted one are there together.
        var peak = Bitmap.byteCount(size: header.size, format: .gray) ?? .max
        for _ in 0..<2 {
            let (sum, overflow) = peak.addingReportingOverflow(result)
            peak = overflow ? .max : sum
        }
        guard peak <= limits.maxMemoryByteCount else {
            throw .limitExceeded(.memory, requested: peak, allowed: limits.maxMemoryByteCount)
        }
        return ImageInfo(
            format: Self.format, size: header.size, hasAlpha: false, bitDepth: 8, colorDescription: "gray",
            decodedSize: targetSize(header.size, options), decodedFormat: format(options), estimatedPeakByteCount: peak)
    }

    /// Scales and converts as the options say.
    private func deliver(_ bitmap: Bitmap, _ options: DecodingOptions) throws(ImageError) -> Bitmap {
        try bitmap.scaled(to: targetSize(bitmap.size, options)).converted(to: format(options))
    }

    private func targetSize(_ size: PixelSize, _ options: DecodingOptions) -> PixelSize {
        switch options.size {
        case .full: size
        case .atMost(let byteCount):
            size.fitted(inByteCount: byteCount, bytesPerPixel: format(options).bytesPerPixel)
        case .fitting(let box, let fit): size.fitted(in: box, fit: fit)
        }
    }

    /// Opaque pictures are delivered as BGRX if premultiplied BGRA is asked for.
    private func format(_ options: DecodingOptions) -> PixelFormat {
        let wanted = options.pixelFormat ?? .gray
        return wanted == .bgraPremultiplied ? .bgrx : wanted
    }
}

/// `P5`, width, height and the largest sample, separated by single white space.
struct GraymapHeader {
    let size: PixelSize
    /// Bytes before the first sample.
    let byteCount: Int

    private static let longest = 32

    init(_ bytes: Span<UInt8>) throws(ImageError) {
        var numbers = [0]
        var position = 3
        while numbers.count < 4 {
            guard position < min(bytes.count, Self.longest) else {
                throw bytes.count < Self.longest
                    ? .truncated(GraymapCoder.format, offset: bytes.count)
                    : .corrupt(
                        GraymapCoder.format, GraymapCoder.damage, offset: position, reason: "the header does not end")
            }
            switch bytes[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let number = numbers[numbers.count - 1] * 10 + Int(bytes[position] - UInt8(ascii: "0"))
                guard number <= Int(Int32.max) else {
                    throw .corrupt(
                        GraymapCoder.format, GraymapCoder.damage, offset: position, reason: "a number of \(number)")
                }
                numbers[numbers.count - 1] = number
            case UInt8(ascii: " "), UInt8(ascii: "\n"):
                numbers.append(0)
            default:
                throw .corrupt(GraymapCoder.format, GraymapCoder.damage, offset: position, reason: "no digit")
            }
            position += 1
        }
        size = PixelSize(width: numbers[0], height: numbers[1])
        byteCount = position
        guard !size.isEmpty else {
            throw .corrupt(GraymapCoder.format, GraymapCoder.damage, offset: 3, reason: "size of \(size) pixels")
        }
        guard numbers[2] == 255 else {
            throw .unsupported(GraymapCoder.format, feature: "samples up to \(numbers[2])")
        }
    }
}
