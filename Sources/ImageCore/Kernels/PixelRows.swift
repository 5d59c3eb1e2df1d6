// What all conversion kernels share: the one check of the lengths, then pointers to both rows.
//
// Kernels read and write pixels through words of several bytes and rely on the lowest byte coming first, as on
// every machine Swift is released for.

#if _endian(big)
#error("the pixel kernels are written for little-endian machines")
#endif

/// Whether a kernel leaves red and blue where they are or exchanges them (RGBA <-> BGRA).
package enum RedBlue: Sendable {
    case kept, exchanged
}

#if !ReferenceKernels
/// Hands `body` the start of both rows.
///
/// - Precondition: `source` holds `sourceBytes`, `destination` holds `destinationBytes`; `body` stays within them.
@inline(__always)
func withPixelRows(
    _ source: RawSpan, _ sourceBytes: Int, _ destination: inout MutableRawSpan, _ destinationBytes: Int,
    _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
) {
    precondition(sourceBytes <= source.byteCount, "the source row is shorter than its width")
    precondition(destinationBytes <= destination.byteCount, "the destination row is shorter than its width")
    unsafe source.withUnsafeBytes { source in
        unsafe destination.withUnsafeMutableBytes { destination in
            // An empty span may have no address; it then has no pixel either.
            guard let from = source.baseAddress, let to = destination.baseAddress else { return }
            unsafe body(from, to)
        }
    }
}

// SAFETY (all four): bounds are the caller's duty; kernels check both row lengths once, in `withPixelRows`.

@inline(__always)
func loadByte(_ row: UnsafeRawPointer, _ offset: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: unsafe row.load(fromByteOffset: offset, as: UInt8.self))
}

@inline(__always)
func load<T: BitwiseCopyable>(_ row: UnsafeRawPointer, _ offset: Int, as type: T.Type = T.self) -> T {
    unsafe row.loadUnaligned(fromByteOffset: offset, as: T.self)
}

@inline(__always)
func storeByte(_ row: UnsafeMutableRawPointer, _ offset: Int, _ value: UInt32) {
    unsafe row.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: offset, as: UInt8.self)
}

@inline(__always)
func store<T: BitwiseCopyable>(_ row: UnsafeMutableRawPointer, _ offset: Int, _ value: T) {
    unsafe row.storeBytes(of: value, toByteOffset: offset, as: T.self)
}
#endif
