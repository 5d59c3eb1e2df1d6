// Pixels of eight bits through a grid of colours: tetrahedra on the last three channels, a line on the first of four.

import ImageCodecsCore

/// A grid and, for each number of each channel, where it lies in it.
package struct GridColorTables: Sendable {
    /// The result's first three numbers at each point, times 2^6; below 0 and above 255 for colours beyond the destination, which are cut
    /// after interpolation. The fourth lane is 0.
    package var points: [SIMD4<Int16>]
    /// For each channel in memory, 256 numbers of the point before it.
    package var offsets: [Int32]
    /// For each channel in memory, 256 times how far it is from that point to the next, 0...256.
    package var fractions: [Int16]
    /// For each channel, from a point to the next.
    package var steps: [Int32]

    /// Bits of a point that are below those of a byte.
    static let pointBitCount = 6
    /// Fractions are 2^8 at most.
    static let fractionBitCount = 8

    var channelCount: Int { steps.count }

    package init(points: [SIMD4<Int16>], offsets: [Int32], fractions: [Int16], steps: [Int32]) {
        self.points = points
        self.offsets = offsets
        self.fractions = fractions
        self.steps = steps
    }

    /// Whether every place that the kernel can get to is in the grid.
    package var isComplete: Bool {
        guard [3, 4].contains(steps.count), offsets.count == 256 * steps.count, fractions.count == offsets.count else {
            return false
        }
        guard fractions.allSatisfy({ (0...256).contains($0) }), steps.allSatisfy({ $0 >= 0 }) else { return false }
        let most = (0..<steps.count).map { channel in
            offsets[256 * channel..<256 * channel + 256].max().map { Int($0) + Int(steps[channel]) } ?? 0
        }
        return offsets.allSatisfy { $0 >= 0 } && most.reduce(0, +) < points.count
    }
}

