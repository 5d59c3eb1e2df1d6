// Pixels of eight bits through curves, a matrix and a curve.
//
// Each channel's number selects a vector of what it adds to all three channels of the result, which is curve and matrix at once; the sum
// of three vectors is light, and a table gives its number.

import ImageCodecsCore

/// The tables of such a transform.
package struct MatrixColorTables: Sendable {
    /// For the first, second and third channel in memory, for each number: what it adds to the first, second and third, times 2^24.
    package var contributions: [SIMD4<Int32>]
    /// Numbers of light from 0 to 2^14.
    package var numbers: [UInt8]

    /// What light 1 is in `numbers`.
    static let lightBitCount = 14
    /// Bits of a contribution that are not looked at.
    static let restBitCount = 10
    static let contributionCount = 3 * 256
    /// Entries of `numbers`.
    package static let numberCount = (1 << lightBitCount) + 1

    package init(contributions: [SIMD4<Int32>], numbers: [UInt8]) {
        self.contributions = contributions
        self.numbers = numbers
    }
}

#if !ReferenceKernels
package enum MatrixColorKernel {
    /// Replaces the first three bytes of each pixel.
    ///
    /// - Parameters:
    ///   - row: pixels of `pixelByteCount` bytes, 3 or 4.
    /// - Precondition: `tables` is complete.
    package static func convert(_ row: inout MutableRawSpan, pixelByteCount: Int, _ tables: MatrixColorTables) {
        precondition(tables.contributions.count == MatrixColorTables.contributionCount && pixelByteCount >= 3)
        precondition(tables.numbers.count == MatrixColorTables.numberCount)
        let pixelCount = row.byteCount / pixelByteCount
        unsafe row.withUnsafeMutableBytes { row in
            guard var pixel = row.baseAddress else { return }
            unsafe tables.contributions.withUnsafeBufferPointer { table in
                unsafe tables.numbers.withUnsafeBufferPointer { numbers in
                    guard let table = table.baseAddress, let numbers = numbers.baseAddress else { return }
                    // SAFETY: `pixelCount` pixels are in the row; a byte selects one of 256 vectors of each of three tables; `index`
                    // gives 0...2^14, which `numbers` has.
                    for _ in 0..<pixelCount {
                        let light = unsafe contributions(of: pixel, table)
                        unsafe pixel.storeBytes(of: numbers[Int(light[0])], as: UInt8.self)
                        unsafe pixel.storeBytes(of: numbers[Int(light[1])], toByteOffset: 1, as: UInt8.self)
                        unsafe pixel.storeBytes(of: numbers[Int(light[2])], toByteOffset: 2, as: UInt8.self)
                        unsafe pixel += pixelByteCount
                    }
                }
            }
        }
    }

    /// The light of a pixel, 0...2^14.
    @inline(__always)
    private static func contributions(
        of pixel: UnsafeMutableRawPointer, _ table: UnsafePointer<SIMD4<Int32>>
    ) -> SIMD4<Int32> {
        // SAFETY: the caller's; the three tables follow each other.
        let first = unsafe table[Int(pixel.load(as: UInt8.self))]
        let second = unsafe table[256 &+ Int(pixel.load(fromByteOffset: 1, as: UInt8.self))]
        let third = unsafe table[512 &+ Int(pixel.load(fromByteOffset: 2, as: UInt8.self))]
        // Each is within 2^28 either way, see `MatrixColorTables.init`.
        let sum = (first &+ second &+ third) &>> SIMD4(repeating: Int32(MatrixColorTables.restBitCount))
        let limit = SIMD4<Int32>(repeating: 1 &<< Int32(MatrixColorTables.lightBitCount))
        // SAFETY: a mask of four words is four words.
        let positive = unsafe sum & unsafeBitCast(sum .> SIMD4<Int32>.zero, to: SIMD4<Int32>.self)
        let rest = positive &- limit
        return unsafe limit &+ (rest & unsafeBitCast(rest .< SIMD4<Int32>.zero, to: SIMD4<Int32>.self))
    }
}
#endif
