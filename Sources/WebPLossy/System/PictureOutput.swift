// Lends the picture that is being reconstructed, and the closures that get its rows, to another thread.

package import ImageCodecsCore

/// Rows of a picture with whoever gets them.
///
/// One thread at a time holds it: it moves from hand to hand under the lock of the ``RowPipeline``.
// SAFETY: @unchecked because the closures are those that the thread which decodes was called with, and what they capture is
// that thread's. `lend(to:_:)` gives them away for the length of a call in which that thread touches none of it but through this
// value, and where the value changes hands the pipeline's lock orders what is done before and after.
@safe
package struct PictureOutput: @unchecked Sendable {
    fileprivate var picture: PictureRows
    private let place: RowPlacing
    private let take: (_ row: RawSpan, _ y: Int) -> Void

    fileprivate init(
        _ picture: consuming PictureRows, _ place: @escaping RowPlacing,
        _ take: @escaping (_ row: RawSpan, _ y: Int) -> Void
    ) {
        self.picture = picture
        self.place = place
        self.take = take
    }

    fileprivate mutating func add(_ parsed: ParsedRow) { picture.add(parsed, place: place, take: take) }
}

extension ParsedRow: PipelinedRow {
    package func emit(into output: inout PictureOutput) throws(ImageError) { output.add(self) }
}

extension PictureOutput {
    /// Calls `body` with an output of a picture, which it may lend to another thread.
    ///
    /// - Parameters:
    ///   - picture: taken for the call, so that its buffers are not shared.
    ///   - place: asked for each row, on whichever thread has the output.
    ///   - take: gets each row for which there is no place, and its number, on that thread.
    ///   - body: leaves the output where it found it, whatever it throws.
    static func lend(
        _ picture: inout PictureRows?, _ place: RowPlacing, _ take: (_ row: RawSpan, _ y: Int) -> Void,
        _ body: (inout [PictureOutput]) throws(ImageError) -> Void
    ) throws(ImageError) {
        var failure: ImageError?
        withoutActuallyEscaping(place) { place in
            withoutActuallyEscaping(take) { take in
                // Nobody else holds the picture from here on, so that its buffers are not copied.
                guard let taken = picture.take() else { return }
                var outputs = [PictureOutput(consume taken, place, take)]
                do throws(ImageError) { try body(&outputs) } catch { failure = error }
                picture = outputs.popLast()?.picture
            }
        }
        if let failure { throw failure }
    }
}
