// Which inflater unpacks: the package's own, or the system's zlib where it is built in and asked for.

package import ImageCore

/// The inflater that a decode uses.
///
/// Exactly one of the two is there. Both are held in place, side by side, so that advancing one never copies it.
package struct Inflater: Inflating {
    /// The two implementations.
    package enum Kind: String, CaseIterable, Sendable {
        #if SystemZlib
        /// The system's zlib.
        case zlib
        #endif
    }

    /// What inflaters are made of in the current task, or in the closure that sets it; for tests and measurements.
    @TaskLocal package static var kind = Kind.zlib

    #if SystemZlib
    private var zlib: ZlibInflater
    #endif

    package static func byteCount(capacity: Int) -> Int {
        ZlibInflater.byteCount(capacity: capacity)
    }

    package init(capacity: Int, meter: MemoryMeter?) throws(ImageError) {
        zlib = try ZlibInflater(capacity: capacity, meter: meter)
    }

    package mutating func makeUnique() throws(ImageError) {
        try zlib.makeUnique()
    }

    package var unpackedByteCount: Int { zlib.unpackedByteCount }

    package mutating func inflate(_ input: Span<UInt8>, limit: Int) throws(InflateError) -> InflateStep {
        try zlib.inflate(input, limit: limit)
    }

    package func withUnpacked<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try zlib.withUnpacked(body)
    }

    package mutating func discard(_ count: Int) {
        zlib.discard(count)
    }
}
