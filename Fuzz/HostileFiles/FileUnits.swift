// A file taken apart into the units of its format, and put together again with sizes and checksums that are right.
//
//   PNG   signature │ chunk │ chunk ...                 a unit's body: what its CRC covers after the type
//   JPEG  SOI │ segment │ segment │ entropy-coded data ...
//   GIF   head and global palette │ block │ block ...    bodies are what the sub-blocks hold
//   WebP  RIFF head │ chunk │ chunk ...

internal import CodecTestSupport

/// The units of a file.
package struct FileUnits: Sendable {
    package enum Format: Sendable {
        case png
        case jpeg
        case gif
        case webp
    }

    /// What is found between two places where a reader of the format may stand.
    package struct Unit: Sendable {
        /// A type, a marker, a block's fixed fields; or bytes that belong to no unit.
        package var head: [UInt8]
        package var body: [UInt8]
        package var kind = Kind.plain

        package enum Kind: Sendable {
            /// Head and body as they are.
            case plain
            /// A PNG chunk: length in front, CRC after.
            case chunk
            /// A JPEG segment: length after the marker.
            case segment
            /// Sub-blocks of up to 255 bytes and an empty one.
            case subBlocks
            /// A RIFF chunk: its size after its code, padded.
            case riffChunk
        }

        package init(head: [UInt8], body: [UInt8] = [], kind: Kind = .plain) {
            (self.head, self.body, self.kind) = (head, body, kind)
        }

        /// The bytes of the unit, sizes and checksum as its format has them.
        package var bytes: [UInt8] {
            switch kind {
            case .plain: return head + body
            case .chunk:
                var builder = PNGBuilder()
                builder.add(String(decoding: head, as: UTF8.self), body)
                return Array(builder.bytes.dropFirst(8))
            case .segment:
                let length = min(body.count, 65_533) + 2
                return head + [UInt8(length >> 8), UInt8(length & 255)] + body.prefix(65_533)
            case .subBlocks:
                var (bytes, rest) = (head, body[...])
                while !rest.isEmpty {
                    let piece = rest.prefix(255)
                    bytes += [UInt8(piece.count)] + piece
                    rest = rest.dropFirst(piece.count)
                }
                return bytes + [0]
            case .riffChunk:
                return head + WebPBuilder.number(body.count, 4) + body + (body.count % 2 == 0 ? [] : [0])
            }
        }
    }

    package let format: Format
    package var units: [Unit]

    /// `nil` where the bytes do not begin like a file of a known format.
    package init?(_ file: [UInt8]) {
        var reader = UnitReader(file)
        if file.starts(with: [0x89, 0x50, 0x4E, 0x47]), file.count > 8 {
            (format, units) = (.png, reader.png())
        } else if file.starts(with: [0xFF, 0xD8]) {
            (format, units) = (.jpeg, reader.jpeg())
        } else if file.starts(with: Array("GIF8".utf8)), file.count >= 13 {
            (format, units) = (.gif, reader.gif())
        } else if file.starts(with: Array("RIFF".utf8)), file.count >= 12 {
            (format, units) = (.webp, reader.webp())
        } else {
            return nil
        }
    }

    /// The file of these units.
    package var file: [UInt8] {
        var file = Array(units.map(\.bytes).joined())
        if format == .webp { file = WebPBuilder.repaired(file) }
        return file
    }
}

/// Cuts a file at the borders of its units; what does not follow the format is one plain unit.
private struct UnitReader {
    private let file: [UInt8]
    private var position = 0

    init(_ file: [UInt8]) { self.file = file }

    private var left: Int { file.count - position }

    private mutating func take(_ count: Int) -> [UInt8] {
        let bytes = Array(file[position..<position + min(count, left)])
        position += bytes.count
        return bytes
    }

    private mutating func rest() -> [FileUnits.Unit] { left > 0 ? [FileUnits.Unit(head: take(left))] : [] }

    mutating func png() -> [FileUnits.Unit] {
        var units = [FileUnits.Unit(head: take(8))]
        while left >= 12 {
            let length = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= left - 12 else { break }
            position += 4
            units.append(FileUnits.Unit(head: take(4), body: take(length), kind: .chunk))
            position += 4
        }
        return units + rest()
    }

    mutating func jpeg() -> [FileUnits.Unit] {
        var units = [FileUnits.Unit(head: take(2))]
        while left >= 2 {
            guard file[position] == 0xFF, file[position + 1] != 0, file[position + 1] != 0xFF else {
                units.append(FileUnits.Unit(head: take(dataByteCount())))
                continue
            }
            let marker = file[position + 1]
            if marker == 1 || (0xD0...0xD9).contains(marker) {
                units.append(FileUnits.Unit(head: take(2)))
                continue
            }
            guard left >= 4 else { break }
            let length = Int(file[position + 2]) << 8 | Int(file[position + 3])
            guard length >= 2, length <= left - 2 else { break }
            let head = take(2)
            position += 2
            units.append(FileUnits.Unit(head: head, body: take(length - 2), kind: .segment))
        }
        return units + rest()
    }

    /// Bytes up to the next marker, one at least.
    private func dataByteCount() -> Int {
        var end = position + 1
        while end < file.count, file[end] != 0xFF || end + 1 < file.count && [0, 0xFF].contains(file[end + 1]) {
            end += 1
        }
        return end - position
    }

    mutating func gif() -> [FileUnits.Unit] {
        let flags = file[10]
        var units = [FileUnits.Unit(head: take(13 + (flags & 128 != 0 ? 3 << (Int(flags & 7) + 1) : 0)))]
        while left >= 2 {
            var head: [UInt8]
            switch file[position] {
            case 0x21: head = take(2)
            case 0x2C:
                guard left >= 11 else { return units + rest() }
                let flags = file[position + 9]
                head = take(10 + (flags & 128 != 0 ? 3 << (Int(flags & 7) + 1) : 0) + 1)
            default: return units + rest()
            }
            var body: [UInt8] = []
            while left > 0 {
                let count = Int(file[position])
                position += 1
                if count == 0 { break }
                body += take(count)
            }
            units.append(FileUnits.Unit(head: head, body: body, kind: .subBlocks))
        }
        return units + rest()
    }

    mutating func webp() -> [FileUnits.Unit] {
        var units = [FileUnits.Unit(head: take(12))]
        while left >= 8 {
            let size = (0..<4).reduce(0) { $0 | Int(file[position + 4 + $1]) << (8 * $1) }
            guard size <= left - 8 else { break }
            let head = take(4)
            position += 4
            units.append(FileUnits.Unit(head: head, body: take(size), kind: .riffChunk))
            position += min(left, size % 2)
        }
        return units + rest()
    }
}
