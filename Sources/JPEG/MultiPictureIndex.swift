// The index of pictures that follow the first one in a JPEG file: where they are in a file whose first picture was written anew.

import ImageCodecsCore
import ImagePhotoMetadata

/// Where the pictures are that an MPF segment lists.
///
/// Offsets count from the byte order mark of the segment; that of the first picture is 0.
///
/// - Source: CIPA DC-007-2009 "Multi-Picture Format" §5.2.2 "MP Index IFD", §5.2.3.3 "MP Entry".
struct MultiPictureIndex {
    /// One picture.
    private struct Entry {
        /// Where the entry says how long the picture is; where it is follows.
        let place: Int
        let byteCount: Int
        let offset: Int
    }

    private static let tag: UInt16 = 0xB002
    private static let entryByteCount = 16

    /// Where the byte order mark is in the file that was read.
    let start: Int
    private let byteOrder: TIFFByteOrder
    private let entries: [Entry]

    /// Reads an index; without entries if it cannot be read.
    ///
    /// - Parameters:
    ///   - tiff: the body of a segment without its name.
    ///   - start: where it lies in the file.
    init(_ tiff: Span<UInt8>, at start: Int) {
        self.start = start
        guard let directory = TIFFDirectory(firstOf: tiff),
            let values = directory.entry(tag: Self.tag, of: tiff)?.valueBytes
        else {
            (byteOrder, entries) = (.bigEndian, [])
            return
        }
        let byteOrder = directory.byteOrder
        self.byteOrder = byteOrder
        // A segment has room for some 4,000.
        entries = (0..<values.count / Self.entryByteCount).map { number in
            let place = values.lowerBound + number * Self.entryByteCount + 4
            return Entry(
                place: place, byteCount: Int(clamping: byteOrder.uint32(in: tiff, at: place)),
                offset: Int(clamping: byteOrder.uint32(in: tiff, at: place + 4)))
        }
    }

    /// Where the pictures are that lie after the first one.
    ///
    /// - Parameter end: where the first one ends.
    func furtherPictures(after end: Int, fileByteCount: Int) -> [Range<Int>] {
        entries.compactMap { entry in
            let place = start.addingSaturated(entry.offset)
            guard entry.offset > 0, place >= end, place < fileByteCount else { return nil }
            return place..<min(place.addingSaturated(entry.byteCount), fileByteCount)
        }
    }

    /// What is to be said instead, in a file in which the first picture ends elsewhere and all that follows is moved as far.
    ///
    /// - Parameters:
    ///   - end: where the first picture ended.
    ///   - newEnd: where it ends now.
    ///   - newStart: where the byte order mark is now.
    /// - Returns: four bytes each, and where they belong, from the byte order mark.
    func corrections(end: Int, newEnd: Int, newStart: Int) -> [(place: Int, bytes: [UInt8])] {
        entries.compactMap { entry in
            let isFirst = entry.offset == 0
            // A place that the index cannot state, or one within the first picture, stays as it is.
            guard isFirst || start.addingSaturated(entry.offset) >= end else { return nil }
            let old = isFirst ? entry.byteCount : entry.offset + start - newStart
            guard let new = UInt32(exactly: old.addingSaturated(newEnd - end)) else { return nil }
            return (isFirst ? entry.place : entry.place + 4, byteOrder.bytes(new))
        }
    }
}
