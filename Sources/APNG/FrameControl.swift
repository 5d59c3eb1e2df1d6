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
    /// How long the frame is shown: the fraction of a second as it is stored, within 10^-18 s.
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

    /// A fraction of a second; a denominator of 0 is 100.
    static func duration(numerator: Int, denominator: Int) -> Duration {
        .seconds(numerator) / (denominator == 0 ? 100 : denominator)
    }

    /// A chunk that is written; its duration is given with ``body(_:)``.
    ///
    /// - Parameters:
    ///   - sequenceNumber: the chunk's place among fcTL and fdAT chunks.
    ///   - rect: the frame's place on the canvas, within it.
    ///   - disposal: `dispose_op`.
    ///   - blending: `blend_op`.
    init(sequenceNumber: UInt32, rect: PixelRect, disposal: FrameInfo.Disposal, blending: FrameInfo.Blending) {
        self.sequenceNumber = sequenceNumber
        self.rect = rect
        duration = .zero
        self.disposal = disposal
        self.blending = blending
    }

    /// The body of the chunk.
    func body(_ delay: FrameDelay) -> [UInt8] {
        var body: [UInt8] = []
        body.appendBigEndian(sequenceNumber)
        for number in [rect.width, rect.height, rect.x, rect.y] { body.appendBigEndian(UInt32(number)) }
        body.appendBigEndian(delay.numerator)
        body.appendBigEndian(delay.denominator)
        let disposeOperation: UInt8 =
            switch disposal {
            case .keep: 0
            case .clear: 1
            case .restore: 2
            }
        return body + [disposeOperation, blending == .over ? 1 : 0]
    }
}
