// Which deflater compresses: the package's own, or the system's zlib if it is built in and asked for.

package import ImageCodecsCore

/// The deflater that an encoder uses.
///
/// Exactly one of the two is there.
package struct Deflater: Deflating {
    /// The implementations; the same as those of ``Inflater``.
    package typealias Kind = Inflater.Kind

    /// What deflaters are made of in the current task, or in the closure that sets it; for tests and measurements.
    package static let choice = TaskLocal(wrappedValue: Kind.swift)

    private var swift: SwiftDeflater?
    #if SystemZlib
    private var zlib: ZlibDeflater?
    #endif

    package static func estimatedByteCount(effort: CompressionEffort, byteCount: Int, pieceByteCount: Int) -> Int {
        switch choice.get() {
        case .swift:
            SwiftDeflater.estimatedByteCount(effort: effort, byteCount: byteCount, pieceByteCount: pieceByteCount)
        #if SystemZlib
        case .zlib:
            ZlibDeflater.estimatedByteCount(effort: effort, byteCount: byteCount, pieceByteCount: pieceByteCount)
        #endif
        }
    }

    package init(
        effort: CompressionEffort, byteCount: Int, pieceByteCount: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        switch Self.choice.get() {
        case .swift:
            swift = try SwiftDeflater(
                effort: effort, byteCount: byteCount, pieceByteCount: pieceByteCount, meter: meter)
        #if SystemZlib
        case .zlib:
            zlib = try ZlibDeflater(
                effort: effort, byteCount: byteCount, pieceByteCount: pieceByteCount, meter: meter)
        #endif
        }
    }

    package mutating func write(
        _ bytes: RawSpan, work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        try swift?.write(bytes, work: &work, emit: emit)
        #if SystemZlib
        try zlib?.write(bytes, work: &work, emit: emit)
        #endif
    }

    package mutating func flush(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        try swift?.flush(work: &work, emit: emit)
        #if SystemZlib
        try zlib?.flush(work: &work, emit: emit)
        #endif
    }

    package mutating func finish(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        try swift?.finish(work: &work, emit: emit)
        #if SystemZlib
        try zlib?.finish(work: &work, emit: emit)
        #endif
    }
}
