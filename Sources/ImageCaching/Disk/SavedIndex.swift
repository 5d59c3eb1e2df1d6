// The index of a disk cache as a file, written when the cache is closed.
//
//   8 bytes "IMGINDEX"; CRC-32 of the rest; insertions into the folder so far (8 bytes);
//   for each file, the one not used for the longest time first: digest (32), bytes on the disk (8), last use (8), that of the file (8)

internal import DeflateCodec

enum SavedIndex {
    private static let magic = Array("IMGINDEX".utf8)
    private static let headByteCount = 20
    private static let recordByteCount = 56

    static func bytes(_ index: DiskIndex, insertionCount: UInt64) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(8 + index.count * recordByteCount)
        body.append(insertionCount)
        for record in index.recordsInOrder {
            for word in 0..<4 { body.append(record.digest.words[word]) }
            body.append(UInt64(record.byteCount))
            body.append(record.usedAt)
            body.append(record.savedAt)
        }
        var checksum = CRC32()
        checksum.add(body[...])
        var bytes = magic
        bytes.append(checksum.value)
        return bytes + body
    }

    /// The index in a file; `nil` if it is damaged, or if there were insertions after it was written.
    static func index(_ bytes: [UInt8], insertionCount: UInt64, now: Int64) -> DiskIndex? {
        guard bytes.count >= headByteCount, bytes.starts(with: magic),
            (bytes.count - headByteCount) % recordByteCount == 0
        else { return nil }
        var checksum = CRC32()
        checksum.add(bytes[12...])
        guard checksum.value == bytes.number(at: 8), bytes.number(at: 12) == insertionCount else { return nil }
        let records = stride(from: headByteCount, to: bytes.count, by: recordByteCount).map { place in
            DiskRecord(
                digest: Digest(
                    words: SIMD4(
                        bytes.number(at: place), bytes.number(at: place + 8), bytes.number(at: place + 16),
                        bytes.number(at: place + 24))),
                byteCount: Int(truncatingIfNeeded: bytes.number(at: place + 32) as UInt64),
                usedAt: bytes.number(at: place + 40), savedAt: bytes.number(at: place + 48))
        }
        return DiskIndex(inOrder: records, now: now)
    }
}
