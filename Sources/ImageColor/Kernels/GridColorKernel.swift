// Pixels of eight bits through a profile's own grid of colours: tetrahedra on the last three channels, a line on the first of four; then to
// the light of the destination, and to its numbers.

import ImageCodecsCore

/// Three numbers from three: a matrix and what is added. The fourth lane is that of what is added.
package struct AffineColors: Sendable {
    package var x: SIMD4<Float>
    package var y: SIMD4<Float>
    package var z: SIMD4<Float>
    package var offset: SIMD4<Float>

    package init(x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>, offset: SIMD4<Float>) {
        (self.x, self.y, self.z, self.offset) = (x, y, z, offset)
    }

    /// Always in this order, so that every CPU has the same sums.
    @inline(__always)
    package func callAsFunction(_ v: SIMD4<Float>) -> SIMD4<Float> {
        ((offset + x * SIMD4(repeating: v[0])) + y * SIMD4(repeating: v[1])) + z * SIMD4(repeating: v[2])
    }
}

/// A profile's grid, where each number of each channel lies in it, and what its colours mean.
///
/// The grid is the profile's: between its points colours lie where the profile says, in Lab or XYZ, and not on lines between finished pixels.
package struct GridColorTables: Sendable {
    /// The first three numbers at each point, as 16 bits less 2^15. The fourth lane is 0.
    package var points: [SIMD4<Int16>]
    /// For each channel in memory, 256 numbers of the point before it.
    package var offsets: [Int32]
    /// For each channel in memory, 256 times how far it is from that point to the next, 0...256.
    package var fractions: [Int16]
    /// For each channel, from a point to the next.
    package var steps: [Int32]
    /// What follows the grid, `curveCount` values for each of three channels in the scale of sums; empty if nothing does.
    package var curves: [Float]
    /// From sums, 256 times numbers as points have them, to X, Y and Z, or for Lab to what they are powers of.
    package var toSpace: AffineColors
    /// Whether `toSpace` gives cube roots.
    package var isLab: Bool
    /// From X, Y and Z to light of the destination, 1 as 2^14; the fourth is that light: opaque.
    package var toLight: AffineColors
    /// Numbers of light from 0 to 2^14.
    package var numbers: [UInt8]

    /// Fractions are 2^8 at most.
    static let fractionBitCount = 8
    /// Values of a curve: at each 2^12 of a sum from -2^23 on.
    package static let curveCount = (1 << 12) + 1
    static let curveStepBitCount = 12

    var channelCount: Int { steps.count }

    package init(
        points: [SIMD4<Int16>], offsets: [Int32], fractions: [Int16], steps: [Int32], curves: [Float],
        toSpace: AffineColors, isLab: Bool, toLight: AffineColors, numbers: [UInt8]
    ) {
        (self.points, self.offsets, self.fractions, self.steps) = (points, offsets, fractions, steps)
        (self.curves, self.toSpace, self.isLab, self.toLight, self.numbers) = (curves, toSpace, isLab, toLight, numbers)
    }

    /// Whether every place that the kernel can get to is in the tables.
    package var isComplete: Bool {
        guard [3, 4].contains(steps.count), offsets.count == 256 * steps.count, fractions.count == offsets.count,
            curves.isEmpty || curves.count == 3 * Self.curveCount, numbers.count == MatrixColorTables.numberCount
        else { return false }
        guard fractions.allSatisfy({ (0...256).contains($0) }), steps.allSatisfy({ $0 >= 0 }) else { return false }
        let most = (0..<steps.count).map { channel in
            offsets[256 * channel..<256 * channel + 256].max().map { Int($0) + Int(steps[channel]) } ?? 0
        }
        return offsets.allSatisfy { $0 >= 0 } && most.reduce(0, +) < points.count
    }
}

