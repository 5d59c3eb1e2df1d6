// EXIF data by directory and tag: what the camera says about the picture.
//
// In: the body of a JPEG APP1 segment, a PNG eXIf chunk or a WebP EXIF chunk. Out: single values. The structure is
// followed from the header to the first directory and from there to two more, never further: no circle can be run
// through. Values are read where they lie, one at a time.

/// EXIF data: a TIFF structure without pictures.
///
/// - Source: JEITA CP-3451 (Exif 2.32) §4.5 "Basic Structure of Exif image files" and §4.6 "Tags"; TIFF 6.0, section 2
///   "TIFF Structure".
package struct ExifBlock: Sendable {
    /// The directories that describe the main picture.
    package enum Directory: CaseIterable, Sendable {
        /// The first one: make and model of the camera, orientation.
        case main
        /// How the picture was taken; found by tag 0x8769 of the main directory.
        case exif
        /// Where it was taken; found by tag 0x8825 of the main directory.
        case gps
    }

    /// The most bytes of a text that are read.
    package static let maxTextByteCount = 4096

    /// The TIFF structure, without a name in front.
    package let tiff: [UInt8]
    let main: TIFFDirectory
    private let exif: TIFFDirectory?
    private let gps: TIFFDirectory?

    /// `nil` when the bytes are not a TIFF structure with a directory.
    ///
    /// - Parameter bytes: a TIFF header and what it refers to, with or without `"Exif\0\0"` in front.
    package init?(_ bytes: [UInt8]) {
        let nameByteCount = bytes.withSpan { Self.nameByteCount($0) }
        let tiff = nameByteCount == 0 ? bytes : Array(bytes[nameByteCount...])
        guard let main = tiff.withSpan({ TIFFDirectory(firstOf: $0) }) else { return nil }
        self.tiff = tiff
        self.main = main
        exif = Self.directory(tag: 0x8769, of: main, tiff)
        gps = Self.directory(tag: 0x8825, of: main, tiff)
    }

    private static func directory(tag: UInt16, of main: TIFFDirectory, _ tiff: [UInt8]) -> TIFFDirectory? {
        tiff.withSpan { tiff in
            main.entry(tag: tag, of: tiff)?.integer(of: tiff, main.byteOrder)
                .flatMap { TIFFDirectory(at: $0, of: tiff, main.byteOrder) }
        }
    }

    /// Bytes of the name before the TIFF header.
    ///
    /// The byte after "Exif\0" is 0 by the standard, but some writers put another there.
    static func nameByteCount(_ bytes: Span<UInt8>) -> Int { bytes.hasBytes("Exif\0") && bytes.count >= 6 ? 6 : 0 }

    /// The tags of a directory, in the order of its entries; empty if there is none.
    package func tags(in directory: Directory = .main) -> [UInt16] {
        guard let found = self[directory] else { return [] }
        return tiff.withSpan { tiff in (0..<found.entryCount).map { found.entry($0, of: tiff).tag } }
    }

    /// The first entry with a tag.
    package func entry(_ tag: UInt16, in directory: Directory = .main) -> TIFFEntry? {
        self[directory].flatMap { found in tiff.withSpan { found.entry(tag: tag, of: $0) } }
    }

    /// An integer of any size and sign.
    package func integer(_ tag: UInt16, in directory: Directory = .main, at index: Int = 0) -> Int? {
        entry(tag, in: directory).flatMap { entry in
            tiff.withSpan { entry.integer(index, of: $0, main.byteOrder) }
        }
    }

    /// A fraction of either sign.
    package func rational(_ tag: UInt16, in directory: Directory = .main, at index: Int = 0) -> TIFFRational? {
        entry(tag, in: directory).flatMap { entry in
            tiff.withSpan { entry.rational(index, of: $0, main.byteOrder) }
        }
    }

    /// A text, at most its first ``maxTextByteCount`` bytes.
    package func text(_ tag: UInt16, in directory: Directory = .main) -> String? {
        entry(tag, in: directory).flatMap { entry in
            tiff.withSpan { entry.text(of: $0, maxByteCount: Self.maxTextByteCount) }
        }
    }

    private subscript(_ directory: Directory) -> TIFFDirectory? {
        switch directory {
        case .main: main
        case .exif: exif
        case .gps: gps
        }
    }
}
