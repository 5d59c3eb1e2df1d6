// Frames that are decoded before they are due: a value that knows which are there, which are wanted and what fits.

package import ImageCodecsCore

/// Decoded frames that are waiting to be shown.
package struct FrameLookAhead: Sendable {
    /// The frame that is being decoded.
    package private(set) var decoding: Int?
    /// Bytes of the frames that are there.
    package private(set) var byteCount = 0
    private let maxFrameCount: Int
    private let maxByteCount: Int
    /// What a frame takes: the most that one has, before the first what the headers say.
    private var frameByteCount: Int
    /// What is to be shown, the next first, each once.
    private var wanted: [Int] = []
    /// Whether the first of them is waited for, and so decoded whatever it takes.
    private var needsFirst = false
    private var ready: [Int: Result<ImageFrame, ImageError>] = [:]

    package init(maxFrameCount: Int, maxByteCount: Int, frameByteCount: Int) {
        self.maxFrameCount = maxFrameCount
        self.maxByteCount = maxByteCount
        self.frameByteCount = frameByteCount
    }

    /// Frames that are there.
    package var readyCount: Int { ready.count }

    /// Says what is to be shown, and lets go of everything else.
    ///
    /// - Parameters:
    ///   - indices: the next first, each once.
    ///   - needsFirst: whether the first is waited for.
    package mutating func want(_ indices: [Int], needsFirst: Bool) {
        wanted = indices
        self.needsFirst = needsFirst
        for index in ready.keys.filter({ !indices.contains($0) }) { drop(index) }
        guard needsFirst, let first = indices.first, ready[first] == nil else { return }
        // What is shown last makes room first.
        for index in indices.reversed() where !hasRoom { drop(index) }
    }

    /// Whether the frame that is being decoded will not be shown any more.
    package var isDecodingInVain: Bool { decoding.map { !wanted.contains($0) } ?? false }

    /// What to decode now; `nil` while a frame is being decoded, and when there is nothing wanted or no room.
    package var candidate: Int? {
        guard decoding == nil, let index = wanted.first(where: { ready[$0] == nil }) else { return nil }
        return hasRoom || needsFirst && index == wanted.first ? index : nil
    }

    /// Begins to decode the ``candidate``.
    package mutating func beginDecoding() -> Int? {
        decoding = decoding ?? candidate
        return decoding
    }

    /// Takes what was decoded, if it is still wanted.
    ///
    /// - Parameters:
    ///   - result: the frame, or why there is none; the error is thrown when the frame is due.
    ///   - wasCancelled: whether decoding was cancelled; then a failure says nothing about the frame.
    package mutating func finish(_ result: Result<ImageFrame, ImageError>, wasCancelled: Bool) {
        guard let index = decoding.take(), wanted.contains(index) else { return }
        switch result {
        case .success(let frame):
            frameByteCount = max(frameByteCount, frame.bitmap.byteCount)
            byteCount = byteCount.addingSaturated(frame.bitmap.byteCount)
            ready[index] = result
        case .failure:
            if !wasCancelled { ready[index] = result }
        }
    }

    /// A frame, if it is there; it stays until ``want(_:needsFirst:)`` says otherwise.
    package subscript(_ index: Int) -> Result<ImageFrame, ImageError>? { ready[index] }

    private var hasRoom: Bool {
        ready.count < maxFrameCount && byteCount.addingSaturated(frameByteCount) <= maxByteCount
    }

    private mutating func drop(_ index: Int) {
        if case .success(let frame)? = ready.removeValue(forKey: index) { byteCount -= frame.bitmap.byteCount }
    }
}
