// Any bytes as deflate data. They become the image data of a picture of one row, as wide as what zlib makes of them; the
// decoder must find the same pixels, or the same damage in the same words, at once and in pieces.

import CReferenceZlib
import FuzzSupport
import Glibc
import ImageCore
import PNG

@main enum FuzzInflate {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                // SAFETY: libFuzzer passes `count` readable bytes.
                let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
                if bytes.count > 2 { compare(bytes) }
                return 0
            })
    }
}

private let mostOutput = 1 << 17

private func compare(_ bytes: [UInt8]) {
    // A stored block with the filter type, whose end is the end of a byte; what follows is the fuzzer's.
    let header: [UInt8] = bytes[0] & 3 == 0 ? Array(bytes[1..<3]) : [0x78, 0x9C]
    var stream = header + [0, 1, 0, 0xFE, 0xFF, 0] + bytes.dropFirst(bytes[0] & 3 == 0 ? 3 : 1)
    var expected = PlainZlib.inflate(stream, limit: mostOutput)
    if expected.ending == .damaged("incorrect data check"), bytes[0] & 12 != 0 {
        for index in 0..<4 {
            stream[expected.consumed - 4 + index] = UInt8(
                truncatingIfNeeded: expected.checksum >> (24 - 8 * UInt32(index)))
        }
        expected = PlainZlib.inflate(stream, limit: mostOutput)
    }
    guard !expected.output.isEmpty, expected.output.count < mostOutput else { return }
    // Of damaged data the picture has a pixel more than there are.
    let width = expected.output.count - (expected.ending == .finished ? 1 : 0)
    guard width > 0 else { return }
    let file = picture(stream, width: width)
    var options = DecodingOptions()
    options.limits = FuzzInput.limits
    options.limits.maxDimension = mostOutput
    options.pixelFormat = .gray
    var choices = Choices(seed: FuzzInput.checksum(bytes))
    check(Result { () throws(ImageError) in try PNGCoder().decode(ImageData(file), options: options) }, expected)
    check(Result { () throws(ImageError) in try decodeInPieces(file, options, &choices) }, expected)
}

private func check(_ outcome: Result<RasterImage, ImageError>, _ expected: PlainZlib) {
    switch (outcome, expected.ending) {
    case (.success(let image), .finished):
        image.bitmap.withRow(0) { row in
            for x in 0..<expected.output.count - 1 { require(row[x] == expected.output[x + 1], "pixel \(x)") }
        }
    case (.failure(.corrupt(_, _, _, let reason)), .damaged(let message)):
        require(reason == "image data: \(message)", "\(reason), not \(message)")
    case (.failure, .unfinished): break
    default: fatalError("\(outcome), but \(expected.ending)")
    }
}

private func decodeInPieces(
    _ file: [UInt8], _ options: DecodingOptions, _ choices: inout Choices
) throws(ImageError) -> RasterImage {
    var decoder = PNGCoder().makeIncrementalDecoder(options: options)
    let largest = [1, 5, 60, 3000][Int(choices.next(4))] as UInt32
    var position = 0
    while position < file.count {
        let end = min(file.count, position + 1 + Int(choices.next(largest)))
        // One of the two goes on.
        let copy = decoder
        try decoder.append(file.span.extracting(position..<end))
        if choices.next(16) == 0 {
            decoder = copy
            try decoder.append(file.span.extracting(position..<end))
        }
        position = end
    }
    try decoder.finish()
    guard let image = try decoder.image() else { throw .truncated(.png, offset: file.count) }
    return image
}

/// A gray picture of one row.
private func picture(_ stream: [UInt8], width: Int) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        let covered = Array(type.utf8) + body
        return number(body.count) + covered + number(Int(ChunkRepair.crc32(covered[...])))
    }
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    return signature + chunk("IHDR", number(width) + number(1) + [8, 0, 0, 0, 0]) + chunk("IDAT", stream)
        + chunk("IEND", [])
}

/// What zlib makes of a stream.
private struct PlainZlib {
    enum Ending: Hashable {
        case finished
        case unfinished
        case damaged(String)
    }

    var output: [UInt8]
    var ending: Ending
    var consumed: Int
    /// Of the output.
    var checksum: UInt32

    static func inflate(_ bytes: [UInt8], limit: Int) -> PlainZlib {
        var stream = unsafe z_stream()
        // SAFETY: a zeroed z_stream asks for zlib's default allocator; both buffers outlive the call, which is told their sizes.
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        unsafe require(inflateInit2_(&stream, 15, ZLIB_VERSION, size) == Z_OK, "no zlib")
        defer { unsafe inflateEnd(&stream) }
        var (input, output) = (bytes, [UInt8](repeating: 0, count: limit))
        let status = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_in = source.baseAddress
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = UInt32(target.count)
                return unsafe CReferenceZlib.inflate(&stream, Z_NO_FLUSH)
            }
        }
        let (produced, consumed) = unsafe (limit - Int(stream.avail_out), bytes.count - Int(stream.avail_in))
        output.removeLast(limit - produced)
        let ending: Ending =
            switch status {
            case Z_STREAM_END: .finished
            case Z_OK, Z_BUF_ERROR: .unfinished
            case Z_NEED_DICT: .damaged("needs a preset dictionary")
            default: unsafe .damaged(stream.msg.map { unsafe String(cString: $0) } ?? "status \(status)")
            }
        let checksum = unsafe adler32(1, output, UInt32(output.count))
        return PlainZlib(
            output: output, ending: ending, consumed: consumed, checksum: UInt32(truncatingIfNeeded: checksum))
    }
}
