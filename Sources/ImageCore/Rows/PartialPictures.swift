// Pictures of an unfinished decode that cost what changed since the last one.

/// Two bitmaps that take turns at being the picture so far.
///
/// A decoder goes on writing into its own bitmap; a picture handed out may not change any more. So pictures are copies,
/// and to keep them cheap the copy that the caller has let go of is brought up to date and handed out again:
///
///     caller asks      1        2        3        4
///     bitmap A      ─ rows ────────── changed ─────────     whole once, then the rows that changed since it was out
///     bitmap B      ────────── rows ────────── changed
///
/// A caller that keeps only the newest picture pays for the rows that changed; one that keeps more of them pays for a
/// whole copy of each, which the memory meter counts and may refuse.
package struct PartialPictures: Sendable {
    private struct Picture {
        var bitmap: Bitmap
        /// Rows of the decoder's bitmap that changed since.
        var staleRows: Range<Int>?
    }

    /// The newest last, at most two.
    private var pictures: [Picture] = []

    package init() {}

    /// Records rows that changed in the decoder's bitmap.
    package mutating func record(_ rows: Range<Int>) {
        for index in pictures.indices {
            pictures[index].staleRows.formUnion(rows)
        }
    }

    /// Gives back the memory: no more pictures are asked for.
    package mutating func removeAll() { pictures = [] }

    /// The picture so far.
    ///
    /// - Parameters:
    ///   - bitmap: the decoder's, as the file stores it.
    ///   - filledRowCount: rows from the top that are written; the others show nothing.
    ///   - orientation: how it is turned for viewing.
    /// - Throws: `limitExceeded`, `cancelled`; nothing is lost then.
    package mutating func next(
        _ bitmap: Bitmap, filledRowCount: Int, orientation: Orientation, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        if let newest = pictures.last, newest.staleRows == nil { return newest.bitmap }
        // The newest that nobody holds has the fewest rows to copy.
        var free: Int?
        for index in pictures.indices where pictures[index].bitmap.isUniquelyReferenced() { free = index }
        if let index = free {
            if let rows = pictures[index].staleRows {
                try pictures[index].bitmap.copyRows(rows, of: bitmap, orientation, work: work)
                pictures[index].staleRows = nil
            }
            pictures.append(pictures.remove(at: index))
        } else {
            if pictures.count == 2 { pictures.removeFirst() }
            var fresh = try Bitmap(
                cleared: orientation.size(ofStored: bitmap.size), format: bitmap.format, meter: meter, work: work)
            try fresh.copyRows(0..<filledRowCount, of: bitmap, orientation, work: work)
            pictures.append(Picture(bitmap: fresh))
        }
        return pictures[pictures.count - 1].bitmap
    }
}

extension Range<Int> {
    /// The smallest range that covers both.
    package func union(_ other: Range<Int>) -> Range<Int> {
        if isEmpty { return other }
        if other.isEmpty { return self }
        return Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}

extension Range<Int>? {
    /// Becomes the smallest range that covers both.
    package mutating func formUnion(_ other: Range<Int>) { self = self?.union(other) ?? other }
}
