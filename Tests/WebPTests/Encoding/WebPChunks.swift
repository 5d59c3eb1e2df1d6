import ImageCodecsCore
import Testing

/// The chunks of a file, read by the rules of RFC 9649 section 2.3 alone.
struct WebPChunks {
    struct Chunk: Equatable {
        let type: String
        let body: [UInt8]
    }

    let chunks: [Chunk]
    var types: [String] { chunks.map(\.type) }

    /// Every byte of the file is in a chunk, the head states the file's length, and padding is zero.
    init(_ file: [UInt8]) throws {
        try #require(file.starts(with: "RIFF".utf8) && file[8...].starts(with: "WEBP".utf8))
        try #require(Self.number(file[4..<8]) == file.count - 8)
        chunks = try Self.chunks(file[12...])
    }

    /// The chunks in a frame.
    init(frame body: [UInt8]) throws { chunks = try Self.chunks(body[16...]) }

    private static func chunks(_ bytes: ArraySlice<UInt8>) throws -> [Chunk] {
        var rest = bytes
        var found: [Chunk] = []
        while !rest.isEmpty {
            let start = rest.startIndex
            try #require(rest.count >= 8)
            let byteCount = number(rest[start + 4..<start + 8])
            let padded = byteCount + byteCount % 2
            try #require(rest.count >= 8 + padded)
            let body = Array(rest[start + 8..<start + 8 + byteCount])
            if padded > byteCount { try #require(rest[start + 8 + byteCount] == 0) }
            found.append(Chunk(type: String(decoding: rest[start..<start + 4], as: UTF8.self), body: body))
            rest = rest[(start + 8 + padded)...]
        }
        return found
    }

    /// An integer, low byte first.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

    /// The body of the only chunk of a type.
    subscript(_ type: String) -> [UInt8] {
        get throws {
            let found = chunks.filter { $0.type == type }
            try #require(found.count == 1, "\(found.count) of \(type)")
            return found[0].body
        }
    }
}
