// WebP containers put together by hand: chunks with their padding, and the head that says how long the file is.

/// Builds the chunks of WebP files.
///
/// - Source: RFC 9649 §2.3 "RIFF File Format", §2.7 "Extended File Format".
public enum WebPBuilder {
    /// A chunk with its code, its size, and a zero byte after a payload of odd size.
    public static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        Array(type.utf8) + number(body.count, 4) + body + (body.count % 2 == 0 ? [] : [0])
    }

    /// A file of chunks.
    public static func file(_ chunks: [UInt8]...) -> [UInt8] { file(of: chunks) }

    /// A file of chunks.
    public static func file(of chunks: [[UInt8]]) -> [UInt8] {
        let body = Array("WEBP".utf8) + chunks.joined()
        return Array("RIFF".utf8) + number(body.count, 4) + body
    }

    /// The extended header; `flags` as the standard has them: 2 animation, 4 XMP, 8 EXIF, 16 alpha, 32 color profile.
    public static func extendedHeader(flags: UInt8, width: Int, height: Int) -> [UInt8] {
        chunk("VP8X", [flags, 0, 0, 0] + number(width - 1, 3) + number(height - 1, 3))
    }

    /// What counts for a whole animation.
    public static func animationHeader(loopCount: Int, background: [UInt8] = [255, 255, 255, 255]) -> [UInt8] {
        chunk("ANIM", background + number(loopCount, 2))
    }

    /// A frame; `flags` as the standard has them: 1 clear afterwards, 2 do not blend.
    public static func frame(
        x: Int, y: Int, width: Int, height: Int, milliseconds: Int, flags: UInt8, _ chunks: [UInt8]
    ) -> [UInt8] {
        chunk(
            "ANMF",
            number(x / 2, 3) + number(y / 2, 3) + number(width - 1, 3) + number(height - 1, 3)
                + number(milliseconds, 3) + [flags] + chunks)
    }

    /// A number, the lowest byte first.
    public static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The same file, with a head that says how long it is.
    public static func repaired(_ file: [UInt8]) -> [UInt8] {
        guard file.count >= 8 else { return file }
        return Array(file[..<4]) + number(file.count - 8, 4) + file[8...]
    }
}
