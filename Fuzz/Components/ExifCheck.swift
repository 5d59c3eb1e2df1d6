// EXIF blocks of any bytes, against reading them with plain arithmetic.

import CodecTestSupport
import HostileFiles
import ImageCodecsCore
import ImagePhotoMetadata

/// - Source: TIFF 6.0, section 2 "TIFF Structure".
enum ExifCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        let block: [UInt8] =
            switch source.below(3) {
            case 0: ExifRecipe.any(&source)
            case 1: Array("II*\0\u{8}\0\0\0".utf8) + bytes.dropFirst()
            default: Array("Exif\0\0MM\0*\0\0\0\u{8}".utf8) + bytes.dropFirst()
            }
        let plain = PlainTIFF(block)
        guard let exif = ExifBlock(block) else { return plain == nil ? [] : ["a directory is not found"] }
        guard let plain else { return ["a directory where there is none"] }
        var found: [String] = []
        let tags = exif.fields(in: .main).map(\.tag.number)
        if tags != plain.entries.map(\.tag) { found.append("tags \(tags), not \(plain.entries.map(\.tag))") }
        for tag in Set(tags).sorted().prefix(40) {
            for index in [0, 1, 3, 70_000] {
                let value = exif[ExifTag(.main, tag)].flatMap { $0.integer(at: index) }
                let expected = plain.integer(tag, index)
                if value != expected { found.append("\(tag)[\(index)]: \(value as Any), not \(expected as Any)") }
            }
        }
        found += exif.editViolations()
        let orientation = block.withSpan { exifOrientation(in: $0) }
        if orientation != plain.orientation {
            found.append("orientation \(orientation as Any), not \(plain.orientation as Any)")
        }
        return found
    }

    /// The first directory of a TIFF structure, each number put together from its bytes.
    private struct PlainTIFF {
        struct Entry {
            let tag: UInt16
            let type: Int
            let count: Int
            let place: Int
        }

        private let tiff: [UInt8]
        private let isBigEndian: Bool
        private(set) var entries: [Entry] = []

        init?(_ block: [UInt8]) {
            let hasName = block.count >= 6 && block.starts(with: Array("Exif\0".utf8))
            tiff = hasName ? Array(block.dropFirst(6)) : block
            isBigEndian = tiff.first == UInt8(ascii: "M")
            let mark = Array((isBigEndian ? "MM" : "II").utf8)
            guard tiff.count >= 8, tiff.starts(with: mark), number(2, 2) == 42 else { return nil }
            let start = number(4, 4)
            guard start >= 8, start <= tiff.count - 2 else { return nil }
            for index in 0..<min(number(start, 2), (tiff.count - start - 2) / 12) {
                let place = start + 2 + 12 * index
                entries.append(
                    Entry(
                        tag: UInt16(number(place, 2)), type: number(place + 2, 2), count: number(place + 4, 4),
                        place: place + 8))
            }
        }

        private func number(_ place: Int, _ count: Int) -> Int {
            let bytes = tiff[place..<place + count]
            return (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }

        func integer(_ tag: UInt16, _ index: Int) -> Int? {
            entries.first { $0.tag == tag }.flatMap { integer($0, index) }
        }

        private func integer(_ entry: Entry, _ index: Int) -> Int? {
            let sizes = [1: 1, 3: 2, 4: 4, 6: 1, 7: 1, 8: 2, 9: 4]
            guard let size = sizes[entry.type], index < entry.count else { return nil }
            let start = size * entry.count <= 4 ? entry.place : number(entry.place, 4)
            guard start >= 8, start + size * entry.count <= tiff.count else { return nil }
            let value = number(start + size * index, size)
            let isSigned = [6, 8, 9].contains(entry.type)
            return isSigned && value >> (8 * size - 1) == 1 ? value - 1 << (8 * size) : value
        }

        /// The first entry of the tag that holds one of 1...8, as an unsigned number.
        var orientation: Orientation? {
            let sizes = [1: 1, 3: 2, 4: 4]
            for entry in entries where entry.tag == 274 {
                // It has to stand in the entry itself.
                guard let size = sizes[entry.type], size * entry.count <= 4 else { continue }
                if let value = integer(entry, 0), let orientation = Orientation(rawValue: value) { return orientation }
            }
            return nil
        }
    }
}

extension ExifValue {
    /// An integer of any size; `nil` for values of other types, and if there are not as many.
    fileprivate func integer(at index: Int) -> Int? {
        func value<T: BinaryInteger>(_ values: [T]) -> Int? {
            values.indices.contains(index) ? Int(values[index]) : nil
        }
        return switch self {
        case .byte(let values), .undefined(let values): value(values)
        case .short(let values): value(values)
        case .long(let values): value(values)
        case .signedByte(let values): value(values)
        case .signedShort(let values): value(values)
        case .signedLong(let values): value(values)
        case .ascii, .rational, .signedRational, .float, .double: nil
        }
    }
}