#if !ReferenceKernels
package enum GridColorKernel {
    /// Replaces the first three bytes of each pixel; of four channels, whose fourth is black, the last byte becomes the number of the fourth light.
    ///
    /// - Precondition: `tables.isComplete`, which whoever makes tables has checked; `pixelByteCount` is 4, or 3 for three channels.
    package static func convert(_ row: inout MutableRawSpan, pixelByteCount: Int, _ tables: GridColorTables) {
        let channelCount = tables.channelCount
        precondition(pixelByteCount >= channelCount && channelCount >= 3)
        precondition(tables.offsets.count == 256 * channelCount && tables.fractions.count == 256 * channelCount)
        precondition(tables.curves.isEmpty || tables.curves.count == 3 * GridColorTables.curveCount)
        precondition(tables.numbers.count == MatrixColorTables.numberCount)
        let pixelCount = row.byteCount / pixelByteCount
        unsafe row.withUnsafeMutableBytes { row in
            unsafe tables.points.withUnsafeBufferPointer { points in
                unsafe tables.offsets.withUnsafeBufferPointer { offsets in
                    unsafe tables.fractions.withUnsafeBufferPointer { fractions in
                        unsafe tables.curves.withUnsafeBufferPointer { curves in
                            unsafe tables.numbers.withUnsafeBufferPointer { numbers in
                                guard let pixels = row.baseAddress, let points = points.baseAddress,
                                    let offsets = offsets.baseAddress, let fractions = fractions.baseAddress,
                                    let numbers = numbers.baseAddress
                                else { return }
                                let grid = unsafe Grid(points, offsets, fractions, tables.steps)
                                let colors = unsafe Colors(tables, curves.baseAddress, numbers)
                                // SAFETY: `pixelCount` pixels are in the row, and have the channels.
                                if channelCount == 4 {
                                    unsafe convertInks(pixels, pixelCount, grid, colors)
                                } else {
                                    unsafe convertColors(pixels, pixelCount, pixelByteCount, grid, colors)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func convertInks(_ start: UnsafeMutableRawPointer, _ count: Int, _ grid: Grid, _ colors: Colors) {
        var pixel = unsafe start
        for _ in 0..<count {
            // SAFETY: four bytes of a pixel.
            let last = unsafe colors.store(grid.inkSums(pixel), pixel)
            unsafe pixel.storeBytes(of: last, toByteOffset: 3, as: UInt8.self)
            unsafe pixel += 4
        }
    }

    private static func convertColors(
        _ start: UnsafeMutableRawPointer, _ count: Int, _ pixelByteCount: Int, _ grid: Grid, _ colors: Colors
    ) {
        var pixel = unsafe start
        for _ in 0..<count {
            // SAFETY: three bytes of a pixel.
            _ = unsafe colors.store(grid.colorSums(pixel), pixel)
            unsafe pixel += pixelByteCount
        }
    }

    /// The grid of the profile.
    // SAFETY: a byte selects one of 256 entries of each channel's tables; the sum of their offsets and of all steps is a point, because tables
    // are complete, and so is each part of it.
    @safe
    private struct Grid {
        private let points: UnsafePointer<SIMD4<Int16>>
        private let offsets: UnsafePointer<Int32>
        private let fractions: UnsafePointer<Int16>
        /// From a point to the next along each of the last three channels, and along the first of four.
        private let steps: SIMD4<Int64>

        init(
            _ points: UnsafePointer<SIMD4<Int16>>, _ offsets: UnsafePointer<Int32>, _ fractions: UnsafePointer<Int16>,
            _ steps: [Int32]
        ) {
            unsafe (self.points, self.offsets, self.fractions) = (points, offsets, fractions)
            let last = steps.suffix(3).map { Int64($0) }
            self.steps = SIMD4(last[0], last[1], last[2], Int64(steps[0]))
        }

        /// The sums of a pixel of three channels.
        @inline(__always)
        func colorSums(_ pixel: UnsafeMutableRawPointer) -> SIMD4<Float> {
            // SAFETY: see above.
            let (x, y, z) = unsafe (
                Int(pixel.load(as: UInt8.self)), 256 &+ Int(pixel.load(fromByteOffset: 1, as: UInt8.self)),
                512 &+ Int(pixel.load(fromByteOffset: 2, as: UInt8.self))
            )
            return unsafe path(x, y, z).sums(points + Int(offsets[x] &+ offsets[y] &+ offsets[z]))
        }

        /// The sums of a pixel of four channels.
        @inline(__always)
        func inkSums(_ pixel: UnsafeMutableRawPointer) -> SIMD4<Float> {
            // SAFETY: see above.
            let (w, x) = unsafe (
                Int(pixel.load(as: UInt8.self)), 256 &+ Int(pixel.load(fromByteOffset: 1, as: UInt8.self))
            )
            let (y, z) = unsafe (
                512 &+ Int(pixel.load(fromByteOffset: 2, as: UInt8.self)),
                768 &+ Int(pixel.load(fromByteOffset: 3, as: UInt8.self))
            )
            let path = path(x, y, z)
            let cell = unsafe points + Int(offsets[w] &+ offsets[x] &+ offsets[y] &+ offsets[z])
            let (low, high) = unsafe (path.sums(cell), path.sums(cell + Int(steps.w)))
            let fraction = unsafe Float(fractions[w]) * (1 / Float(1 &<< GridColorTables.fractionBitCount))
            return low + (high - low) * SIMD4(repeating: fraction)
        }

        /// The way through a cell: along the channel with the greatest fraction first.
        @inline(__always)
        private func path(_ x: Int, _ y: Int, _ z: Int) -> Path {
            // Fraction and step in one number, so that one comparison orders both; of equal fractions no order matters.
            let (a, b, c) = unsafe (
                Int64(fractions[x]) &<< 32 | steps.x, Int64(fractions[y]) &<< 32 | steps.y,
                Int64(fractions[z]) &<< 32 | steps.z
            )
            let (most, least) = (max(max(a, b), c), min(min(a, b), c))
            let (first, third) = (Int32(most &>> 32), Int32(least &>> 32))
            let second = Int32((a &+ b &+ c) &>> 32) &- first &- third
            let last = steps.x &+ steps.y &+ steps.z
            return Path(
                second: Int(most & 0xFFFF_FFFF), third: Int(last &- (least & 0xFFFF_FFFF)), fourth: Int(last),
                weights: (256 &- first, first &- second, second &- third, third))
        }
    }

    /// From the lowest corner of a cell to the other three of a tetrahedron, and the weights of all four.
    private struct Path {
        let second: Int
        let third: Int
        let fourth: Int
        let weights: (Int32, Int32, Int32, Int32)

        /// Four corners by their weights.
        @unsafe @inline(__always)
        func sums(_ cell: UnsafePointer<SIMD4<Int16>>) -> SIMD4<Float> {
            // SAFETY: the corners are points of the grid.
            let (a, b, c, d) = unsafe (cell[0], cell[second], cell[third], cell[fourth])
            let low = SIMD8(a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3])
            let high = SIMD8(c[0], d[0], c[1], d[1], c[2], d[2], c[3], d[3])
            let sums = multiplyAdd(low, pair(weights.0, weights.1)) &+ multiplyAdd(high, pair(weights.2, weights.3))
            return SIMD4(Float(sums[0]), Float(sums[1]), Float(sums[2]), Float(sums[3]))
        }

        /// Two weights in turns.
        @inline(__always)
        private func pair(_ even: Int32, _ odd: Int32) -> SIMD8<Int16> {
            // SAFETY: four numbers of 32 bits are eight of 16.
            unsafe unsafeBitCast(SIMD4<Int32>(repeating: even | odd &<< 16), to: SIMD8<Int16>.self)
        }
    }

    /// What sums mean.
    // SAFETY: there are `curveCount` values for each of three channels if `curves` is not `nil`, and sums are within 2^23; numbers are those of
    // light 0...2^14, to which light is cut.
    @safe
    private struct Colors {
        private let curves: UnsafePointer<Float>?
        private let toSpace: AffineColors
        private let isLab: Bool
        private let toLight: AffineColors
        private let numbers: UnsafePointer<UInt8>

        init(_ tables: GridColorTables, _ curves: UnsafePointer<Float>?, _ numbers: UnsafePointer<UInt8>) {
            unsafe (self.curves, self.numbers) = (tables.curves.isEmpty ? nil : curves, numbers)
            (toSpace, isLab, toLight) = (tables.toSpace, tables.isLab, tables.toLight)
        }

        /// Writes the three bytes of a pixel.
        ///
        /// - Returns: the number of the fourth lane. Where it is used, the compiler leaves four lanes together.
        @inline(__always)
        func store(_ sums: SIMD4<Float>, _ pixel: UnsafeMutableRawPointer) -> UInt8 {
            var value = sums
            if let curves = unsafe curves {
                let step = Float(1 &<< GridColorTables.curveStepBitCount)
                let middle = SIMD4<Float>(repeating: 8_388_608)
                let places = Self.wholeNumbers((sums + middle) * SIMD4(repeating: 1 / step))
                let count = GridColorTables.curveCount
                // SAFETY: see above: sums are within 2^23, so places are 0...2^12.
                unsafe value = SIMD4(
                    curves[Int(places[0])], curves[count &+ Int(places[1])], curves[2 &* count &+ Int(places[2])], 0)
            }
            value = toSpace(value)
            if isLab { value = Self.cube(value) }
            let light = Self.limited(toLight(value))
            // SAFETY: the caller promises three bytes; light is 0...2^14.
            unsafe pixel.storeBytes(of: numbers[Int(light[0])], as: UInt8.self)
            unsafe pixel.storeBytes(of: numbers[Int(light[1])], toByteOffset: 1, as: UInt8.self)
            unsafe pixel.storeBytes(of: numbers[Int(light[2])], toByteOffset: 2, as: UInt8.self)
            return unsafe numbers[Int(light[3])]
        }

        /// The cube above 24/116, and its tangent there below: which is the tangent everywhere, and above it what the cube has more.
        @inline(__always)
        private static func cube(_ v: SIMD4<Float>) -> SIMD4<Float> {
            let above = positive(v - SIMD4(repeating: 24.0 / 116))
            let tangent = (v - SIMD4(repeating: 16.0 / 116)) * SIMD4(repeating: 108.0 / 841)
            return tangent + above * above * (above + SIMD4(repeating: 72.0 / 116))
        }

        /// Negative numbers as 0: by their signs, since the compiler takes a comparison apart.
        @inline(__always)
        private static func positive(_ v: SIMD4<Float>) -> SIMD4<Float> {
            // SAFETY: four numbers of 32 bits each way.
            unsafe unsafeBitCast(positive(unsafeBitCast(v, to: SIMD4<Int32>.self)), to: SIMD4<Float>.self)
        }

        @inline(__always)
        private static func positive(_ v: SIMD4<Int32>) -> SIMD4<Int32> { v & ~(v &>> SIMD4(repeating: 31)) }

        /// The nearest whole numbers of what is within 2^22; others are some number.
        @inline(__always)
        private static func wholeNumbers(_ v: SIMD4<Float>) -> SIMD4<Int32> {
            // 3 * 2^22 has its ones where these have whole numbers.
            let shifted = v + SIMD4(repeating: 12_582_912)
            // SAFETY: four numbers of 32 bits each way.
            return unsafe unsafeBitCast(shifted, to: SIMD4<Int32>.self) &- SIMD4(repeating: 0x4B40_0000)
        }

        /// The nearest whole numbers of 0...2^14; whatever the bits are.
        @inline(__always)
        private static func limited(_ light: SIMD4<Float>) -> SIMD4<Int32> {
            let number = positive(wholeNumbers(light))
            let limit = SIMD4<Int32>(repeating: 1 &<< Int32(MatrixColorTables.lightBitCount))
            let rest = number &- limit
            return limit &+ (rest & (rest &>> SIMD4(repeating: 31)))
        }
    }
}
#endif
