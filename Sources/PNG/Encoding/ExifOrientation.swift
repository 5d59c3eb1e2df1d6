// eXIf: the EXIF block as it was, but with the orientation the written pixels really have.

import ImageCore

/// Brings the orientation tag of an EXIF block (a TIFF structure) in line with the pixels.
///
/// A decoder may have turned the pixels already; the tag of the file it read must not make a viewer turn them again.
///
/// Sources: TIFF 6.0, section 2 "TIFF Structure"; PNG 3rd ed. §11.3.4.6 "eXIf Exchangeable Image File (Exif) Profile".
enum ExifOrientation {
    /// Tag 274, "Orientation", one SHORT.
    private static let tag: UInt16 = 274
    private static let short: UInt16 = 3
    private static let entryByteCount = 12

    /// The block to write; `nil` when there is nothing to say.
    ///
    /// A block without an orientation tag gets one where it needs one: a copy of its first directory with the tag
    /// is put at the end. A block that is not a TIFF structure is replaced or left out.
    static func block(_ exif: [UInt8]?, _ orientation: Orientation) -> [UInt8]? {
        let fresh = orientation == .up ? nil : minimalBlock(orientation)
        guard var block = exif, let directory = Directory(block) else { return fresh }
        let value = UInt16(orientation.rawValue)
        if let entry = directory.entryOffset(of: tag, in: block) {
            block.replace(at: entry + 2, with: short, directory.isBigEndian)
            block.replace(at: entry + 4, with: UInt32(1), directory.isBigEndian)
            block.replace(at: entry + 8, with: value, directory.isBigEndian)
            block.replace(at: entry + 10, with: UInt16(0), directory.isBigEndian)
            return block
        }
        guard orientation != .up else { return block }
        return adding(value, to: block, directory) ?? fresh
    }

    /// Big-endian, one directory with one entry.
    private static func minimalBlock(_ orientation: Orientation) -> [UInt8] {
        [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // "MM", 42, directory at 8
            0, 1,  // one entry
            0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0,  // tag, SHORT, one value
            0, 0, 0, 0,  // no further directory
        ]
    }

    /// The block with a new first directory at its end; offsets in TIFF are absolute, so everything else stays.
    private static func adding(_ value: UInt16, to block: [UInt8], _ directory: Directory) -> [UInt8]? {
        guard directory.entryCount < 0xFFFF, block.count < 0x7FFF_FFFF else { return nil }
        let isBigEndian = directory.isBigEndian
        var entry = [UInt8](repeating: 0, count: entryByteCount)
        entry.replace(at: 0, with: tag, isBigEndian)
        entry.replace(at: 2, with: short, isBigEndian)
        entry.replace(at: 4, with: UInt32(1), isBigEndian)
        entry.replace(at: 8, with: value, isBigEndian)
        // Entries are in ascending order of their tags.
        let split = directory.entriesBefore(tag, in: block)
        var result = block + (block.count % 2 == 0 ? [] : [0])
        let start = result.count
        result += [0, 0] + block[directory.entries(0..<split)] + entry
        result += block[directory.entries(split..<directory.entryCount)] + directory.link(in: block)
        result.replace(at: start, with: UInt16(directory.entryCount + 1), isBigEndian)
        result.replace(at: 4, with: UInt32(start), isBigEndian)
        return result
    }

    /// The first image file directory of a TIFF structure.
    private struct Directory {
        let isBigEndian: Bool
        /// Where the entries start, behind their number.
        let start: Int
        let entryCount: Int

        /// `nil` when the bytes are not a TIFF structure whose first directory is complete.
        init?(_ block: [UInt8]) {
            guard block.count >= 8 else { return nil }
            switch (block[0], block[1]) {
            case (0x4D, 0x4D): isBigEndian = true
            case (0x49, 0x49): isBigEndian = false
            default: return nil
            }
            guard block.sixteenBits(at: 2, isBigEndian) == 42 else { return nil }
            let high = Int(block.sixteenBits(at: isBigEndian ? 4 : 6, isBigEndian))
            let low = Int(block.sixteenBits(at: isBigEndian ? 6 : 4, isBigEndian))
            let offset = high << 16 | low
            guard offset >= 8, offset <= block.count - 2 else { return nil }
            start = offset + 2
            entryCount = Int(block.sixteenBits(at: offset, isBigEndian))
            guard entryCount * entryByteCount <= block.count - start else { return nil }
        }

        /// Where these entries are.
        func entries(_ range: Range<Int>) -> Range<Int> {
            start + range.lowerBound * entryByteCount..<start + range.upperBound * entryByteCount
        }

        func entryOffset(of tag: UInt16, in block: [UInt8]) -> Int? {
            (0..<entryCount).map { start + $0 * entryByteCount }
                .first { block.sixteenBits(at: $0, isBigEndian) == tag }
        }

        func entriesBefore(_ tag: UInt16, in block: [UInt8]) -> Int {
            (0..<entryCount).first { block.sixteenBits(at: start + $0 * entryByteCount, isBigEndian) > tag }
                ?? entryCount
        }

        /// The four bytes that point to the next directory; zero where the block ends before them.
        func link(in block: [UInt8]) -> [UInt8] {
            let end = start + entryCount * entryByteCount
            return block.count - end >= 4 ? Array(block[end..<end + 4]) : [0, 0, 0, 0]
        }
    }
}

extension [UInt8] {
    fileprivate func sixteenBits(at offset: Int, _ isBigEndian: Bool) -> UInt16 {
        isBigEndian ? span.bigEndianUInt16(at: offset) : span.littleEndianUInt16(at: offset)
    }

    fileprivate mutating func replace(at offset: Int, with value: UInt16, _ isBigEndian: Bool) {
        let (high, low) = (UInt8(value >> 8), UInt8(truncatingIfNeeded: value))
        self[offset] = isBigEndian ? high : low
        self[offset + 1] = isBigEndian ? low : high
    }

    fileprivate mutating func replace(at offset: Int, with value: UInt32, _ isBigEndian: Bool) {
        let (high, low) = (UInt16(value >> 16), UInt16(truncatingIfNeeded: value))
        replace(at: offset, with: isBigEndian ? high : low, isBigEndian)
        replace(at: offset + 2, with: isBigEndian ? low : high, isBigEndian)
    }
}
