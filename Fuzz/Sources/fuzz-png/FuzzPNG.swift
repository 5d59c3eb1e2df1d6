// Decodes any bytes as PNG. What may happen: pixels, or an ImageError. What may not: anything else.

import FuzzSupport
import Glibc
import ImageCore
import PNG

@main enum FuzzPNG {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                decode(FuzzInput.bytes(start, count))
                return 0
            })
    }
}

private func decode(_ bytes: [UInt8]) {
    let data = ImageData(bytes)
    for strictness in DecodingOptions.Strictness.allCases {
        var options = FuzzInput.options(for: bytes)
        options.strictness = strictness
        let info = Result { () throws(ImageError) in try PNGCoder().inspect(data, options: options) }
        do {
            let image = try PNGCoder().decode(data, options: options)
            check(image, options, info)
        } catch {
            check(error, count: bytes.count)
        }
    }
}

/// A picture must be what its headers promise, and whole under strict decoding.
private func check(_ image: Image, _ options: DecodingOptions, _ info: Result<ImageInfo, ImageError>) {
    // Reading every pixel lets the address sanitizer see rows that are too short.
    let (size, pixels) = (image.size, image.bitmap.packedBytes())
    require(size.width > 0 && size.height > 0, "an empty picture")
    require(pixels.count == size.width * size.height * image.bitmap.format.bytesPerPixel, "\(pixels.count) bytes")
    guard let partial = image.partial else {
        guard case .success(let info) = info else { fatalError("decoded, but not inspected: \(info)") }
        require(
            image.bitmap.byteCount == info.decodedByteCount, "\(image.bitmap.byteCount) != \(info.decodedByteCount)")
        return
    }
    require(options.strictness == .tolerant, "strict, yet partial")
    guard case .success(let info) = info else { return }
    for rows in partial.rows {
        require(rows.lowerBound >= 0 && rows.upperBound <= info.size.height, "rows \(rows) of \(info.size)")
    }
}

/// An error must point into the file.
private func check(_ error: ImageError, count: Int) {
    if let offset = error.offset { require((0...count).contains(offset), "\(error) in \(count) bytes") }
    if case .invalidArgument = error { fatalError("\(error)") }
}
