// What a promise has for the coded bytes of frames that are kept while a file comes in pieces.

/// Bytes of the frames of a file, and how many of them were told ahead.
///
/// Counted also where the file is in memory and nothing is kept: an inspection tells what a decode in pieces would take.
package struct KeptByteCount: Sendable {
    /// Of all frames that ended, of the largest, and of the one that is being read.
    private var (total, largest, current) = (0, 0, 0)
    /// As many as were told of the one that is being read.
    private var told = ToldByteCount()
    private let tellsAhead: Bool
    private let counts: Bool

    package init(_ request: DecodingRequest) {
        tellsAhead = request.keepsFrames
        counts = request.data == nil
    }

    /// Takes note of how many bytes of the frame that is being read there are, before they are kept.
    ///
    /// - Returns: whether they are more than were told, and should be told now.
    package mutating func note(_ count: Int) -> Bool {
        current = count
        return tellsAhead && told.grows(to: count)
    }

    /// Takes note of more bytes of the frame that is being read; see ``note(_:)``.
    package mutating func noteMore(_ count: Int) -> Bool { note(current.addingSaturated(count)) }

    /// Takes note that the frame ended.
    package mutating func endFrame() {
        total = total.addingSaturated(current)
        largest = max(largest, current)
        (current, told) = (0, ToldByteCount())
    }

    /// Takes note that what was read of the frame is none, and its bytes are dropped; until now they were held.
    package mutating func cancelFrame() {
        largest = max(largest, current)
        (current, told) = (0, ToldByteCount())
    }

    /// Takes note that no more of the frame that is being read comes: there are so many bytes of it.
    package mutating func endEarly(_ count: Int) { (current, told) = (count, ToldByteCount()) }

    /// The most memory that keeping them takes. Saturates.
    ///
    /// - Parameter isTold: whether more of the frame that is being read may come before this is asked again.
    package func byteCount(isTold: Bool) -> Int {
        guard counts else { return 0 }
        let current = isTold ? max(current, told.byteCount) : current
        return FrameByteStore.byteCount(total.addingSaturated(current))
            .addingSaturated(ByteCollector.peakByteCount(collecting: max(largest, current)))
    }
}
