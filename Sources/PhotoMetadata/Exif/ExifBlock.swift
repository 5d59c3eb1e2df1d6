// EXIF data by directory and tag: what the camera says about the picture.
//
// In: the body of a JPEG APP1 segment, a PNG eXIf chunk or a WebP EXIF chunk. Out: which tags there are, and their
// values, read where they lie, one at a time. The structure is followed from the header to five directories, never
// further: no circle can be run through.

import ImageCodecsCore

/// EXIF data: a TIFF structure without pictures, taken apart when it is asked for.
///
/// ```swift
/// guard let exif = metadata.exif, let block = ExifBlock(exif) else { return }
/// for directory in block.directories {
///     for field in block.fields(in: directory) {
///         print(field.tag.name ?? "\(field.tag.number)", field.count, block.value(of: field) as Any)
///     }
/// }
/// ```
///
/// Nothing that the bytes say is believed: values that lie outside of them are `nil`, whatever their number. Looking for a tag
/// takes time for each entry of its directory; reading a value takes time and memory for its own bytes. Fields may share bytes, so
/// that the values of all fields together may be much longer than the block: ``value(of:maxCount:)`` bounds what is read.
///
/// What a tag means that the standard does not name is left to the caller, and so are notes of makers (``ExifTag/makerNote``).
/// `ImageMetadata.photo` has what is asked for most; `ImageMetadata.editExif(_:)` changes tags.
///
/// - Source: JEITA CP-3451 (Exif 2.32) §4.5 "Basic Structure of Exif image files" and §4.6 "Tags"; TIFF 6.0, section 2
///   "TIFF Structure".
public struct ExifBlock: Hashable, Sendable {
    /// A tag as it stands in its directory.
    public struct Field: Hashable, Sendable {
        /// The tag.
        public let tag: ExifTag
        /// The type of the values; `nil` for a type that TIFF 6.0 does not have.
        public let type: ExifValueType?
        /// How many values the file says there are.
        public let count: Int
        /// Where they lie in ``ExifBlock/bytes``; `nil` if they are not there as a whole, or the type is not known.
        public let range: Range<Int>?
    }

    /// The TIFF structure, without a name before it: offsets in it count from its first byte.
    public let bytes: [UInt8]
    let main: TIFFDirectory
    private let others: [ExifDirectory: TIFFDirectory]

    /// Finds the directories; `nil` if the bytes are not a TIFF structure with a directory.
    ///
    /// - Parameter bytes: a TIFF header and what it refers to, with or without `"Exif\0\0"` before it.
    public init?(_ bytes: [UInt8]) {
        let nameByteCount = bytes.withSpan { Self.nameByteCount($0) }
        let tiff = nameByteCount == 0 ? bytes : Array(bytes[nameByteCount...])
        guard let main = tiff.withSpan({ TIFFDirectory(firstOf: $0) }) else { return nil }
        self.bytes = tiff
        self.main = main
        others = tiff.withSpan { tiff in
            var others: [ExifDirectory: TIFFDirectory] = [:]
            func directory(_ tag: ExifTag, of directory: TIFFDirectory?) -> TIFFDirectory? {
                directory?.entry(tag: tag.number, of: tiff)?.directoryOffset(of: tiff, main.byteOrder)
                    .flatMap { TIFFDirectory(at: $0, of: tiff, main.byteOrder) }
            }
            others[.exif] = directory(.exifPointer, of: main)
            others[.gps] = directory(.gpsPointer, of: main)
            others[.interoperability] = directory(.interoperabilityPointer, of: others[.exif])
            others[.thumbnail] = main.nextOffset(of: tiff).flatMap { TIFFDirectory(at: $0, of: tiff, main.byteOrder) }
            return others
        }
    }

    /// Bytes of the name before the TIFF header.
    ///
    /// The byte after "Exif\0" is 0 by the standard, but some writers put another there.
    static func nameByteCount(_ bytes: Span<UInt8>) -> Int { bytes.hasBytes("Exif\0") && bytes.count >= 6 ? 6 : 0 }

    /// The directories that the block has.
    public var directories: [ExifDirectory] { ExifDirectory.allCases.filter { table($0) != nil } }

    /// The fields of a directory in the order of the file, those that lead to other directories among them; empty if there is no
    /// such directory.
    ///
    /// A directory that is cut off is read as far as it goes.
    public func fields(in directory: ExifDirectory) -> [Field] {
        guard let table = table(directory) else { return [] }
        return bytes.withSpan { tiff in
            (0..<table.entryCount).map { Field(directory, table.entry($0, of: tiff)) }
        }
    }

    /// The first field with a tag.
    public func field(_ tag: ExifTag) -> Field? {
        guard let table = table(tag.directory) else { return nil }
        return bytes.withSpan { tiff in table.entry(tag: tag.number, of: tiff).map { Field(tag.directory, $0) } }
    }

    /// The values of the first field with a tag; `nil` if there is none, or its values are not there.
    public subscript(tag: ExifTag) -> ExifValue? { field(tag).flatMap { value(of: $0) } }

    /// The values of a field; `nil` if they are not there as a whole, or the type is not known.
    ///
    /// - Parameters:
    ///   - field: one of this block.
    ///   - maxCount: no more values than these are read.
    public func value(of field: Field, maxCount: Int = .max) -> ExifValue? {
        guard let type = field.type, let range = field.range, range.upperBound <= bytes.count else { return nil }
        let byteCount = min(range.count, max(0, maxCount).multipliedSaturated(by: type.byteCount))
        return bytes.withSpan { tiff in
            ExifValue(type, tiff.extracting(range).extracting(first: byteCount), main.byteOrder)
        }
    }

    /// Where the JPEG picture lies that ``ExifDirectory/thumbnail`` describes; `nil` if there is none, or it is cut off.
    public var thumbnailRange: Range<Int>? {
        bytes.withSpan { tiff in
            guard let table = others[.thumbnail],
                let start = table.entry(tag: ExifTag.pictureOffset.number, of: tiff)?.integer(of: tiff, main.byteOrder),
                let count = table.entry(tag: ExifTag.pictureByteCount.number, of: tiff)?
                    .integer(of: tiff, main.byteOrder),
                start >= TIFFHeader.byteCount, count > 0, start <= tiff.count, count <= tiff.count - start
            else { return nil }
            return start..<start + count
        }
    }

    /// Where the entries of a directory are.
    func table(_ directory: ExifDirectory) -> TIFFDirectory? { directory == .main ? main : others[directory] }
}

extension ExifBlock.Field {
    fileprivate init(_ directory: ExifDirectory, _ entry: TIFFEntry) {
        self.init(
            tag: ExifTag(directory, entry.tag), type: entry.type, count: entry.valueCount, range: entry.valueBytes)
    }
}
