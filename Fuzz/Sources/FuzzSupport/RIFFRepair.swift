// Puts right the sizes of a mutated WebP file, so that mutations reach the code behind the container.

/// Corrects the sizes of a RIFF file and of the chunks in it.
public enum RIFFRepair {
    /// Whether a file is one of these.
    public static func isRIFF(_ file: [UInt8]) -> Bool { file.count > 12 && file.starts(with: Array("RIFF".utf8)) }

    /// The file with the size that it has, a last chunk and a frame's last chunk that end where they have to.
    public static func repaired(_ file: [UInt8]) -> [UInt8] {
        var file = file
        setSize(file.count - 8, at: 4, &file)
        repairChunks(12..<file.count, &file, depth: 0)
        return file
    }

    /// Chunks that go beyond the range are shortened, in frames too.
    private static func repairChunks(_ range: Range<Int>, _ file: inout [UInt8], depth: Int) {
        var offset = range.lowerBound
        while range.upperBound - offset >= 8 {
            let room = range.upperBound - offset - 8
            var size = (0..<4).reduce(0) { $0 | Int(file[offset + 4 + $1]) << (8 * $1) }
            if size > room {
                size = room
                setSize(size, at: offset + 4, &file)
            }
            let isFrame = Array(file[offset..<offset + 4]) == Array("ANMF".utf8)
            if isFrame, size > 24, depth == 0 {
                repairChunks(offset + 24..<offset + 8 + size, &file, depth: 1)
            }
            offset += 8 + size + size % 2
        }
    }

    private static func setSize(_ size: Int, at offset: Int, _ file: inout [UInt8]) {
        for index in 0..<4 { file[offset + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
    }
}
