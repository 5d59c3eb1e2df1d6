// A small JPEG picture inside EXIF data: the second directory of the TIFF structure.
//
// In: EXIF data, or none, and the bytes of a JPEG file. Out: EXIF data with that picture, in place of another one.

import ImageCodecsCore

/// Puts a preview into EXIF data.
///
/// - Source: Exif 2.32 §4.5.5 "Basic Structure of Thumbnail Data", §4.6.4 A "Tags relating to image data structure" and
///   B "Tags relating to recording offset".
package enum ExifThumbnail {
    private static let compression = ExifTag(.thumbnail, 0x0103)

    /// EXIF data whose second directory describes `jpeg`, which stands at the end.
    ///
    /// Without data to put it into, a structure is made whose first directory says that the picture stands upright. A
    /// directory after the first that was there is no longer referred to; the picture it describes is cut off if it was
    /// the last thing in the structure. The structure's byte order stays.
    ///
    /// - Parameters:
    ///   - jpeg: a whole file, best without metadata of its own.
    ///   - exif: a TIFF structure, with or without `"Exif\0\0"` in front, which is left out; data that are none are
    ///     replaced.
    ///   - byteCount: the most bytes of the result.
    /// - Returns: `nil` if the result would be longer.
    package static func embed(jpeg: [UInt8], into exif: [UInt8]?, byteCount: Int) -> [UInt8]? {
        let found = exif.flatMap { ExifBlock($0) }.flatMap { $0.main.isWhole ? $0 : nil }
        guard let block = found ?? ExifBlock(upright) else { return nil }
        let order = block.main.byteOrder
        var result = block.withoutThumbnail
        let link = block.main.bytes(ofEntries: 0..<block.main.entryCount).upperBound
        // A structure may end before the link to the next directory; a directory begins at an even byte.
        while result.count < link + 4 || result.count % 2 != 0 { result.append(0) }
        let start = result.count
        // 3 entries of 12 bytes, the number of entries before and a link after them.
        let directoryByteCount = 2 + 3 * TIFFEntry.byteCount + 4
        let total = start.addingSaturated(directoryByteCount).addingSaturated(jpeg.count)
        guard total <= byteCount, let offset = UInt32(exactly: start + directoryByteCount),
            let count = UInt32(exactly: jpeg.count)
        else { return nil }
        result.replaceSubrange(link..<link + 4, with: order.bytes(offset - UInt32(directoryByteCount)))
        result += order.bytes(UInt16(3))
        // 6: JPEG.
        result += order.bytes(compression.number) + order.bytes(ExifValueType.short.rawValue) + order.bytes(UInt32(1))
        result += order.bytes(UInt16(6)) + [0, 0]
        for (tag, value) in [(ExifTag.pictureOffset, offset), (.pictureByteCount, count)] {
            result += order.bytes(tag.number) + order.bytes(ExifValueType.long.rawValue) + order.bytes(UInt32(1))
            result += order.bytes(value)
        }
        return result + [0, 0, 0, 0] + jpeg
    }

    /// EXIF data that refer to no second directory, whose picture shows what the main picture was; cut off if it was the last
    /// thing in the structure. Data that are no TIFF structure stay as they are.
    package static func removed(from exif: [UInt8]) -> [UInt8] {
        guard let block = ExifBlock(exif), block.main.isWhole else { return exif }
        var result = block.withoutThumbnail
        let link = block.main.bytes(ofEntries: 0..<block.main.entryCount).upperBound
        guard result.count >= link + 4 else { return exif }
        result.replaceSubrange(link..<link + 4, with: [0, 0, 0, 0])
        return result
    }

    /// The JPEG picture that EXIF data hold, `nil` if there is none or it is cut off.
    package static func jpeg(in exif: [UInt8]) -> [UInt8]? {
        guard let block = ExifBlock(exif), let range = block.thumbnailRange else { return nil }
        return Array(block.bytes[range])
    }

    /// Big-endian, one directory with an orientation.
    private static var upright: [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
    }
}

extension ExifBlock {
    /// The structure without its preview, if that is the last thing in it and begins after the first directory.
    fileprivate var withoutThumbnail: [UInt8] {
        guard let range = thumbnailRange, range.upperBound == bytes.count,
            range.lowerBound >= main.bytes(ofEntries: 0..<main.entryCount).upperBound + 4
        else { return bytes }
        return Array(bytes[..<range.lowerBound])
    }
}
