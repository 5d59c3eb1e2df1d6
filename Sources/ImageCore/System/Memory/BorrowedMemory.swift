// A bitmap whose pixels are in memory of a caller, for the time of one call.

extension Bitmap {
    /// Calls `body` with a bitmap whose rows are those of `layout` in `memory`.
    ///
    /// Only pixels of rows are written, neither what is between them nor what is after the last: such a bitmap does not
    /// own its padding (``ownsPadding``), so its rows are handed out one by one, and kernels stay within the span they get.
    ///
    /// - Parameter body: May put another bitmap in its place. No copy of the bitmap may outlive the call.
    /// - Returns: What `body` returned, and the bitmap it left if the pixels of that are not in `memory`.
    /// - Precondition: `memory` has `layout.byteCount` bytes.
    static func withBorrowedMemory<R>(
        _ memory: inout MutableRawSpan, _ layout: PixelLayout,
        _ body: (inout Bitmap) throws(ImageError) -> R
    ) throws(ImageError) -> (result: R, elsewhere: Bitmap?) {
        precondition(layout.byteCount <= memory.byteCount, "less memory than the picture takes")
        return try unsafe memory.withUnsafeMutableBytes { (buffer) throws(ImageError) in
            var bitmap = Bitmap.empty
            weak var loan: AlignedStorage?
            if let base = buffer.baseAddress, layout.byteCount > 0 {
                // SAFETY: the memory is valid, and nobody else's, until this closure returns; the block is used for no
                // more than the bytes that were checked above. That it does not outlive the closure is checked below.
                bitmap = unsafe lend(base, layout, noting: &loan)
            }
            let result = Result { () throws(ImageError) in try body(&bitmap) }
            let elsewhere = bitmap.isBorrowed ? nil : bitmap
            bitmap = .empty
            // SAFETY: whoever still held the block could write to memory that is no longer lent. Decoders do not: their
            // session ended with `body`, with all that belonged to it, and so did the thread that helped it.
            precondition(loan == nil, "a decoder kept memory that it was lent")
            return (try result.get(), elsewhere)
        }
    }

    @unsafe
    private static func lend(
        _ base: UnsafeMutableRawPointer, _ layout: PixelLayout, noting loan: inout AlignedStorage?
    ) -> Bitmap {
        // SAFETY: the caller's duty.
        let storage = unsafe AlignedStorage(borrowing: base, byteCount: layout.byteCount)
        loan = storage
        return Bitmap(storage, layout)
    }
}
