// ANMF: the head of a frame, before the chunks with its picture.
//
//   byte 0 1 2   3 4 5   6 7 8          9 10 11         12 13 14   15
//   │ x / 2    │ y / 2 │ width minus 1 │ height minus 1 │ duration │ rsv B D │

package import ImageCodecsCore

/// The head of a frame.
///
/// - Source: RFC 9649 §2.7.1.1 "Animation".
package struct FrameChunk: Hashable, Sendable {
    /// Where the frame lies, always at even places; if its bitstream states another size, that size counts.
    package let rect: PixelRect
    /// How long it is shown.
    package let duration: Duration
    /// Whether its pixels are laid over the canvas, or take the place of what is there.
    package let blending: FrameInfo.Blending
    /// What becomes of its rectangle.
    package let disposal: FrameInfo.Disposal

    /// Bytes of the head.
    package static let byteCount = 16

    /// The longest duration that a head can state, in milliseconds.
    package static let longestMilliseconds = 0xFF_FFFF

    /// The head of a frame that is written.
    ///
    /// - Precondition: the rectangle lies at even places; `milliseconds` is 0...``longestMilliseconds``.
    package init(
        _ rect: PixelRect, milliseconds: Int, _ blending: FrameInfo.Blending, _ disposal: FrameInfo.Disposal
    ) {
        self.rect = rect
        self.blending = blending
        self.disposal = disposal
        duration = .milliseconds(milliseconds)
    }

    /// The head as it stands in a file.
    package var bytes: [UInt8] {
        let numbers = [rect.x / 2, rect.y / 2, rect.width - 1, rect.height - 1, duration.wholeMilliseconds]
        let flags: UInt8 = (blending == .replace ? 0x02 : 0) | (disposal == .clear ? 0x01 : 0)
        return numbers.flatMap { littleEndian24($0) } + [flags]
    }

    /// Reads the head.
    ///
    /// - Parameter body: ``byteCount`` bytes or more.
    package init(_ body: Span<UInt8>) {
        rect = PixelRect(
            x: 2 * body.littleEndianUInt24(at: 0), y: 2 * body.littleEndianUInt24(at: 3),
            width: body.littleEndianUInt24(at: 6) + 1, height: body.littleEndianUInt24(at: 9) + 1)
        duration = .milliseconds(body.littleEndianUInt24(at: 12))
        blending = body[15] & 0x02 == 0 ? .over : .replace
        disposal = body[15] & 0x01 == 0 ? .keep : .clear
    }
}
