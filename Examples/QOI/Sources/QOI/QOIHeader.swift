// The first fourteen bytes of a file.
//
//     71 6F 69 66   00 00 00 40   00 00 00 30   04         00
//     "qoif"        width         height        channels   colour space: 0 sRGB with linear alpha, 1 all linear

import ImageCodecsCore

/// What the header says.
struct QOIHeader {
    static let byteCount = 14
    private static let signature: [UInt8] = Array("qoif".utf8)

    let size: PixelSize
    let hasAlpha: Bool
    let isLinear: Bool

    /// Whether a file that starts so is QOI.
    static func hasSignature(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= signature.count else { return false }
        for index in signature.indices where bytes[index] != signature[index] { return false }
        return true
    }

    // snippet: header
    /// `nil` while there are too few bytes.
    init?(_ bytes: Span<UInt8>) throws(ImageError) {
        for index in 0..<min(bytes.count, Self.signature.count) where bytes[index] != Self.signature[index] {
            throw .unknownFormat
        }
        guard bytes.count >= Self.byteCount else { return nil }
        // Below 2^32 each: Int has room for them, and the limits on sizes are ImageCore's business.
        size = PixelSize(width: Self.number(bytes, at: 4), height: Self.number(bytes, at: 8))
        guard !size.isEmpty else {
            throw .corrupt(QOICoder.format, .qoiSize, offset: 4, reason: "size of \(size) pixels")
        }
        guard bytes[12] == 3 || bytes[12] == 4 else {
            throw .corrupt(QOICoder.format, .qoiHeader, offset: 12, reason: "\(bytes[12]) channels")
        }
        guard bytes[13] <= 1 else {
            throw .corrupt(QOICoder.format, .qoiHeader, offset: 13, reason: "colour space \(bytes[13])")
        }
        hasAlpha = bytes[12] == 4
        isLinear = bytes[13] == 1
    }
    // end of snippet

    private static func number(_ bytes: Span<UInt8>, at start: Int) -> Int {
        (start..<start + 4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }

    /// The bytes of a header.
    static func bytes(size: PixelSize, hasAlpha: Bool) -> [UInt8] {
        let sides = [size.width, size.height].flatMap { side in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
        }
        return signature + sides + [hasAlpha ? 4 : 3, 0]
    }
}
