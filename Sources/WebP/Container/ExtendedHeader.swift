// VP8X: the size of the canvas, and what else is in the file.
//
//   byte 0          1 2 3      4 5 6            7 8 9
//   │R R I L E X A R│ reserved │ width minus 1  │ height minus 1 │   integers of 24 bits, little endian

package import ImageCodecsCore

/// The extended header.
///
/// Of its flags only one is believed: whether the file is an animation. What else there is the chunks themselves show.
///
/// - Source: RFC 9649 §2.7 "Extended File Format".
package struct ExtendedHeader: Hashable, Sendable {
    /// What the file says that it contains.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// ANIM and ANMF chunks.
        package static let animation = Flags(rawValue: 0x02)
        /// An XMP chunk.
        package static let xmp = Flags(rawValue: 0x04)
        /// An EXIF chunk.
        package static let exif = Flags(rawValue: 0x08)
        /// Transparent pixels.
        package static let alpha = Flags(rawValue: 0x10)
        /// An ICCP chunk.
        package static let colorProfile = Flags(rawValue: 0x20)
    }

    /// What the file says that it contains.
    package let flags: Flags
    /// Width and height of the canvas: 1...2^24 each, fewer than 2^32 pixels.
    package let canvasSize: PixelSize

    /// Bytes of the payload.
    package static let byteCount = 10

    /// Reads the payload.
    ///
    /// - Parameters:
    ///   - body: the first ``byteCount`` bytes of the payload.
    ///   - chunk: the chunk that it is of.
    /// - Throws: `corrupt` for a payload of another size, and for a canvas that is too large.
    package init(_ body: Span<UInt8>, _ chunk: RIFFChunk) throws(ImageError) {
        guard body.count >= Self.byteCount else { throw Self.wrongSize(chunk) }
        flags = Flags(rawValue: body[0])
        // As libwebp has it: what is longer is read if the file is an animation.
        guard chunk.byteCount == Self.byteCount || flags.contains(.animation) else { throw Self.wrongSize(chunk) }
        canvasSize = PixelSize(
            width: body.littleEndianUInt24(at: 4) + 1, height: body.littleEndianUInt24(at: 7) + 1)
        guard canvasSize.width * canvasSize.height < 1 << 32 else {
            throw .corrupt(
                .webP, .webpCanvasSize, offset: chunk.bodyOffset + 4, reason: "a canvas of \(canvasSize) pixels")
        }
    }

    /// The header of a file that is written.
    ///
    /// - Precondition: `canvasSize` is 1...2^24 both ways, fewer than 2^32 pixels.
    package init(_ flags: Flags, canvasSize: PixelSize) {
        self.flags = flags
        self.canvasSize = canvasSize
    }

    /// The payload.
    package var body: [UInt8] {
        [flags.rawValue, 0, 0, 0] + littleEndian24(canvasSize.width - 1) + littleEndian24(canvasSize.height - 1)
    }

    private static func wrongSize(_ chunk: RIFFChunk) -> ImageError {
        .corrupt(
            .webP, .webpChunkSize, offset: chunk.offset, reason: "VP8X of \(chunk.byteCount) bytes instead of 10")
    }
}

extension Span<UInt8> {
    /// The 24-bit little-endian integer at `offset`.
    ///
    /// - Precondition: its three bytes are in the span.
    func littleEndianUInt24(at offset: Int) -> Int {
        Int(self[offset]) | Int(self[offset + 1]) << 8 | Int(self[offset + 2]) << 16
    }
}

/// The three bytes of an integer below 2^24, low byte first.
func littleEndian24(_ value: Int) -> [UInt8] {
    [
        UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8),
        UInt8(truncatingIfNeeded: value >> 16),
    ]
}
