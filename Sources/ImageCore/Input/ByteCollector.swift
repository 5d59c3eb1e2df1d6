// Bytes that come one after another and have to be kept: in counted memory that can be refused.

/// A growing run of bytes.
///
/// A value: a copy is a checkpoint, and the first one to go on makes its bytes its own.
package struct ByteCollector: Sendable {
    /// Bytes collected.
    package private(set) var count = 0
    private var storage: ScratchBuffer?
    private let meter: MemoryMeter?

    private static let smallestCapacity = 256

    package init(meter: MemoryMeter?) { self.meter = meter }

    /// The most memory that collecting `count` bytes takes: the old block and one half as large again.
    package static func peakByteCount(collecting count: Int) -> Int {
        count == 0 ? 0 : count.multipliedSaturated(by: 3).addingSaturated(smallestCapacity)
    }

    /// Appends bytes.
    ///
    /// - Parameter work: Asked now and then while bytes are copied.
    /// - Throws: `limitExceeded(.memory)` when there is no memory for them; what `work` throws.
    package mutating func append(_ bytes: Span<UInt8>, work: WorkGuard) throws(ImageError) {
        guard !bytes.isEmpty else { return }
        let needed = count.addingSaturated(bytes.count)
        if needed > storage?.byteCount ?? 0 {
            try grow(to: max(needed.addingSaturated(needed / 2), Self.smallestCapacity), work: work)
        } else {
            try storage?.makeUnique()
        }
        var rest = bytes
        while !rest.isEmpty {
            let start = count
            let piece = rest.extracting(first: WorkGuard.stepByteCount)
            storage?.withMutableBytes { $0.copy(piece, at: start) }
            count += piece.count
            rest = rest.extracting(droppingFirst: piece.count)
            if !rest.isEmpty { try work.check() }
        }
    }

    private mutating func grow(to capacity: Int, work: WorkGuard) throws(ImageError) {
        var larger = try ScratchBuffer(byteCount: capacity, meter: meter)
        var position = 0
        while position < count {
            let end = min(position + WorkGuard.stepByteCount, count)
            storage?.withBytes(position..<end) { old in larger.withMutableBytes { $0.copy(old, at: position) } }
            position = end
            try work.check()
        }
        storage = larger
    }

    /// Drops bytes from the front.
    ///
    /// - Precondition: there are as many.
    package mutating func removeFirst(_ number: Int) throws(ImageError) {
        precondition(number >= 0 && number <= count, "more than there is")
        guard number < count else { return removeAll() }
        try storage?.makeUnique()
        let rest = count - number
        storage?.withMutableBytes { $0.move(from: number, to: 0, count: rest) }
        count = rest
    }

    /// Drops all bytes; a block that is not small is given back.
    package mutating func removeAll() {
        count = 0
        if storage?.byteCount ?? 0 > 1 << 12 { storage = nil }
    }

    /// The bytes in a buffer that is no larger than they are.
    ///
    /// - Throws: `limitExceeded(.memory)`; what `work` throws.
    package func exactBuffer(work: WorkGuard) throws(ImageError) -> ScratchBuffer {
        var exact = try ScratchBuffer(byteCount: count, meter: meter)
        var position = 0
        while position < count {
            let end = min(position + WorkGuard.stepByteCount, count)
            storage?.withBytes(position..<end) { old in exact.withMutableBytes { $0.copy(old, at: position) } }
            position = end
            try work.check()
        }
        return exact
    }

    /// The bytes, for reading.
    package func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        guard let storage else { return try body(Span()) }
        return try storage.withBytes(0..<count) { bytes throws(E) in try body(Span<UInt8>(_bytes: bytes)) }
    }
}
