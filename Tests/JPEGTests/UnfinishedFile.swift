// Progressive files that are cut off: see Scripts/make-jpeg-matrix for how they were made.

/// A progressive file with the checksums of what djpeg makes of its beginnings.
struct UnfinishedFile: Sendable, CustomStringConvertible {
    struct Cut: Sendable {
        /// Bytes before it.
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
        var records = FixtureRecords("jpeg/unfinished.bin")
        var files: [UnfinishedFile] = []
        while !records.isAtEnd {
            let (name, bytes) = (records.text(), records.bytes())
            let cuts = (0..<records.number()).map { _ in
                Cut(byteCount: records.number(), checksums: (0..<records.number()).map { _ in records.checksum() })
            }
            files.append(UnfinishedFile(name: name, bytes: bytes, cuts: cuts))
        }
        return files
    }()
}
