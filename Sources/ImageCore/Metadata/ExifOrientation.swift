// Finds the orientation in EXIF data, which is a TIFF file without pictures.
//
// In: the body of a JPEG APP1 segment, a PNG eXIf chunk or a WebP EXIF chunk. Out: the value of tag 274, if there is
// one that can be read.

/// The orientation that EXIF data gives.
///
/// Only the first image file directory is read: its entries describe the main picture. Damaged data give `nil`; a
/// directory that is cut off is read as far as it goes.
///
/// - Parameter exif: A TIFF header and what it refers to, with or without `"Exif\0\0"` in front.
/// - Returns: `nil` without an orientation of 1...8.
/// - Source: JEITA CP-3451 (Exif 2.32) §4.5 "Basic Structure of Exif image files" and §4.6.4, tag 274 "Orientation";
///   TIFF 6.0 §2 "TIFF Structure".
package func exifOrientation(in exif: Span<UInt8>) -> Orientation? {
    // The byte behind "Exif\0" is 0 by the standard, but some writers put another there.
    let tiff = exif.hasBytes("Exif\0") && exif.count >= 6 ? exif.extracting(droppingFirst: 6) : exif
    guard let directory = TIFFDirectory(firstOf: tiff) else { return nil }
    for index in 0..<directory.entryCount {
        let entry = directory.entry(index, of: tiff)
        if entry.tag == 274, let value = entry.value, let orientation = Orientation(rawValue: value) {
            return orientation
        }
    }
    return nil
}

/// Where the entries of a TIFF file's first image file directory are.
///
/// ```
/// 49 49 2A 00  08 00 00 00   01 00     12 01  03 00  01 00 00 00  06 00 00 00   00 00 00 00
/// "II" 42      directory at  entries   274    SHORT  1 value      6             next directory
/// ```
private struct TIFFDirectory {
    /// One entry whose value fits into it.
    struct Entry {
        let tag: Int
        /// The first value if it is an integer of 8, 16 or 32 bits.
        let value: Int?
    }

    /// Entries that are in the data from beginning to end.
    let entryCount: Int
    private let firstEntry: Int
    private let isBigEndian: Bool

    private static let headerByteCount = 8
    private static let entryByteCount = 12

    init?(firstOf tiff: Span<UInt8>) {
        guard tiff.count >= Self.headerByteCount else { return nil }
        isBigEndian = tiff.hasBytes("MM")
        guard isBigEndian || tiff.hasBytes("II"), tiff.uint16(at: 2, bigEndian: isBigEndian) == 42 else { return nil }
        let offset = tiff.uint32(at: 4, bigEndian: isBigEndian)
        guard offset >= Self.headerByteCount, offset <= tiff.count - 2 else { return nil }
        firstEntry = offset + 2
        entryCount = min(
            tiff.uint16(at: offset, bigEndian: isBigEndian), (tiff.count - firstEntry) / Self.entryByteCount)
    }

    /// - Precondition: `index` is in `0..<entryCount`.
    func entry(_ index: Int, of tiff: Span<UInt8>) -> Entry {
        let offset = firstEntry + index * Self.entryByteCount
        let type = tiff.uint16(at: offset + 2, bigEndian: isBigEndian)
        let count = tiff.uint32(at: offset + 4, bigEndian: isBigEndian)
        let value: Int? =
            switch type {
            case 1 where 1...4 ~= count: Int(tiff[offset + 8])  // BYTE
            case 3 where 1...2 ~= count: tiff.uint16(at: offset + 8, bigEndian: isBigEndian)  // SHORT
            case 4 where count == 1: tiff.uint32(at: offset + 8, bigEndian: isBigEndian)  // LONG
            default: nil
            }
        return Entry(tag: tiff.uint16(at: offset, bigEndian: isBigEndian), value: value)
    }
}

extension Span<UInt8> {
    fileprivate func uint16(at offset: Int, bigEndian: Bool) -> Int {
        Int(bigEndian ? bigEndianUInt16(at: offset) : littleEndianUInt16(at: offset))
    }

    fileprivate func uint32(at offset: Int, bigEndian: Bool) -> Int {
        Int(bigEndian ? bigEndianUInt32(at: offset) : littleEndianUInt32(at: offset))
    }
}
