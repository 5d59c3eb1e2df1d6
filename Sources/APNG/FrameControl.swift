// fcTL: where a frame lies, how long it is shown, how it is drawn and what becomes of it.

package import ImageCodecsCore
package import PNGCodec

/// A frame control chunk.
///
/// Source: PNG 3rd ed. §11.3.6.2 "fcTL Frame Control Chunk".
package struct FrameControl: Hashable, Sendable {
    /// The chunk's place among fcTL and fdAT chunks.
    package let sequenceNumber: UInt32
    /// The frame's place on the canvas.
    package let rect: PixelRect
    /// How long the frame is shown, rounded to the nearest millisecond.
    package let duration: Duration
    /// `dispose_op`.
    package let disposal: FrameInfo.Disposal
    /// `blend_op`.
    package let blending: FrameInfo.Blending

    /// Bytes of the chunk's body.
    package static let byteCount = 26

    /// Reads the body of a chunk.
    ///
    /// - Parameter canvas: the size in IHDR.
    /// - Precondition: it has 26 bytes.
    package init(_ body: Span<UInt8>, _ chunk: ChunkHeader, canvas: PixelSize) throws(ImageError) {
        func number(_ offset: Int, of body: Span<UInt8>) -> Int { Int(body.bigEndianUInt32(at: offset)) }
        sequenceNumber = body.bigEndianUInt32(at: 0)
        rect = PixelRect(
            x: number(12, of: body), y: number(16, of: body), width: number(4, of: body), height: number(8, of: body))
        // Four numbers below 2^32: no sum overflows.
        guard !rect.isEmpty, rect.x + rect.width <= canvas.width, rect.y + rect.height <= canvas.height else {
            throw .corrupt(
                .png, .apngFrameControl, offset: chunk.bodyOffset + 4,
                reason: "a frame of \(rect) pixels on a canvas of \(canvas)")
        }
        duration = Self.duration(
            numerator: Int(body.bigEndianUInt16(at: 20)), denominator: Int(body.bigEndianUInt16(at: 22)))
        switch body[24] {
        case 0: disposal = .keep
        case 1: disposal = .clear
        case 2: disposal = .restore
        default:
            throw .corrupt(
                .png, .apngFrameControl, offset: chunk.bodyOffset + 24, reason: "dispose operation \(body[24])")
        }
        switch body[25] {
        case 0: blending = .replace
        case 1: blending = .over
        default:
            throw .corrupt(
                .png, .apngFrameControl, offset: chunk.bodyOffset + 25, reason: "blend operation \(body[25])")
        }
    }

    /// A fraction of a second as milliseconds, halves to the even one; a denominator of 0 is 100.
    static func duration(numerator: Int, denominator: Int) -> Duration {
        let denominator = denominator == 0 ? 100 : denominator
        let (whole, rest) = (numerator * 1000).quotientAndRemainder(dividingBy: denominator)
        let isUp = 2 * rest > denominator || (2 * rest == denominator && whole % 2 == 1)
        return .milliseconds(whole + (isUp ? 1 : 0))
    }
}
