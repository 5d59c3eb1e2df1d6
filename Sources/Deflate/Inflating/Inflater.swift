// Which inflater unpacks: the package's own, or the system's zlib if it is built in and asked for.

package import ImageCodecsCore

/// The inflater that a decode uses.
///
/// Exactly one of the two is there. They are held in place, side by side, so that advancing one never copies it.
package struct Inflater: Inflating {
    /// The implementations.
    package enum Kind: String, CaseIterable, Sendable {
        /// The package's own.
        case swift
        #if SystemZlib
        /// The system's zlib.
        case zlib
        #endif
    }

    /// What inflaters are made of in the current task, or in the closure that sets it; for tests and measurements.
    package static let choice = TaskLocal(wrappedValue: Kind.swift)

    private var swift: SwiftInflater?
    #if SystemZlib
    private var zlib: ZlibInflater?
    #endif

    package static func byteCount(capacity: Int) -> Int {
        switch choice.get() {
        case .swift: SwiftInflater.byteCount(capacity: capacity)
        #if SystemZlib
        case .zlib: ZlibInflater.byteCount(capacity: capacity)
        #endif
        }
    }

    package init(capacity: Int, isRaw: Bool, meter: MemoryMeter?) throws(ImageError) {
        switch Self.choice.get() {
        case .swift: swift = try SwiftInflater(capacity: capacity, isRaw: isRaw, meter: meter)
        #if SystemZlib
        case .zlib: zlib = try ZlibInflater(capacity: capacity, isRaw: isRaw, meter: meter)
        #endif
        }
    }

    package mutating func makeUnique() throws(ImageError) {
        try swift?.makeUnique()
        #if SystemZlib
        try zlib?.makeUnique()
        #endif
    }

    package var unpackedByteCount: Int {
        #if SystemZlib
        if let zlib { return zlib.unpackedByteCount }
        #endif
        return swift?.unpackedByteCount ?? 0
    }

    package mutating func inflate(_ input: Span<UInt8>, limit: Int) throws(InflateError) -> InflateStep {
        #if SystemZlib
        if let step = try zlib?.inflate(input, limit: limit) { return step }
        #endif
        guard let step = try swift?.inflate(input, limit: limit) else { throw .outOfMemory }
        return step
    }

    package func withUnpacked<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if SystemZlib
        if let zlib { return try zlib.withUnpacked(body) }
        #endif
        guard let swift else { return try body(RawSpan()) }
        return try swift.withUnpacked(body)
    }

    package mutating func discard(_ count: Int) {
        swift?.discard(count)
        #if SystemZlib
        zlib?.discard(count)
        #endif
    }
}
