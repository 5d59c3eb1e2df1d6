// Pixels of eight bits through a profile's own grid of colours: tetrahedra on the last three channels, a line on the first of four; then to
// the light of the destination, and to its numbers.
//
// The grid is asked pixel by pixel, whose three numbers are lanes of one vector, for some pixels; then what follows is done for four of them at
// once, whose first numbers are one vector, second numbers another, third numbers a third.

import ImageCodecsCore

/// Three numbers from three: a matrix and what is added. The fourth lane counts for nothing.
package struct AffineColors: Sendable {
    package var x: SIMD4<Float>
    package var y: SIMD4<Float>
    package var z: SIMD4<Float>
    package var offset: SIMD4<Float>

    package init(x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>, offset: SIMD4<Float>) {
        (self.x, self.y, self.z, self.offset) = (x, y, z, offset)
    }
}

/// Where one number of one channel lies in a grid.
package struct GridPlace: Hashable, Sendable {
    /// All three in one number, the distance highest: so comparing places compares distances, and sums of places are places of sums.
    let bits: Int64

    /// - Parameters:
    ///   - offset: the point before it; below 2^24, as is the sum of those of all channels.
    ///   - step: from a point to the next, below 2^24.
    ///   - distance: from that point to the next, 0...`one`.
    package init(offset: Int, step: Int, distance: Int) {
        bits = Int64(distance) << 48 | Int64(step) << 24 | Int64(offset)
    }

    /// From a point to the next.
    package static let one = 1 << 14

    package var offset: Int { Int(bits & 0xFF_FFFF) }
    package var step: Int { Int(bits &>> 24 & 0xFF_FFFF) }
    package var distance: Int { Int(bits &>> 48) }
}

/// A profile's grid, where each number of each channel lies in it, and what its colours mean.
///
/// The grid is the profile's: between its points colours lie where the profile says, in Lab or XYZ, and not on lines between finished pixels.
package struct GridColorTables: Sendable {
    /// The first three numbers at each point, 0...65535 less 2^15. The fourth lane is 0.
    package var points: [SIMD4<Int16>]
    /// For each channel in memory, the places of 256 numbers.
    package var places: [GridPlace]
    /// What follows the grid, `curveCount` values for each of three channels in the scale of sums; empty if nothing does.
    package var curves: [Float]
    /// From sums, `GridPlace.one` times numbers as points have them, to X, Y and Z, or for Lab to what they are powers of.
    package var toSpace: AffineColors
    /// Whether `toSpace` gives cube roots.
    package var isLab: Bool
    /// From X, Y and Z to light of the destination, 1 as 2^14.
    package var toLight: AffineColors
    /// Numbers of light from 0 to 2^14.
    package var numbers: [UInt8]

    /// Values of a curve: at each 2^18 of a sum from -2^29 on.
    package static let curveCount = (1 << 12) + 1
    static let curveStepBitCount = 18
    /// Sums are within this.
    package static let sumLimit = GridPlace.one << 15
    /// What light 1 is in `numbers`.
    static let lightBitCount = 14
    /// Entries of `numbers`.
    package static let numberCount = (1 << lightBitCount) + 1

    var channelCount: Int { places.count / 256 }

    package init(
        points: [SIMD4<Int16>], places: [GridPlace], curves: [Float], toSpace: AffineColors, isLab: Bool,
        toLight: AffineColors, numbers: [UInt8]
    ) {
        (self.points, self.places, self.curves, self.toSpace) = (points, places, curves, toSpace)
        (self.isLab, self.toLight, self.numbers) = (isLab, toLight, numbers)
    }

    /// Whether every place that the kernel can get to is in the tables.
    package var isComplete: Bool {
        guard places.count == 3 * 256 || places.count == 4 * 256,
            curves.isEmpty || curves.count == 3 * Self.curveCount, numbers.count == Self.numberCount
        else { return false }
        var last = 0
        for channel in 0..<channelCount {
            let places = places[256 * channel..<256 * channel + 256]
            guard let step = places.first?.step,
                places.allSatisfy({ $0.step == step && (0...GridPlace.one).contains($0.distance) })
            else { return false }
            last += step + places.reduce(0) { max($0, $1.offset) }
        }
        return last < points.count && last < 1 << 24
    }
}

