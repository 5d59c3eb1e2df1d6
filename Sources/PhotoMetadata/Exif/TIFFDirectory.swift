// The structure that EXIF data have: a TIFF file without pictures.
//
// In: bytes. Out: which entries a directory has, what type their values are of, and where those lie. Nothing is copied
// and nothing is followed here: a caller asks for a directory at an offset, and whether it asks for another is its own
// business (see `ExifBlock`, which asks for five at most).

import ImageCodecsCore

/// In which order a TIFF structure has the bytes of its numbers.
package enum TIFFByteOrder: Hashable, Sendable {
    /// Low byte first: the structure begins with `II`.
    case littleEndian
    /// High byte first: the structure begins with `MM`.
    case bigEndian

    func uint16(in tiff: Span<UInt8>, at offset: Int) -> UInt16 {
        self == .bigEndian ? tiff.bigEndianUInt16(at: offset) : tiff.littleEndianUInt16(at: offset)
    }

    package func uint32(in tiff: Span<UInt8>, at offset: Int) -> UInt32 {
        self == .bigEndian ? tiff.bigEndianUInt32(at: offset) : tiff.littleEndianUInt32(at: offset)
    }

    /// A count or an offset; beyond every structure if `Int` has no room for it.
    func count(in tiff: Span<UInt8>, at offset: Int) -> Int { Int(clamping: uint32(in: tiff, at: offset)) }

    /// The bytes of a number.
    func bytes(_ value: UInt16) -> [UInt8] {
        let (high, low) = (UInt8(value >> 8), UInt8(truncatingIfNeeded: value))
        return self == .bigEndian ? [high, low] : [low, high]
    }

    /// The bytes of a number.
    package func bytes(_ value: UInt32) -> [UInt8] {
        let (high, low) = (bytes(UInt16(value >> 16)), bytes(UInt16(truncatingIfNeeded: value)))
        return self == .bigEndian ? high + low : low + high
    }
}

/// The first eight bytes of a TIFF structure.
///
/// - Source: TIFF 6.0, section 2 "TIFF Structure".
package struct TIFFHeader: Hashable, Sendable {
    static let byteCount = 8

    package let byteOrder: TIFFByteOrder
    /// Where the first directory is, if the structure reaches so far.
    package let firstDirectoryOffset: Int

    /// `nil` when the bytes are not the start of a TIFF structure.
    package init?(_ tiff: Span<UInt8>) {
        guard tiff.count >= Self.byteCount else { return nil }
        if tiff.hasBytes("II") {
            byteOrder = .littleEndian
        } else if tiff.hasBytes("MM") {
            byteOrder = .bigEndian
        } else {
            return nil
        }
        guard byteOrder.uint16(in: tiff, at: 2) == 42 else { return nil }
        firstDirectoryOffset = byteOrder.count(in: tiff, at: 4)
    }
}

/// One entry of a directory.
package struct TIFFEntry: Hashable, Sendable {
    static let byteCount = 12
    /// Values of this many bytes or fewer stand in the entry itself.
    static let inlineByteCount = 4

    package let tag: UInt16
    /// `nil` for a type that TIFF 6.0 does not know.
    package let type: ExifValueType?
    /// How many values there should be.
    package let valueCount: Int
    /// Where the entry begins.
    let offset: Int
    /// Where the values lie; `nil` if the type is not known, the structure ends before the last of them, or they would be in
    /// its header.
    package let valueBytes: Range<Int>?

    /// Whether the values stand in the entry itself.
    package var isInline: Bool { valueBytes.map { $0.count <= Self.inlineByteCount } ?? false }

    /// - Precondition: the entry lies in the structure.
    init(at offset: Int, of tiff: Span<UInt8>, _ byteOrder: TIFFByteOrder) {
        self.offset = offset
        tag = byteOrder.uint16(in: tiff, at: offset)
        type = ExifValueType(rawValue: byteOrder.uint16(in: tiff, at: offset + 2))
        valueCount = byteOrder.count(in: tiff, at: offset + 4)
        guard let type else {
            valueBytes = nil
            return
        }
        let (byteCount, overflow) = valueCount.multipliedReportingOverflow(by: type.byteCount)
        let start = byteCount <= Self.inlineByteCount ? offset + 8 : byteOrder.count(in: tiff, at: offset + 8)
        let isThere =
            !overflow && start >= TIFFHeader.byteCount && start <= tiff.count && byteCount <= tiff.count - start
        valueBytes = isThere ? start..<start + byteCount : nil
    }
}

