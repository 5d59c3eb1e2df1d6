// One-call decompression by zlib, so that tests of our own streams do not depend on our own reader.

#if SystemZlib
internal import ImageCodecsZlib
#endif

/// Unpacks a zlib stream of known size; `nil` when it is damaged, or longer or shorter than that.
public func referenceInflate(_ compressed: [UInt8], byteCount: Int) -> [UInt8]? {
    #if SystemZlib
    var output = [UInt8](repeating: 0, count: byteCount)
    var outputCount = UInt(byteCount)
    let status = unsafe output.withUnsafeMutableBufferPointer { target in
        unsafe compressed.withUnsafeBufferPointer { source in
            // SAFETY: zlib is told how long both buffers are.
            unsafe uncompress(target.baseAddress, &outputCount, source.baseAddress, UInt(source.count))
        }
    }
    return status == Z_OK && outputCount == UInt(byteCount) ? output : nil
    #else
    let output = PlainInflate.inflate(compressed, limit: byteCount)
    return output?.count == byteCount ? output : nil
    #endif
}
