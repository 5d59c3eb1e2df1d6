// What PNG's compression costs: the deflaters on the filtered scanlines of the files that are named, at every effort that searches.

import DeflateCodec
import ImageCodecsCore
import PNGCodec

/// Effort by effort, both deflaters on the filtered scanlines of the PNG file at `path`; figures count bytes before compression.
func deflateKernels(_ path: String) -> [Kernel] {
    guard let data = try? ImageData(contentsOfFile: path) else { return [] }
    let scanlines = unpacked(imageData(of: data))
    guard !scanlines.isEmpty else { return [] }
    let name = path.split(separator: "/").last ?? ""
    return CompressionEffort.allCases.filter { $0 != .stored }.flatMap { effort in
        var kernels = [
            kernel("deflate/\(effort) swift \(name)", effort, SwiftDeflater.self, scanlines)
        ]
        #if SystemZlib
        kernels.append(kernel("deflate/\(effort) zlib \(name)", effort, ZlibDeflater.self, scanlines))
        #endif
        return kernels
    }
}

private func kernel(
    _ name: String, _ effort: CompressionEffort, _ type: (some Deflating).Type, _ bytes: [UInt8]
) -> Kernel {
    let result = CompressedStream()
    return Kernel(name: name, pixelCount: bytes.count) {
        result.bytes = compressed(bytes, effort, type)
    }
}

/// A stream that outlives the call.
private final class CompressedStream {
    var bytes: [UInt8] = []
}

/// All of `bytes` as a zlib stream.
func compressed(_ bytes: [UInt8], _ effort: CompressionEffort, _ type: (some Deflating).Type) -> [UInt8] {
    var work = WorkGuard.unlimited
    return (try? type.compress(bytes.span, effort: effort, meter: nil, work: &work)) ?? []
}

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
