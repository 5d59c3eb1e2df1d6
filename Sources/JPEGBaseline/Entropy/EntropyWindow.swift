// The part of the input that entropy decoding may read between two looks at the clock.

package import ImageCodecsCore

/// A stretch of entropy-coded data from some place on.
///
/// A row of MCUs may be made of any number of bytes, by fill bytes before stuffed zeros, and kernels do not ask the
/// clock. So they get a window that holds the longest possible MCU; a run that is not complete at the end of a window
/// goes on in the next one.
package struct EntropyWindow: Hashable, Sendable {
    /// Where the window ends, counted from the start of the input.
    package let end: Int
    /// Whether the input goes on after it.
    package let isCut: Bool

    /// Bytes from the reader on: ``SequentialScan/longestMCUByteCount`` with the longest fill before every byte
    /// are 639,673.
    private static let byteCount = 1 << 20

    /// - Parameters:
    ///   - position: Where the reader stands.
    ///   - inputCount: Bytes of the input.
    package init(from position: Int, inputCount: Int) {
        isCut = inputCount - position > Self.byteCount
        end = isCut ? position + Self.byteCount : inputCount
    }

    /// Ends reading in the window: after one that is cut the clock is asked, and the next goes on where this one was
    /// read to.
    package func leave(_ reader: inout EntropyBitReader, work: WorkGuard) throws(ImageError) {
        guard isCut else { return }
        try work.check()
        if !reader.hasOverrun { reader.rebase(droppingFirst: 0) }
    }
}
