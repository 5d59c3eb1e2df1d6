// What reader and writer have in common: the table of pixels seen, and the bytes that operations begin with.

/// Red, green, blue, alpha.
typealias QOIPixel = SIMD4<UInt8>

/// The first byte of an operation: two bits tell which, or all eight.
///
///     11111110   red, green, blue
///     11111111   red, green, blue, alpha
///     00iiiiii   the pixel at this place of the table
///     01rrggbb   differences to the last pixel, each + 2
///     10gggggg   difference of green + 32; then a byte: those of red and blue to that of green, each + 8
///     11llllll   the last pixel so many times more, + 1
enum QOIOperation {
    static let rgb: UInt8 = 0xFE
    static let rgba: UInt8 = 0xFF
    static let index: UInt8 = 0x00
    static let difference: UInt8 = 0x40
    static let luma: UInt8 = 0x80
    static let run: UInt8 = 0xC0
    /// The two bits that tell the operation, and the six others.
    static let kindMask: UInt8 = 0xC0
    static let valueMask: UInt8 = 0x3F
    /// Runs of 63 and 64 would be the bytes of `rgb` and `rgba`.
    static let longestRun = 62
}

/// The 64 pixels that were seen last, each at the place its colour has.
struct QOIPixelTable: Sendable {
    /// Black, and opaque.
    static let firstPixel = QOIPixel(0, 0, 0, 255)
    private var pixels = [QOIPixel](repeating: QOIPixel(repeating: 0), count: 64)

    static func place(of pixel: QOIPixel) -> Int {
        (Int(pixel.x) * 3 + Int(pixel.y) * 5 + Int(pixel.z) * 7 + Int(pixel.w) * 11) & 63
    }

    /// The pixel at a place, 0...63.
    subscript(place: Int) -> QOIPixel { pixels[place & 63] }

    mutating func note(_ pixel: QOIPixel) { pixels[Self.place(of: pixel)] = pixel }

    /// Whether the pixel is at its place; if not, it is now.
    mutating func find(_ pixel: QOIPixel) -> Bool {
        let place = Self.place(of: pixel)
        if pixels[place] == pixel { return true }
        pixels[place] = pixel
        return false
    }
}

/// The bytes after the last pixel.
let qoiEndMarker: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
