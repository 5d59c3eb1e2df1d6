// Writes PNG files chunk by chunk, right or deliberately wrong, without any code of the library under test.

#if SystemZlib
internal import ImageCodecsZlib
#endif

/// A PNG file under construction.
///
/// Nothing is checked: chunks may come in any order, with any content and with wrong checksums.
public struct PNGBuilder: Sendable {
    /// The file so far.
    public private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// A file that holds its signature alone.
    public init() {}

    /// Appends a chunk.
    ///
    /// - Parameters:
    ///   - claimedLength: what the length field says where that is not the body's.
    ///   - flippedChecksumBits: bits of the checksum that are wrong.
    public mutating func add(
        _ type: String, _ body: [UInt8] = [], claimedLength: UInt32? = nil, flippedChecksumBits: UInt32 = 0
    ) {
        let checked = Array(type.utf8) + body
        bytes += Self.bigEndian(claimedLength ?? UInt32(body.count)) + checked
        bytes += Self.bigEndian(Self.crc32(checked) ^ flippedChecksumBits)
    }

    /// Appends bytes that are no chunk.
    public mutating func add(raw: [UInt8]) { bytes += raw }

    /// Appends IHDR.
    public mutating func addHeader(
        width: Int, height: Int, depth: UInt8 = 8, colorType: UInt8 = 2, interlaced: Bool = false
    ) {
        add(
            "IHDR",
            Self.bigEndian(UInt32(width)) + Self.bigEndian(UInt32(height))
                + [depth, colorType, 0, 0, interlaced ? 1 : 0])
    }

    /// Appends the compressed image data as IDAT chunks of `chunkSize` bytes.
    public mutating func addImageData(_ compressed: [UInt8], chunkSize: Int = .max) {
        var start = 0
        repeat {
            let end = min(compressed.count, chunkSize > compressed.count ? compressed.count : start + chunkSize)
            add("IDAT", Array(compressed[start..<end]))
            start = end
        } while start < compressed.count
    }

    /// A whole file.
    ///
    /// - Parameters:
    ///   - scanlines: filter type bytes and filtered samples of all rows, or of all passes.
    ///   - chunks: what stands between IHDR and IDAT.
    ///   - late: what stands between IDAT and IEND.
    public static func file(
        width: Int, height: Int, depth: UInt8 = 8, colorType: UInt8 = 2, interlaced: Bool = false,
        chunks: [(String, [UInt8])] = [], scanlines: [UInt8], late: [(String, [UInt8])] = [],
        isCompressed: Bool = false
    ) -> [UInt8] {
        var builder = PNGBuilder()
        builder.addHeader(width: width, height: height, depth: depth, colorType: colorType, interlaced: interlaced)
        for (type, body) in chunks { builder.add(type, body) }
        builder.addImageData(isCompressed ? deflated(scanlines) : stored(scanlines))
        for (type, body) in late { builder.add(type, body) }
        builder.add("IEND")
        return builder.bytes
    }

    /// The smallest sound file: one gray pixel.
    public static func onePixel(chunks: [(String, [UInt8])] = [], late: [(String, [UInt8])] = []) -> [UInt8] {
        file(width: 1, height: 1, colorType: 0, chunks: chunks, scanlines: [0, 128], late: late)
    }

    /// The chunks' checksums put right, for files that were damaged on purpose.
    public static func repaired(_ file: [UInt8]) -> [UInt8] {
        var file = file
        var offset = 8
        while file.count - offset >= 12 {
            let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= file.count - offset - 12 else { break }
            let end = offset + 8 + length
            file.replaceSubrange(end..<end + 4, with: bigEndian(crc32(Array(file[offset + 4..<end]))))
            offset = end + 4
        }
        return file
    }
}

// MARK: - Compression and checksums

extension PNGBuilder {
    /// A zlib stream of stored blocks (RFC 1950 and RFC 1951 §3.2.4 "Non-compressed blocks").
    public static func stored(_ bytes: [UInt8], blockSize: Int = 65_535) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(bytes.count, start + blockSize)
            let length = UInt16(end - start)
            stream.append(end == bytes.count ? 1 : 0)
            for value in [length, ~length] { stream += [UInt8(value & 255), UInt8(value >> 8)] }
            stream += bytes[start..<end]
            start = end
        } while start < bytes.count
        return stream + bigEndian(adler32(bytes))
    }

    /// A zlib stream made by zlib; of stored blocks if that is not built in.
    public static func deflated(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
        #if SystemZlib
        var count = compressBound(UInt(bytes.count))
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { target, initializedCount in
            unsafe bytes.withUnsafeBufferPointer { source in
                // SAFETY: zlib reads `source.count` bytes and writes at most `count`, which the buffer holds.
                unsafe _ = compress2(target.baseAddress, &count, source.baseAddress, UInt(source.count), level)
            }
            initializedCount = Int(count)
        }
        #else
        return stored(bytes)
        #endif
    }

    /// Four bytes, the most significant first.
    public static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    /// PNG 3rd ed. §5.5 "CRC algorithm".
    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    /// RFC 1950 §2.2 "Data format", ADLER32.
    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }
}
