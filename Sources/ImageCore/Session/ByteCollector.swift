// Bytes that come one after another and have to be kept: in counted memory that can be refused.

/// A growing run of bytes.
///
/// It holds at most half as many bytes again as were collected. A value: a copy is a checkpoint, and the first one to go on
/// makes its bytes its own.
package struct ByteCollector: Sendable {
    /// Bytes collected.
    package private(set) var count = 0
    private var storage: GrowableMemory?
    private let meter: MemoryMeter?

    private static let smallestCapacity = 256

    package init(meter: MemoryMeter?) { self.meter = meter }

    /// Appends bytes.
    ///
    /// - Parameter work: asked now and then while bytes are copied.
    /// - Throws: `limitExceeded(.memory)` when there is no memory for them; what `work` throws.
    package mutating func append(_ bytes: Span<UInt8>, work: WorkGuard) throws(ImageError) {
        guard !bytes.isEmpty else { return }
        let needed = count.addingSaturated(bytes.count)
        if needed > storage?.byteCount ?? 0 {
            try makeRoom(max(needed.addingSaturated(needed / 2), Self.smallestCapacity), work)
        } else {
            try makeUnique(work)
        }
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.extracting(first: WorkGuard.stepByteCount)
            storage?.withMutableBytes(count..<count + piece.count) { $0.copy(piece, at: 0) }
            count += piece.count
            rest = rest.extracting(droppingFirst: piece.count)
            if !rest.isEmpty { try work.check() }
        }
    }

    /// Makes the block this value's own, with as much room.
    private mutating func makeRoom(_ capacity: Int, _ work: WorkGuard) throws(ImageError) {
        if storage != nil, isKnownUniquelyReferenced(&storage) {
            try storage?.resize(to: capacity)
        } else {
            let larger = try GrowableMemory(byteCount: capacity, meter: meter)
            try copy(to: larger, work)
            storage = larger
        }
    }

    private mutating func makeUnique(_ work: WorkGuard) throws(ImageError) {
        guard storage != nil, !isKnownUniquelyReferenced(&storage) else { return }
        try makeRoom(storage?.byteCount ?? count, work)
    }

    private func copy(to larger: GrowableMemory, _ work: WorkGuard) throws(ImageError) {
        var position = 0
        while position < count {
            let range = position..<min(position + WorkGuard.stepByteCount, count)
            storage?.withBytes(range) { old in larger.withMutableBytes(range) { $0.copy(old) } }
            position = range.upperBound
            try work.check()
        }
    }

    /// Drops bytes from the front.
    ///
    /// - Precondition: there are as many.
    package mutating func removeFirst(_ number: Int) throws(ImageError) {
        precondition(number >= 0 && number <= count, "more than there is")
        guard number < count else { return removeAll() }
        try makeUnique(.unlimited)
        let rest = count - number
        storage?.withMutableBytes(0..<count) { $0.move(from: number, to: 0, count: rest) }
        count = rest
    }

    /// Drops all bytes; a block that is not small is given back.
    package mutating func removeAll() {
        count = 0
        if storage?.byteCount ?? 0 > 1 << 12 { storage = nil }
    }

    /// Gives back the room that is not used: no more bytes come.
    package mutating func trim() throws(ImageError) {
        guard count > 0 else { return removeAll() }
        if isKnownUniquelyReferenced(&storage), storage?.byteCount ?? 0 > count { try storage?.resize(to: count) }
    }

    /// The bytes, for reading.
    package func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        guard let storage else { return try body(Span()) }
        return try storage.withBytes(0..<count) { bytes throws(E) in try body(Span<UInt8>(_bytes: bytes)) }
    }
}
