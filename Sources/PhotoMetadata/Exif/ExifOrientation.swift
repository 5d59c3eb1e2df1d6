// The orientation in EXIF data: read where it is, and written into a copy.
//
// A decoder turns the pixels by it; an encoder says what the pixels it writes still need.

package import ImageCodecsCore

/// Tag 274, "Orientation", one SHORT (Exif 2.32 §4.6.4).
private let orientationTag: UInt16 = 274

/// The orientation that EXIF data gives.
///
/// Only the first image file directory is read: its entries describe the main picture. Damaged data give `nil`; a
/// directory that is cut off is read as far as it goes.
///
/// - Parameter exif: A TIFF header and what it refers to, with or without `"Exif\0\0"` in front.
/// - Returns: `nil` without an orientation of 1...8.
package func exifOrientation(in exif: Span<UInt8>) -> Orientation? {
    let tiff = exif.extracting(droppingFirst: ExifBlock.nameByteCount(exif))
    guard let directory = TIFFDirectory(firstOf: tiff) else { return nil }
    for index in 0..<directory.entryCount {
        let entry = directory.entry(index, of: tiff)
        guard entry.tag == orientationTag, entry.hasPlainInteger,
            let value = entry.integer(of: tiff, directory.byteOrder), let orientation = Orientation(rawValue: value)
        else { continue }
        return orientation
    }
    return nil
}

extension TIFFEntry {
    /// Whether the values are in the entry and of a type in which writers put an orientation: BYTE and LONG besides SHORT.
    fileprivate var hasPlainInteger: Bool { isInline && (type == .short || type == .byte || type == .long) }
}

extension ExifBlock {
    /// The EXIF data to write with pixels that still have to be turned so; `nil` when there is nothing to say.
    ///
    /// A decoder may have turned the pixels already; the tag of the file it read must not make a viewer turn them again.
    /// Data without an orientation get one if they need one: a copy of the first directory with the tag is put at the
    /// end. Data that are not a TIFF structure with a whole first directory are replaced or left out.
    ///
    /// - Parameter exif: with or without `"Exif\0\0"` in front, which is left out.
    package static func bytes(_ exif: [UInt8]?, orientation: Orientation) -> [UInt8]? {
        let fresh = orientation == .up ? nil : minimal(orientation)
        guard let exif, let block = ExifBlock(exif), block.main.isWhole else { return fresh }
        if block.field(.orientation) != nil { return block.replacing(orientation) }
        return orientation == .up ? block.bytes : block.adding(orientation) ?? fresh
    }

    /// Big-endian, one directory with one entry.
    private static func minimal(_ orientation: Orientation) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1] + entryBytes(orientation, .bigEndian) + [0, 0, 0, 0]
    }

    private static func entryBytes(_ orientation: Orientation, _ byteOrder: TIFFByteOrder) -> [UInt8] {
        byteOrder.bytes(orientationTag) + byteOrder.bytes(ExifValueType.short.rawValue) + byteOrder.bytes(UInt32(1))
            + byteOrder.bytes(UInt16(orientation.rawValue)) + [0, 0]
    }

    /// The structure with every orientation of the first directory replaced: readers differ about which of several counts.
    private func replacing(_ orientation: Orientation) -> [UInt8] {
        var result = bytes
        let written = Self.entryBytes(orientation, main.byteOrder)
        // A directory has at most 65,535 entries.
        for index in 0..<main.entryCount {
            let entry = bytes.withSpan { main.entry(index, of: $0) }
            guard entry.tag == orientationTag else { continue }
            result.replaceSubrange(entry.offset..<entry.offset + TIFFEntry.byteCount, with: written)
        }
        return result
    }

    /// The structure with a new first directory at its end; offsets in TIFF are absolute, so everything else stays.
    private func adding(_ orientation: Orientation) -> [UInt8]? {
        guard main.entryCount < 0xFFFF, bytes.count < 0x7FFF_FFFF else { return nil }
        // Entries are in ascending order of their tags.
        let split = bytes.withSpan { tiff in
            (0..<main.entryCount).first { main.entry($0, of: tiff).tag > orientationTag } ?? main.entryCount
        }
        let end = main.bytes(ofEntries: 0..<main.entryCount).upperBound
        // What points to the next directory; zero where the structure ends before it.
        let link = bytes.count - end >= 4 ? bytes[end..<end + 4] : [0, 0, 0, 0]
        var result = bytes + (bytes.count % 2 == 0 ? [] : [0])
        let start = UInt32(result.count)
        result += main.byteOrder.bytes(UInt16(main.entryCount + 1))
        result += bytes[main.bytes(ofEntries: 0..<split)]
        result += Self.entryBytes(orientation, main.byteOrder)
        result += bytes[main.bytes(ofEntries: split..<main.entryCount)]
        result += link
        result.replaceSubrange(4..<8, with: main.byteOrder.bytes(start))
        return result
    }
}
