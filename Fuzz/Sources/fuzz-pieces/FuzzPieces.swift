// The result of a decode must not depend on how its input was cut, nor on what was copied on the way.

import APNG
import FuzzSupport
import GIF
import Glibc
import ImageCore
import JPEG
import WebP

@main enum FuzzPieces {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                compare(FuzzInput.bytes(start, count))
                return 0
            })
    }
}

/// JPEG, GIF and WebP files go to their coders, everything else to that of APNG, which decodes PNG too.
private func coder(for bytes: [UInt8]) -> any IncrementalImageCoder {
    if JPEGCoder().canDecode(bytes.span) { return JPEGCoder() }
    if WebPCoder().canDecode(bytes.span) { return WebPCoder() }
    return GIFCoder().canDecode(bytes.span) ? GIFCoder() : APNGCoder()
}

private func compare(_ bytes: [UInt8]) {
    let coder = coder(for: bytes)
    let options = FuzzInput.options(for: bytes)
    var choices = Choices(seed: FuzzInput.checksum(bytes) ^ 0x5bd1_e995)
    let whole = Result { () throws(ImageError) in try coder.decode(ImageData(bytes), options: options) }
    let cut = Result { () throws(ImageError) in try decodeInPieces(bytes, coder, options, &choices) }
    switch (whole, cut) {
    case (.success(let whole), .success(let cut)):
        require(whole.bitmap == cut.bitmap, "other pixels")
        require(whole.metadata == cut.metadata, "other metadata")
        require(whole.partial?.rows == cut.partial?.rows, "\(whole.partial as Any) != \(cut.partial as Any)")
        require(whole.partial?.passes == cut.partial?.passes, "\(whole.partial as Any) != \(cut.partial as Any)")
        require(whole.partial?.scans == cut.partial?.scans, "\(whole.partial as Any) != \(cut.partial as Any)")
    case (.failure(let whole), .failure(let cut)):
        require(whole.code == cut.code, "\(whole) != \(cut)")
    case (.failure(.limitExceeded(.memory, _, _)), .success):
        // All frames at once take more than pieces do.
        break
    default:
        fatalError("\(whole) != \(cut)")
    }
}

/// Feeds random pieces, looks at pictures on the way, and goes on from a copy now and then.
private func decodeInPieces(
    _ bytes: [UInt8], _ coder: any IncrementalImageCoder, _ options: DecodingOptions, _ choices: inout Choices
) throws(ImageError) -> RasterImage {
    var decoder = coder.makeIncrementalDecoder(options: options)
    let largest = UInt32([1, 3, 16, 200, 5000][Int(choices.next(5))])
    var position = 0
    // Copies and pictures cost a bitmap each, so there are only some of them.
    var (copiesLeft, picturesLeft) = (8, 8)
    while position < bytes.count {
        let end = min(bytes.count, position + 1 + Int(choices.next(largest)))
        let checkpoint = copiesLeft > 0 && choices.next(16) == 0 ? decoder : nil
        _ = try decoder.append(bytes.span.extracting(position..<end))
        if picturesLeft > 0, choices.next(16) == 0 {
            picturesLeft -= 1
            _ = try decoder.image()
        }
        if var checkpoint {
            copiesLeft -= 1
            // The copy is fed the same bytes; from here on it takes the original's place.
            _ = try checkpoint.append(bytes.span.extracting(position..<end))
            decoder = checkpoint
        }
        position = end
    }
    _ = try decoder.finish()
    guard let image = try decoder.image() else { throw .truncated(coder.decodableFormats[0], offset: bytes.count) }
    return image
}