#if !ReferenceKernels
package enum GridColorKernel {
    /// Replaces the first three bytes of each pixel; of four channels, whose fourth is black, the last byte becomes 255.
    ///
    /// - Precondition: `tables.isComplete`, which whoever makes tables has checked; `pixelByteCount` is 4, or 3 for three channels.
    package static func convert(_ row: inout MutableRawSpan, pixelByteCount: Int, _ tables: GridColorTables) {
        let channelCount = tables.channelCount
        precondition(pixelByteCount >= channelCount && channelCount >= 3 && tables.places.count == 256 * channelCount)
        precondition(tables.curves.isEmpty || tables.curves.count == 3 * GridColorTables.curveCount)
        precondition(tables.numbers.count == GridColorTables.numberCount)
        let pixelCount = row.byteCount / pixelByteCount
        unsafe row.withUnsafeMutableBytes { row in
            unsafe tables.points.withUnsafeBufferPointer { points in
                unsafe tables.places.withUnsafeBufferPointer { places in
                    unsafe tables.curves.withUnsafeBufferPointer { curves in
                        unsafe tables.numbers.withUnsafeBufferPointer { numbers in
                            guard let pixels = row.baseAddress, let points = points.baseAddress,
                                let places = places.baseAddress, let numbers = numbers.baseAddress
                            else { return }
                            let grid = unsafe Grid(points, places, channelCount)
                            let colors = unsafe Colors(tables, curves.baseAddress, numbers)
                            // SAFETY: `pixelCount` pixels are in the row, and have the channels.
                            unsafe convert(pixels, pixelCount, pixelByteCount, channelCount, grid, colors)
                        }
                    }
                }
            }
        }
    }

    /// Pixels whose sums are kept before they are finished: all four lanes of them, or else the compiler takes vectors apart.
    private static let runCount = 64

    private static func convert(
        _ start: UnsafeMutableRawPointer, _ count: Int, _ pixelByteCount: Int, _ channelCount: Int, _ grid: Grid,
        _ colors: Colors
    ) {
        unsafe withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: runCount) { sums in
            guard let sums = sums.baseAddress else { return }
            // So that fewer than four have sums too.
            unsafe sums.initialize(repeating: .zero, count: runCount)
            for first in stride(from: 0, to: count, by: runCount) {
                let pixels = unsafe start + first * pixelByteCount
                let count = min(runCount, count - first)
                // SAFETY: `count` pixels of the row, and as many sums.
                if channelCount == 4 {
                    unsafe grid.writeInkSums(of: pixels, count, sums)
                    unsafe colors.store(sums, pixels, count, pixelByteCount: 4, isOpaque: true)
                } else if pixelByteCount == 4 {
                    unsafe grid.writeColorSums(of: pixels, count, pixelByteCount: 4, sums)
                    unsafe colors.store(sums, pixels, count, pixelByteCount: 4, isOpaque: false)
                } else {
                    unsafe grid.writeColorSums(of: pixels, count, pixelByteCount: 3, sums)
                    unsafe colors.store(sums, pixels, count, pixelByteCount: 3, isOpaque: false)
                }
            }
        }
    }

    /// The grid of the profile.
    // SAFETY: a byte selects one of 256 places of each channel; the sum of their offsets and of all steps is a point, because tables are
    // complete, and so is each part of it.
    @safe
    private struct Grid {
        private let points: UnsafePointer<SIMD4<Int16>>
        private let places: UnsafePointer<GridPlace>
        /// From a point to the next along the first of four channels.
        private let firstStep: Int
        /// From a point to the next along all of the last three channels.
        private let lastSteps: Int

        private static let mask: Int64 = 0xFF_FFFF

        init(_ points: UnsafePointer<SIMD4<Int16>>, _ places: UnsafePointer<GridPlace>, _ channelCount: Int) {
            unsafe (self.points, self.places) = (points, places)
            firstStep = unsafe places[0].step
            let at = 256 * (channelCount - 3)
            lastSteps = unsafe places[at].step + places[at + 256].step + places[at + 512].step
        }

        /// The sums of pixels of three channels.
        @unsafe @inline(__always)
        func writeColorSums(
            of pixels: UnsafeMutableRawPointer, _ count: Int, pixelByteCount: Int,
            _ sums: UnsafeMutablePointer<SIMD4<Float>>
        ) {
            for index in 0..<count {
                let pixel = unsafe pixels + pixelByteCount &* index
                // SAFETY: see above.
                let (x, y, z) = unsafe (place(0, pixel), place(1, pixel), place(2, pixel))
                let sum = x &+ y &+ z
                unsafe sums[index] = path(x, y, z, sum).sums(points + Int(sum & Self.mask))
            }
        }

        /// The sums of pixels of four channels.
        @unsafe
        func writeInkSums(
            of pixels: UnsafeMutableRawPointer, _ count: Int, _ sums: UnsafeMutablePointer<SIMD4<Float>>
        ) {
            for index in 0..<count {
                let pixel = unsafe pixels + 4 &* index
                // SAFETY: see above.
                let (w, x, y, z) = unsafe (place(0, pixel), place(1, pixel), place(2, pixel), place(3, pixel))
                let sum = x &+ y &+ z
                let path = path(x, y, z, sum)
                let cell = unsafe points + Int((sum &+ w) & Self.mask)
                let (low, high) = unsafe (path.sums(cell), path.sums(cell + firstStep))
                let distance = Float(Int32(truncatingIfNeeded: w &>> 48)) * (1 / Float(GridPlace.one))
                unsafe sums[index] = low + (high - low) * SIMD4(repeating: distance)
            }
        }

        /// Where the number of a channel lies.
        @unsafe @inline(__always)
        private func place(_ channel: Int, _ pixel: UnsafeMutableRawPointer) -> Int64 {
            unsafe places[256 &* channel &+ Int(pixel.load(fromByteOffset: channel, as: UInt8.self))].bits
        }

        /// The way through a cell: along the channel with the greatest distance first; of equal distances no order matters.
        @inline(__always)
        private func path(_ x: Int64, _ y: Int64, _ z: Int64, _ sum: Int64) -> Path {
            let (most, least) = (max(max(x, y), z), min(min(x, y), z))
            let (far, middle, near) = (most &>> 48, (sum &- most &- least) &>> 48, least &>> 48)
            let one = Int64(GridPlace.one)
            return Path(
                second: Int(most &>> 24 & Self.mask), third: lastSteps &- Int(least &>> 24 & Self.mask),
                fourth: lastSteps, first: Self.pair(one &- far, far &- middle), last: Self.pair(middle &- near, near))
        }

        /// Two weights of 0...2^14 after each other in all lanes.
        @inline(__always)
        private static func pair(_ a: Int64, _ b: Int64) -> SIMD8<Int16> {
            // SAFETY: four numbers of 32 bits are eight of 16.
            unsafe unsafeBitCast(
                SIMD4(repeating: Int32(truncatingIfNeeded: a | b &<< 16)), to: SIMD8<Int16>.self)
        }
    }

    /// From the lowest corner of a cell to the other three of a tetrahedron, and the weights of the first two and the last two corners.
    private struct Path {
        let second, third, fourth: Int
        let first, last: SIMD8<Int16>

        /// 2^14 times the numbers there: the weights add up to 2^14, so sums are within 2^29.
        @unsafe @inline(__always)
        func sums(_ cell: UnsafePointer<SIMD4<Int16>>) -> SIMD4<Float> {
            // SAFETY: the corners are points of the grid.
            let (a, b, c, d) = unsafe (cell[0], cell[second], cell[third], cell[fourth])
            return SIMD4<Float>(
                multiplyAdd(Self.interleaved(a, b), first) &+ multiplyAdd(Self.interleaved(c, d), last))
        }

        /// a0 b0 ... a3 b3.
        @inline(__always)
        private static func interleaved(_ a: SIMD4<Int16>, _ b: SIMD4<Int16>) -> SIMD8<Int16> {
            SIMD8(a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3])
        }
    }

    /// What sums mean.
    // SAFETY: there are `curveCount` values for each of three channels if `curves` is not `nil`, and sums are within 2^29; numbers are those of
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

        /// Three numbers of four pixels.
        private struct Vectors {
            var x, y, z: SIMD4<Float>

            @inline(__always)
            init(_ x: SIMD4<Float>, _ y: SIMD4<Float>, _ z: SIMD4<Float>) { (self.x, self.y, self.z) = (x, y, z) }

            /// Always in this order, so that every CPU has the same sums.
            @inline(__always)
            func applying(_ m: AffineColors) -> Vectors { Vectors(sum(m, 0), sum(m, 1), sum(m, 2)) }

            @inline(__always)
            private func sum(_ m: AffineColors, _ lane: Int) -> SIMD4<Float> {
                ((SIMD4(repeating: m.offset[lane]) + SIMD4(repeating: m.x[lane]) * x) + SIMD4(repeating: m.y[lane]) * y)
                    + SIMD4(repeating: m.z[lane]) * z
            }
        }

        /// Writes three bytes of each pixel, and 255 as the fourth of opaque ones.
        @unsafe @inline(__always)
        func store(
            _ sums: UnsafeMutablePointer<SIMD4<Float>>, _ pixels: UnsafeMutableRawPointer, _ count: Int,
            pixelByteCount: Int, isOpaque: Bool
        ) {
            guard count >= 4 else {
                // SAFETY: four sums, and four pixels, of which `count` are those of the row.
                return unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { four in
                    guard let four = four.baseAddress else { return }
                    unsafe four.copyMemory(from: pixels, byteCount: count &* pixelByteCount)
                    unsafe storeFour(sums, four, pixelByteCount: pixelByteCount, isOpaque: isOpaque)
                    unsafe pixels.copyMemory(from: four, byteCount: count &* pixelByteCount)
                }
            }
            for first in stride(from: 0, to: count, by: 4) {
                // The last four may be in part those before: they are written twice.
                let first = min(first, count &- 4)
                // SAFETY: four of the row, and their sums.
                unsafe storeFour(
                    sums + first, pixels + first &* pixelByteCount, pixelByteCount: pixelByteCount, isOpaque: isOpaque)
            }
        }

        @unsafe @inline(__always)
        private func storeFour(
            _ sums: UnsafeMutablePointer<SIMD4<Float>>, _ pixels: UnsafeMutableRawPointer, pixelByteCount: Int,
            isOpaque: Bool
        ) {
            let (a, b, c, d) = unsafe (sums[0], sums[1], sums[2], sums[3])
            let light = light(
                Vectors(SIMD4(a[0], b[0], c[0], d[0]), SIMD4(a[1], b[1], c[1], d[1]), SIMD4(a[2], b[2], c[2], d[2])))
            unsafe store(Self.limited(light.x), pixels, pixelByteCount)
            unsafe store(Self.limited(light.y), pixels + 1, pixelByteCount)
            unsafe store(Self.limited(light.z), pixels + 2, pixelByteCount)
            guard isOpaque else { return }
            for pixel in 0..<4 {
                unsafe pixels.storeBytes(of: 255, toByteOffset: pixel &* pixelByteCount &+ 3, as: UInt8.self)
            }
        }

        @inline(__always)
        private func light(_ sums: Vectors) -> Vectors {
            var v = sums
            if unsafe curves != nil { v = Vectors(curved(v.x, 0), curved(v.y, 1), curved(v.z, 2)) }
            v = v.applying(toSpace)
            if isLab { v = Vectors(Self.cube(v.x), Self.cube(v.y), Self.cube(v.z)) }
            return v.applying(toLight)
        }

        /// A byte of each of four pixels.
        @unsafe @inline(__always)
        private func store(_ light: SIMD4<Int32>, _ bytes: UnsafeMutableRawPointer, _ pixelByteCount: Int) {
            // SAFETY: the caller's; light is 0...2^14.
            unsafe bytes.storeBytes(of: numbers[Int(light[0])], as: UInt8.self)
            unsafe bytes.storeBytes(of: numbers[Int(light[1])], toByteOffset: pixelByteCount, as: UInt8.self)
            unsafe bytes.storeBytes(of: numbers[Int(light[2])], toByteOffset: 2 &* pixelByteCount, as: UInt8.self)
            unsafe bytes.storeBytes(of: numbers[Int(light[3])], toByteOffset: 3 &* pixelByteCount, as: UInt8.self)
        }

        /// Values of a channel's curve.
        @inline(__always)
        private func curved(_ sums: SIMD4<Float>, _ channel: Int) -> SIMD4<Float> {
            guard let curves = unsafe curves else { return sums }
            let step = Float(1 &<< GridColorTables.curveStepBitCount)
            let start = Float(GridColorTables.sumLimit)
            let places = Self.wholeNumbers((sums + SIMD4(repeating: start)) * SIMD4(repeating: 1 / step))
            let at = channel &* GridColorTables.curveCount
            // SAFETY: see above: sums are within 2^29, so places are 0...2^12.
            return unsafe SIMD4(
                curves[at &+ Int(places[0])], curves[at &+ Int(places[1])], curves[at &+ Int(places[2])],
                curves[at &+ Int(places[3])])
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
            let limit = SIMD4<Int32>(repeating: 1 &<< Int32(GridColorTables.lightBitCount))
            let rest = number &- limit
            return limit &+ (rest & (rest &>> SIMD4(repeating: 31)))
        }
    }
}
#endif