#if !ReferenceKernels
package enum GridColorKernel {
    /// Replaces the first three bytes of each pixel; of four channels, whose fourth is black, the last byte becomes 255.
    ///
    /// - Precondition: `tables.isComplete`, which whoever makes tables has checked; `pixelByteCount` is 4, or 3 for three channels.
    package static func convert(_ row: inout MutableRawSpan, pixelByteCount: Int, _ tables: GridColorTables) {
        let channelCount = tables.channelCount
        precondition(pixelByteCount >= channelCount && channelCount >= 3)
        precondition(tables.offsets.count == 256 * channelCount && tables.fractions.count == 256 * channelCount)
        let pixelCount = row.byteCount / pixelByteCount
        // The last three, and that of the first of four.
        let last = Array(tables.steps.suffix(3))
        let steps = SIMD4(last[0], last[1], last[2], channelCount == 4 ? tables.steps[0] : 0)
        unsafe row.withUnsafeMutableBytes { row in
            guard var pixel = row.baseAddress else { return }
            unsafe tables.points.withUnsafeBufferPointer { points in
                unsafe tables.offsets.withUnsafeBufferPointer { offsets in
                    unsafe tables.fractions.withUnsafeBufferPointer { fractions in
                        guard let points = points.baseAddress, let offsets = offsets.baseAddress else { return }
                        guard let fractions = fractions.baseAddress else { return }
                        // SAFETY: `pixelCount` pixels are in the row. A byte selects one of 256 entries of each table; the sum of their
                        // offsets and of all steps is a point of the grid, because tables are complete.
                        for _ in 0..<pixelCount {
                            unsafe convert(pixel, points, offsets, fractions, steps, channelCount)
                            unsafe pixel += pixelByteCount
                        }
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func convert(
        _ pixel: UnsafeMutableRawPointer, _ points: UnsafePointer<SIMD4<Int16>>, _ offsets: UnsafePointer<Int32>,
        _ fractions: UnsafePointer<Int16>, _ steps: SIMD4<Int32>, _ channelCount: Int
    ) {
        // SAFETY: the caller's.
        let first = channelCount &- 3
        let x = unsafe 256 &* first &+ Int(pixel.load(fromByteOffset: first, as: UInt8.self))
        let y = unsafe 256 &* (first &+ 1) &+ Int(pixel.load(fromByteOffset: first &+ 1, as: UInt8.self))
        let z = unsafe 256 &* (first &+ 2) &+ Int(pixel.load(fromByteOffset: first &+ 2, as: UInt8.self))
        let cell = unsafe points + Int(offsets[x] &+ offsets[y] &+ offsets[z])
        let (fx, fy, fz) = unsafe (fractions[x], fractions[y], fractions[z])
        // The order in which the corners of the tetrahedron are reached: the greatest fraction first.
        let (f, s) = ordered(fx, fy, fz, steps)
        let sum: SIMD4<Int32>
        if channelCount == 4 {
            let w = unsafe Int(pixel.load(as: UInt8.self))
            let fw = unsafe Int32(fractions[w])
            let low = unsafe cell + Int(offsets[w])
            let high = unsafe low + Int(steps.w)
            // Both are within 2^23, and their weights add up to 2^8: shifted first.
            let a = unsafe corners(low, f, s) &>> SIMD4(repeating: 8)
            let b = unsafe corners(high, f, s) &>> SIMD4(repeating: 8)
            sum = a &* SIMD4(repeating: 256 &- fw) &+ b &* SIMD4(repeating: fw)
        } else {
            sum = unsafe corners(cell, f, s)
        }
        let value = ((sum &+ SIMD4(repeating: 1 &<< 13)) &>> SIMD4(repeating: 14))
            .clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
        unsafe pixel.storeBytes(of: UInt8(truncatingIfNeeded: value[0]), as: UInt8.self)
        unsafe pixel.storeBytes(of: UInt8(truncatingIfNeeded: value[1]), toByteOffset: 1, as: UInt8.self)
        unsafe pixel.storeBytes(of: UInt8(truncatingIfNeeded: value[2]), toByteOffset: 2, as: UInt8.self)
        if channelCount == 4 { unsafe pixel.storeBytes(of: 255, toByteOffset: 3, as: UInt8.self) }
    }

    /// Fractions from the greatest to the least, and the steps of their channels; of equal ones the first channel first.
    @inline(__always)
    private static func ordered(
        _ x: Int16, _ y: Int16, _ z: Int16, _ steps: SIMD4<Int32>
    ) -> (SIMD4<Int16>, SIMD4<Int32>) {
        if x >= y {
            if y >= z { return (SIMD4(x, y, z, 0), steps) }
            if x >= z { return (SIMD4(x, z, y, 0), SIMD4(steps[0], steps[2], steps[1], 0)) }
            return (SIMD4(z, x, y, 0), SIMD4(steps[2], steps[0], steps[1], 0))
        }
        if x >= z { return (SIMD4(y, x, z, 0), SIMD4(steps[1], steps[0], steps[2], 0)) }
        if y >= z { return (SIMD4(y, z, x, 0), SIMD4(steps[1], steps[2], steps[0], 0)) }
        return (SIMD4(z, y, x, 0), SIMD4(steps[2], steps[1], steps[0], 0))
    }

    /// Four corners by their weights, times 2^14.
    @inline(__always)
    private static func corners(
        _ cell: UnsafePointer<SIMD4<Int16>>, _ f: SIMD4<Int16>, _ s: SIMD4<Int32>
    ) -> SIMD4<Int32> {
        // SAFETY: the sum of all steps stays in the grid, and so does each part of it.
        let first = unsafe cell[0]
        let second = unsafe cell[Int(s[0])]
        let third = unsafe cell[Int(s[0] &+ s[1])]
        let fourth = unsafe cell[Int(s[0] &+ s[1] &+ s[2])]
        let low = interleaveLow(SIMD8(lowHalf: first, highHalf: first), SIMD8(lowHalf: second, highHalf: second))
        let high = interleaveLow(SIMD8(lowHalf: third, highHalf: third), SIMD8(lowHalf: fourth, highHalf: fourth))
        let (a, b) = (256 &- f[0], f[0] &- f[1])
        let (c, d) = (f[1] &- f[2], f[2])
        return multiplyAdd(low, SIMD8(a, b, a, b, a, b, a, b)) &+ multiplyAdd(high, SIMD8(c, d, c, d, c, d, c, d))
    }
}
#endif
