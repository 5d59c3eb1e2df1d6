// Pixels of eight bits through curves, a matrix and a curve.
//
// Each channel's number selects what it adds to all three channels of the result, which is curve and matrix at once: three numbers in one of 64
// bits. The sum of three such is light, and a table gives its number, also for light that the destination does not have.

import ImageCodecsCore

/// The tables of such a transform.
///
/// A contribution has the light of the first, second and third channel from bit 0, 21 and 42 on, 1 as 2^18. Sums begin at -4:
///
///     bit  63  59          46  42          25  21           4   0
///           -  number's place  rest  number's place  rest  number's place  rest
package struct MatrixColorTables: Sendable {
    /// For the first, second and third channel in memory, for each number: what it adds.
    package var contributions: [Int64]
    /// Numbers of light from -4 to 4, 2^14 for 1.
    package var numbers: [UInt8]

    /// Bits of a channel in a contribution.
    static let channelBitCount = 21
    /// What light 1 is in a contribution, as a power of 2.
    static let lightBitCount = 18
    /// Bits of light that do not count for its number.
    static let restBitCount = 4
    static let contributionCount = 3 * 256
    /// Entries of `numbers`.
    package static let numberCount = 1 << (channelBitCount - restBitCount)

    package init(contributions: [Int64], numbers: [UInt8]) {
        self.contributions = contributions
        self.numbers = numbers
    }

    /// Light of three channels in one number, each within 2^20.
    package static func packed(_ x: Int64, _ y: Int64, _ z: Int64) -> Int64 {
        x &+ y &<< Int64(channelBitCount) &+ z &<< Int64(2 * channelBitCount)
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
                    // SAFETY: `pixelCount` pixels are in the row; a byte selects one of 256 contributions of each of three tables; `place`
                    // gives 17 bits, for all of which `numbers` has entries.
                    for _ in 0..<pixelCount {
                        let first = unsafe table[Int(pixel.load(as: UInt8.self))]
                        let second = unsafe table[256 &+ Int(pixel.load(fromByteOffset: 1, as: UInt8.self))]
                        let third = unsafe table[512 &+ Int(pixel.load(fromByteOffset: 2, as: UInt8.self))]
                        let sum = UInt64(bitPattern: first &+ second &+ third)
                        unsafe pixel.storeBytes(of: numbers[place(0, sum)], as: UInt8.self)
                        unsafe pixel.storeBytes(of: numbers[place(1, sum)], toByteOffset: 1, as: UInt8.self)
                        unsafe pixel.storeBytes(of: numbers[place(2, sum)], toByteOffset: 2, as: UInt8.self)
                        unsafe pixel += pixelByteCount
                    }
                }
            }
        }
    }

    /// Where the number of a channel is.
    @inline(__always)
    private static func place(_ channel: UInt64, _ sum: UInt64) -> Int {
        let shift = channel &* UInt64(MatrixColorTables.channelBitCount) &+ UInt64(MatrixColorTables.restBitCount)
        return Int(sum &>> shift & UInt64(MatrixColorTables.numberCount - 1))
    }
}
#endif
