// The records of a fixture that a script has packed: numbers, names, files, checksums, one after the other.

import CodecTestSupport
import ImageCodecsCore

/// Reads the records of a fixture that is one zlib stream.
struct FixtureRecords {
    private let content: [UInt8]
    private var position = 0

    /// No records where the fixture cannot be read: tests that count them fail.
    init(_ path: String) { content = (try? FixtureBytes.inflate(path, limit: 4 << 20)) ?? [] }

    var isAtEnd: Bool { position >= content.count }

    /// A number of four bytes.
    mutating func number() -> Int {
        defer { position += 4 }
        return Int(content.span.littleEndianUInt32(at: position))
    }

    /// So many bytes as a number before them says.
    mutating func bytes() -> [UInt8] {
        let count = number()
        defer { position += count }
        return Array(content[position..<position + count])
    }

    /// A text, likewise.
    mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

    /// A number in eight hexadecimal digits.
    mutating func checksum() -> String {
        let digits = String(number(), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
