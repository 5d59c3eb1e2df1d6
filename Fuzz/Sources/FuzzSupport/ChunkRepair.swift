// Puts right the checksums of a mutated PNG file, so that mutations reach the code behind them.

/// Recomputes the CRC of every chunk.
public enum ChunkRepair {
    /// The file with the checksum of every chunk that is all there corrected.
    public static func repaired(_ file: [UInt8]) -> [UInt8] {
        var file = file
        var offset = 8
        while file.count - offset >= 12 {
            let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= file.count - offset - 12 else { break }
            let end = offset + 8 + length
            let checksum = crc32(file[offset + 4..<end])
            for index in 0..<4 { file[end + index] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * index)) }
            offset = end + 4
        }
        return file
    }

    /// CRC-32 with the polynomial of PNG 3rd ed. §5.5 "CRC algorithm".
    public static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var remainder: UInt32 = 0xFFFF_FFFF
        for byte in bytes { remainder = table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ remainder >> 8 }
        return ~remainder
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }
}
