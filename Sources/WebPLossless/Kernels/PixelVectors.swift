// The vectors that the transforms compute with: four pixels of four bytes, or the channels of one or two pixels widened.

#if !ReferenceKernels
typealias PixelQuadBytes = SIMD16<UInt8>
typealias PixelQuad = SIMD4<UInt32>
/// Blue, green, red, alpha of a pixel in the low four lanes, sixteen bits each.
typealias PixelLanes = SIMD8<Int16>

// SAFETY: callers of these access pixels of their rows, and of the margin after.

@inline(__always)
func loadFour(_ pointer: UnsafePointer<UInt32>) -> PixelQuad {
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: PixelQuad.self)
}

@inline(__always)
func storeFour(_ value: PixelQuad, _ pointer: UnsafeMutablePointer<UInt32>) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: PixelQuad.self)
}

/// The sums of all channels, each for itself.
@inline(__always)
func addBytes(_ a: PixelQuad, _ b: PixelQuad) -> PixelQuad {
    let sum = unsafe unsafeBitCast(a, to: PixelQuadBytes.self) &+ unsafeBitCast(b, to: PixelQuadBytes.self)
    return unsafe unsafeBitCast(sum, to: PixelQuad.self)
}

/// The means of all channels, rounded down.
@inline(__always)
func meanBytes(_ a: PixelQuad, _ b: PixelQuad) -> PixelQuad {
    // If the sum is odd, the highest bits of each byte below do not carry over.
    (a & b) &+ (((a ^ b) &>> PixelQuad(repeating: 1)) & PixelQuad(repeating: 0x7F7F_7F7F))
}

/// The channels of a pixel, widened; the pixel after it is read too.
@inline(__always)
func lanes(_ pointer: UnsafePointer<UInt32>) -> PixelLanes {
    let b = unsafe UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<UInt8>.self)
    let spread = PixelQuadBytes(b[0], 0, b[1], 0, b[2], 0, b[3], 0, b[4], 0, b[5], 0, b[6], 0, b[7], 0)
    return unsafe unsafeBitCast(spread, to: PixelLanes.self)
}

/// Whether all bits of the pixels are zero.
@inline(__always)
func areZero(_ pixels: PixelQuad) -> Bool {
    let words = unsafe unsafeBitCast(pixels, to: SIMD2<UInt64>.self)
    return words[0] | words[1] == 0
}

/// The low bytes of the low four lanes.
@inline(__always)
func pixel(_ lanes: PixelLanes) -> UInt32 {
    let b = unsafe unsafeBitCast(lanes, to: PixelQuadBytes.self)
    let packed = PixelQuadBytes(b[0], b[2], b[4], b[6], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    return unsafe unsafeBitCast(packed, to: PixelQuad.self)[0]
}

/// Sums that wrap within the low byte of each lane; high bytes are zero in both.
@inline(__always)
func addLowBytes(_ a: PixelLanes, _ b: PixelLanes) -> PixelLanes {
    let sum = unsafe unsafeBitCast(a, to: PixelQuadBytes.self) &+ unsafeBitCast(b, to: PixelQuadBytes.self)
    return unsafe unsafeBitCast(sum, to: PixelLanes.self)
}

/// The larger of each two lanes. The standard library's generic function is a call if it is used with several types.
@inline(__always)
func larger(_ a: PixelLanes, _ b: PixelLanes) -> PixelLanes { a.replacing(with: b, where: a .< b) }

/// Each lane limited to what a byte holds.
@inline(__always)
func clamped(_ a: PixelLanes) -> PixelLanes {
    let positive = larger(a, PixelLanes())
    let most = PixelLanes(repeating: 255)
    return positive.replacing(with: most, where: positive .> most)
}
#endif
