// Takes rows out of a running decode, so that no bitmap of the whole picture is made.

/// Gets the rows of a decode from the top, each once, in the format of its result.
///
/// A decode that can deliver rows so does it if its options name a receiver, and its result has no pixels then; one that cannot
/// (interlaced pictures, turned ones, animations) makes a bitmap as ever, and the receiver has got no rows. Of a damaged file
/// that is decoded tolerantly, rows that are missing are blank.
///
/// `take` is called on the thread that makes the rows, one call at a time, and never after the decode has returned.
// The closure need not be Sendable: the decode that calls it runs while its owner waits, so no two threads use it at a time.
package final class RowReceiver: @unchecked Sendable, Hashable {
    private var take: ((_ rows: RawSpan) throws(ImageError) -> Void)?
    /// Rows that were taken.
    package private(set) var rowCount = 0
    /// What `take` threw; no row is handed to it afterwards.
    package private(set) var failure: ImageError?

    /// - Parameter take: gets rows one after the other, without padding between them.
    init(_ take: @escaping (_ rows: RawSpan) throws(ImageError) -> Void) { self.take = take }

    /// Takes nothing: for an inspection that is to describe a decode without a bitmap.
    package static let placeholder = RowReceiver { _ in }

    /// Hands rows on.
    func receive(_ bytes: RawSpan, rows: Range<Int>) {
        guard failure == nil else { return }
        guard rows.lowerBound == rowCount else {
            failure = .invalidArgument("row \(rows.lowerBound) of a picture came after row \(rowCount - 1)")
            return
        }
        rowCount = rows.upperBound
        do throws(ImageError) {
            try take?(bytes)
        } catch {
            failure = error
        }
    }

    /// Lets go of the closure: nothing more is handed to it.
    func end() { take = nil }

    /// Throws what `take` threw.
    package func check() throws(ImageError) {
        if let failure { throw failure }
    }

    package static func == (lhs: RowReceiver, rhs: RowReceiver) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Makes a receiver of a closure that may not be kept, for the length of a call.
package func withRowReceiver<R>(
    _ take: (_ rows: RawSpan) throws(ImageError) -> Void, _ body: (RowReceiver) throws(ImageError) -> R
) throws(ImageError) -> R {
    var result: Result<R, ImageError>?
    withoutActuallyEscaping(take) { take in
        let receiver = RowReceiver(take)
        do throws(ImageError) {
            result = .success(try body(receiver))
        } catch {
            result = .failure(error)
        }
        // Decoders hold the receiver in their options; without the closure it is harmless.
        receiver.end()
    }
    guard let result else { throw .cancelled }
    return try result.get()
}
