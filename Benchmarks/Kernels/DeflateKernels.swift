// What PNG's compression costs: the deflaters on the filtered scanlines of the files that are named, at every effort that searches.

import DeflateCodec
import ImageCodecsCore
import PNGCodec

#if SystemZlib
import ImageCodecsZlib
#endif

/// Effort by effort, our deflater and zlib on the filtered scanlines of the PNG file at `path`; figures count bytes before compression.
func deflateKernels(_ path: String) -> [Kernel] {
    guard let data = try? ImageData(contentsOfFile: path) else { return [] }
    let scanlines = unpacked(imageData(of: data))
    guard !scanlines.isEmpty else { return [] }
    let name = path.split(separator: "/").last ?? ""
    let result = CompressedStream()
    return CompressionEffort.allCases.filter { $0 != .stored }.flatMap { effort in
        var kernels = [
            Kernel(name: "deflate/\(effort) swift \(name)", pixelCount: scanlines.count) {
                result.bytes = compressed(scanlines, effort)
            }
        ]
        #if SystemZlib
        kernels.append(
            Kernel(name: "deflate/\(effort) zlib \(name)", pixelCount: scanlines.count) {
                result.bytes = compressedByZlib(scanlines, effort)
            })
        #endif
        return kernels
    }
}

/// A stream that outlives the call.
private final class CompressedStream {
    var bytes: [UInt8] = []
}

/// All of `bytes` as a zlib stream.
func compressed(_ bytes: [UInt8], _ effort: CompressionEffort) -> [UInt8] {
    var work = WorkGuard.unlimited
    return (try? Deflater.compress(bytes.span, effort: effort, meter: nil, work: &work)) ?? []
}

#if SystemZlib
/// The same by the system's zlib, at the level that people use for such an effort.
private func compressedByZlib(_ bytes: [UInt8], _ effort: CompressionEffort) -> [UInt8] {
    let level: Int32 =
        switch effort {
        case .stored: 0
        case .fast: 1
        case .default: 6
        case .thorough: 8
        case .best: 9
        }
    var count = compressBound(UInt(bytes.count))
    let most = Int(count)
    return unsafe [UInt8](unsafeUninitializedCapacity: most) { target, filledCount in
        // SAFETY: both counts are those of the memory they stand for.
        let status = unsafe bytes.withUnsafeBufferPointer { source in
            unsafe compress2(target.baseAddress, &count, source.baseAddress, UInt(source.count), level)
        }
        filledCount = status == Z_OK ? Int(count) : 0
    }
}
#endif

/// What a zlib stream unpacks to; what there is of it if it is damaged.
private func unpacked(_ stream: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var work = WorkGuard.unlimited
    _ = try? SwiftInflater.inflateAll(stream.span, meter: nil, work: &work) { piece in
        bytes.append(piece)
        return true
    }
    return bytes
}
