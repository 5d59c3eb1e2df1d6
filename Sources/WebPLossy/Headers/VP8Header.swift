// The first ten bytes of a key frame, which are not entropy coded.

public import ImageCodecsCore

/// The frame tag of a key frame, and the size of its picture.
///
///     byte 0...2   bit 0      0 for a key frame
///                  bits 1-3   profile
///                  bit 4      whether the frame is to be shown
///                  bits 5-23  bytes of the first partition
///          3...5   9D 01 2A
///          6...7   width in 14 bits, horizontal scale in 2
///          8...9   height and vertical scale
///
/// - Source: RFC 6386 section 9.1 "Uncompressed Data Chunk"
public struct VP8Header: Hashable, Sendable {
    /// The size of the picture.
    public var size: PixelSize
    /// How much larger the picture is meant to be shown: 0 as it is, 1 by 5/4, 2 by 5/3, 3 by 2. Reported, never applied.
    public var horizontalScale: Int
    /// The same, of the height.
    public var verticalScale: Int
    /// 0...3: which filters a decoder of moving pictures uses. Key frames are decoded alike whatever it is.
    public var profile: Int
    /// Whether the frame is to be shown. Pictures are; a frame of a movie may be there for others to refer to alone.
    public var isShown: Bool
    /// Bytes of the first partition.
    public var firstPartitionByteCount: Int

    /// Bytes of the header.
    package static let byteCount = 10

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - bytes: ten bytes or more.
    ///   - offset: where they stand in the file.
    ///   - payloadByteCount: bytes of the frame, `.max` if that is not known.
    package init(_ bytes: Span<UInt8>, offset: Int, payloadByteCount: Int) throws(ImageError) {
        let tag = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        guard tag & 1 == 0 else {
            throw .corrupt(.webP, .vp8FrameTag, offset: offset, reason: "the frame is not a key frame")
        }
        profile = tag >> 1 & 7
        guard profile <= 3 else {
            throw .corrupt(.webP, .vp8FrameTag, offset: offset, reason: "profile \(profile)")
        }
        isShown = tag >> 4 & 1 == 1
        firstPartitionByteCount = tag >> 5
        guard bytes[3] == 0x9D, bytes[4] == 0x01, bytes[5] == 0x2A else {
            throw .corrupt(.webP, .vp8StartCode, offset: offset + 3, reason: "no start code after the frame tag")
        }
        let (width, height) = (Int(bytes.littleEndianUInt16(at: 6)), Int(bytes.littleEndianUInt16(at: 8)))
        size = PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
        (horizontalScale, verticalScale) = (width >> 14, height >> 14)
        guard !size.isEmpty else {
            throw .corrupt(.webP, .vp8FrameSize, offset: offset + 6, reason: "a picture of \(size) pixels")
        }
        guard firstPartitionByteCount <= payloadByteCount - Self.byteCount else {
            throw .corrupt(
                .webP, .vp8FirstPartition, offset: offset,
                reason: "a first partition of \(firstPartitionByteCount) bytes in a frame of \(payloadByteCount)")
        }
    }
}
