// Progressive files that are cut off: see Scripts/make-jpeg-matrix for how they were made.

import CodecTestSupport
import ImageCore

/// A progressive file with the checksums of what djpeg makes of its beginnings.
struct UnfinishedFile: Sendable, CustomStringConvertible {
    struct Cut: Sendable {
        /// Bytes in front of it.
        let byteCount: Int
        /// CRC-32 of the RGB pixels at 8/8, 4/8, 2/8 and, where there is a fourth, 1/8.
        let checksums: [String]
    }

    let name: String
    let bytes: [UInt8]
    let cuts: [Cut]

    var description: String { name }

    /// Whether the bytes end where a scan does.
    func endsScan(_ cut: Cut) -> Bool {
        guard cut.byteCount + 1 < bytes.count, bytes[cut.byteCount] == 0xFF else { return false }
        let next = bytes[cut.byteCount + 1]
        return next != 0 && !(0xD0...0xD7).contains(next)
    }

    static let all: [UnfinishedFile] = {
        guard let content = try? FixtureBytes.inflate("jpeg/unfinished.bin", limit: 4 << 20) else { return [] }
        var files: [UnfinishedFile] = []
        var position = 0
        func number() -> Int {
            defer { position += 4 }
            return Int(content.span.littleEndianUInt32(at: position))
        }
        func bytes() -> [UInt8] {
            let count = number()
            defer { position += count }
            return Array(content[position..<position + count])
        }
        func checksum() -> String {
            let digits = String(number(), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }
        while position < content.count {
            let name = String(decoding: bytes(), as: UTF8.self)
            let file = bytes()
            let cuts = (0..<number()).map { _ in
                Cut(byteCount: number(), checksums: (0..<number()).map { _ in checksum() })
            }
            files.append(UnfinishedFile(name: name, bytes: file, cuts: cuts))
        }
        return files
    }()
}