/// Where the entries of one directory are.
///
/// ```
/// 49 49 2A 00  08 00 00 00   01 00     12 01  03 00  01 00 00 00  06 00 00 00   00 00 00 00
/// "II" 42      directory at  entries   274    SHORT  1 value      6             next directory
/// ```
package struct TIFFDirectory: Hashable, Sendable {
    package let byteOrder: TIFFByteOrder
    /// Entries that are in the structure from beginning to end; at most 65 535, each of 12 bytes.
    package let entryCount: Int
    /// Whether these are all that the directory should have.
    package let isWhole: Bool
    /// Where the number of entries stands.
    let offset: Int
    private var firstEntry: Int { offset + 2 }

    /// The directory at `offset`; `nil` if the structure has no room for one.
    package init?(at offset: Int, of tiff: Span<UInt8>, _ byteOrder: TIFFByteOrder) {
        guard offset >= TIFFHeader.byteCount, offset <= tiff.count - 2 else { return nil }
        self.byteOrder = byteOrder
        self.offset = offset
        let wanted = Int(byteOrder.uint16(in: tiff, at: offset))
        entryCount = min(wanted, (tiff.count - offset - 2) / TIFFEntry.byteCount)
        isWhole = entryCount == wanted
    }

    /// The directory that describes the main picture.
    package init?(firstOf tiff: Span<UInt8>) {
        guard let header = TIFFHeader(tiff) else { return nil }
        self.init(at: header.firstDirectoryOffset, of: tiff, header.byteOrder)
    }

    /// - Precondition: `index` is in `0..<entryCount`.
    package func entry(_ index: Int, of tiff: Span<UInt8>) -> TIFFEntry {
        TIFFEntry(at: firstEntry + index * TIFFEntry.byteCount, of: tiff, byteOrder)
    }

    /// The first entry with this tag.
    package func entry(tag: UInt16, of tiff: Span<UInt8>) -> TIFFEntry? {
        for index in 0..<entryCount {
            let entry = entry(index, of: tiff)
            if entry.tag == tag { return entry }
        }
        return nil
    }

    /// Where the number of entries, the entries, and if the structure has room for it what leads to the next directory are.
    func bytes(of tiff: Span<UInt8>) -> Range<Int> {
        offset..<min(tiff.count, bytes(ofEntries: 0..<entryCount).upperBound + 4)
    }

    /// Where the next directory should be; `nil` if the structure ends before that is said.
    func nextOffset(of tiff: Span<UInt8>) -> Int? {
        let link = bytes(ofEntries: 0..<entryCount).upperBound
        return link <= tiff.count - 4 ? byteOrder.count(in: tiff, at: link) : nil
    }

    /// Where these entries are.
    func bytes(ofEntries range: Range<Int>) -> Range<Int> {
        firstEntry + range.lowerBound * TIFFEntry.byteCount..<firstEntry + range.upperBound * TIFFEntry.byteCount
    }
}

extension TIFFEntry {
    /// The value with this number, if it is there and whole.
    ///
    /// - Parameters:
    ///   - tiff: the structure that the entry is of.
    ///   - byteOrder: that of the structure.
    package func integer(_ index: Int = 0, of tiff: Span<UInt8>, _ byteOrder: TIFFByteOrder) -> Int? {
        guard let type, let at = offset(ofValue: index) else { return nil }
        return switch type {
        case .byte, .undefined: Int(tiff[at])
        case .signedByte: Int(Int8(bitPattern: tiff[at]))
        case .short: Int(byteOrder.uint16(in: tiff, at: at))
        case .signedShort: Int(Int16(bitPattern: byteOrder.uint16(in: tiff, at: at)))
        case .long: Int(exactly: byteOrder.uint32(in: tiff, at: at))
        case .signedLong: Int(Int32(bitPattern: byteOrder.uint32(in: tiff, at: at)))
        case .ascii, .rational, .signedRational, .float, .double: nil
        }
    }

    /// Where the directory should be to which the entry leads: its first value, also of type 13, which is for that alone.
    ///
    /// - Source: TIFF Technical Note 1 "TIFF Trees".
    func directoryOffset(of tiff: Span<UInt8>, _ byteOrder: TIFFByteOrder) -> Int? {
        if let offset = integer(of: tiff, byteOrder) { return offset }
        return byteOrder.uint16(in: tiff, at: offset + 2) == 13 ? byteOrder.count(in: tiff, at: offset + 8) : nil
    }

    /// Where the value with this number begins.
    private func offset(ofValue index: Int) -> Int? {
        guard let type, let valueBytes, index >= 0, index < valueCount else { return nil }
        return valueBytes.lowerBound + index * type.byteCount
    }
}
