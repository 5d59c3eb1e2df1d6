// The index of a disk cache as a file, written when the cache is closed.
//
//   8 bytes "IMGINDEX"; XXH64 of the rest (8 bytes); insertions into the folder so far (8 bytes);
//   for each file, the one not used for the longest time first: name (32), bytes on the disk (8), last use (8), that of the file (8)

enum SavedIndex {
    private static let magic = Array("IMGINDEX".utf8)
    private static let headByteCount = 24
    private static let recordByteCount = 56

    static func bytes(_ index: DiskIndex, insertionCount: UInt64) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(8 + index.count * recordByteCount)
        body.append(insertionCount)
        for record in index.recordsInOrder {
            for word in 0..<4 { body.append(record.name.words[word]) }
            body.append(UInt64(record.byteCount))
            body.append(record.usedAt)
            body.append(record.savedAt)
        }
        var bytes = magic
        bytes.append(XXHash64.hash(of: body[...]))
        return bytes + body
    }

    /// The index in a file; `nil` if it is damaged, or if there were insertions after it was written.
    static func index(_ bytes: [UInt8], insertionCount: UInt64, now: Int64) -> DiskIndex? {
        guard bytes.count >= headByteCount, bytes.starts(with: magic),
            (bytes.count - headByteCount) % recordByteCount == 0
        else { return nil }
        guard XXHash64.hash(of: bytes[16...]) == bytes.number(at: 8), bytes.number(at: 16) == insertionCount else {
            return nil
        }
        let records = stride(from: headByteCount, to: bytes.count, by: recordByteCount).map { place in
            DiskRecord(
                name: EntryName(
                    words: SIMD4(
                        bytes.number(at: place), bytes.number(at: place + 8), bytes.number(at: place + 16),
                        bytes.number(at: place + 24))),
                byteCount: Int(truncatingIfNeeded: bytes.number(at: place + 32) as UInt64),
                usedAt: bytes.number(at: place + 40), savedAt: bytes.number(at: place + 48))
        }
        return DiskIndex(inOrder: records, now: now)
    }
}
