// Whether one colour can stand for transparency, so that no pixel needs an alpha sample.

import ImageCodecsCore

/// Looks for a colour that all transparent pixels have and no other pixel has.
///
/// Colours of opaque pixels are kept in a set that knows their hashes alone: it may name a colour that no pixel has, and
/// then a picture keeps its alpha, but it never misses one.
struct ColorKeySurvey: Sendable {
    private enum State: Hashable, Sendable {
        /// All pixels so far are opaque.
        case opaque
        /// Those that are not are transparent and have this colour, red in the lowest byte.
        case transparent(UInt32)
        /// Some pixel is translucent, or two transparent ones differ.
        case impossible
    }

    private var state = State.opaque
    /// A bit for each hash of an opaque colour.
    private var seen: ScratchBuffer

    /// Bits of a hash.
    private static let hashBitCount = 19

    /// Bytes that a survey holds.
    static var byteCount: Int { 1 << (hashBitCount - 3) }

    init(meter: MemoryMeter?) throws(ImageError) {
        seen = try ScratchBuffer(byteCount: Self.byteCount, filledWith: 0, meter: meter)
    }

    /// Whether a colour may still be found.
    var isPossible: Bool { state != .impossible }

    /// The colour, three bytes with red in the lowest, if there is one.
    var colorKey: UInt32? {
        guard case .transparent(let color) = state else { return nil }
        let place = Self.place(of: color)
        return seen.withBytes { $0.byte(at: place.byte) & place.bit == 0 } ? color : nil
    }

    /// Looks at a row of straight RGBA.
    mutating func look(at row: RawSpan, width: Int) {
        guard isPossible else { return }
        var state = state
        seen.withMutableBytes { seen in
            var last: UInt32?
            for x in 0..<width {
                let pixel = UInt32(littleEndian: row.nativeUInt32(at: 4 * x))
                guard pixel != last else { continue }
                last = pixel
                let color = pixel & 0xFF_FFFF
                switch pixel >> 24 {
                case 255:
                    let place = Self.place(of: color)
                    seen.setByte(seen.byte(at: place.byte) | place.bit, at: place.byte)
                case 0 where state == .opaque || state == .transparent(color): state = .transparent(color)
                default:
                    state = .impossible
                    return
                }
            }
        }
        self.state = state
    }

    private static func place(of color: UInt32) -> (byte: Int, bit: UInt8) {
        // The high bits of a product by an odd number near 2^32 over the golden ratio depend on all bits of the colour.
        let hash = Int((color &* 0x9E37_79B1) >> UInt32(32 - hashBitCount))
        return (hash >> 3, 1 << UInt8(hash & 7))
    }
}
