// What undoes PNG's compression: checksums on noise, and the inflaters on the image data of the files that are named.

import DeflateCodec
import ImageCodecsCore
import PNGCodec

private let byteCount = 1 << 18

func checksumKernels() -> [Kernel] {
    var state: UInt32 = 1
    let bytes = (0..<byteCount).map { _ -> UInt8 in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
    let result = Result(0)
    return [
        Kernel(name: "checksum/adler32", pixelCount: byteCount) {
            var adler = Adler32()
            bytes.withRawSpan(first: byteCount) { adler.add($0) }
            result.value = Int(adler.value)
        },
        Kernel(name: "checksum/crc32", pixelCount: byteCount) {
            var checksum = CRC32()
            checksum.add(bytes[...])
            result.value = Int(checksum.value)
        },
    ]
}

/// A number that outlives the call.
private final class Result {
    var value: Int
    init(_ value: Int) { self.value = value }
}

/// Both inflaters on the joined image data of the PNG file at `path`; figures count unpacked bytes.
func inflateKernels(_ path: String) -> [Kernel] {
    guard let data = try? ImageData(contentsOfFile: path) else { return [] }
    let stream = imageData(of: data)
    let count = unpack(stream, with: SwiftInflater.self) ?? 0
    guard count > 0 else { return [] }
    let result = Result(0)
    let name = path.split(separator: "/").last ?? ""
    var kernels = [
        Kernel(name: "inflate/swift \(name)", pixelCount: count) {
            result.value = unpack(stream, with: SwiftInflater.self) ?? 0
        }
    ]
    #if SystemZlib
    kernels.append(
        Kernel(name: "inflate/zlib \(name)", pixelCount: count) {
            result.value = unpack(stream, with: ZlibInflater.self) ?? 0
        })
    #endif
    return kernels
}

/// The bodies of all IDAT chunks.
func imageData(of data: ImageData) -> [UInt8] {
    data.withBytes { bytes in
        var (stream, offset): ([UInt8], Int) = ([], 8)
        while bytes.count - offset >= 12 {
            let length = Int(bytes.bigEndianUInt32(at: offset))
            guard length <= bytes.count - offset - 12 else { break }
            if bytes.hasBytes("IDAT", at: offset + 4) {
                stream.append(bytes.extracting(offset + 8..<offset + 8 + length))
            }
            offset += 12 + length
        }
        return stream
    }
}

private let pieceByteCount = 1 << 16

/// - Returns: how many bytes the stream unpacks to.
private func unpack(_ stream: [UInt8], with type: (some Inflating).Type) -> Int? {
    guard var inflater = try? type.init(capacity: pieceByteCount, meter: nil) else { return nil }
    var (position, count) = (0, 0)
    while true {
        let rest = stream[position...]
        guard let step = try? inflater.inflate(rest.span, limit: pieceByteCount) else { return nil }
        position += step.consumed
        count += step.produced
        inflater.discard(step.produced)
        if step.isFinished { return count }
        if step.consumed == 0 && step.produced == 0 { return nil }
    }
}
