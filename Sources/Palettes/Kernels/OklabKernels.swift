// Rows of pixels to points of Oklab, four at a time: a vector for each coordinate, so that none of its lanes is idle.

import ImageCodecsCore

#if !ReferenceKernels
package enum OklabKernels {
    /// Writes the points of a row of straight RGBA, each four numbers of `Float`.
    ///
    /// - Precondition: `row` holds `width` pixels, and there is room for sixteen bytes for each.
    package static func convert(_ row: RawSpan, into points: inout MutableRawSpan, width: Int) {
        precondition(width >= 0 && width <= row.byteCount / 4 && width <= points.byteCount / 16, "row too short")
        let wholeCount = width & ~3
        Oklab.linear.withSpan { linear in
            precondition(linear.count == 256, "not one for each byte")
            unsafe row.withUnsafeBytes { row in
                unsafe points.withUnsafeMutableBytes { points in
                    unsafe linear.withUnsafeBufferPointer { table in
                        guard let from = row.baseAddress, let to = points.baseAddress, let table = table.baseAddress
                        else { return }
                        unsafe convert(from, to, wholeCount, table)
                        for x in wholeCount..<width {
                            // SAFETY: x is below `width`, which both rows hold.
                            let pixel = unsafe from.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
                            let point = Oklab.point(pixel, linear)
                            unsafe to.storeBytes(of: point, toByteOffset: 16 &* x, as: SIMD4<Float>.self)
                        }
                    }
                }
            }
        }
    }

    // SAFETY: the caller has checked that both rows hold `count` pixels, a multiple of four, and that the table has 256 numbers.
    @inline(__always)
    private static func convert(
        _ row: UnsafeRawPointer, _ points: UnsafeMutableRawPointer, _ count: Int, _ linear: UnsafePointer<Float>
    ) {
        let (long, medium, short) = (Oklab.labLong, Oklab.labMedium, Oklab.labShort)
        var last: UInt32 = 0
        var lastPoint = SIMD4<Float>(0, 0, 0, Oklab.transparent)
        for x in stride(from: 0, to: count, by: 4) {
            let pixels = unsafe row.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
            let to = unsafe points + 16 &* x
            if pixels == SIMD4(repeating: last) {
                for lane in 0..<4 {
                    unsafe to.storeBytes(of: lastPoint, toByteOffset: 16 &* lane, as: SIMD4<Float>.self)
                }
                continue
            }
            last = pixels.w
            guard (pixels.x & pixels.y) & (pixels.z & pixels.w) >= 0xFF00_0000 else {
                for lane in 0..<4 {
                    lastPoint = Oklab.point(pixels[lane])
                    unsafe to.storeBytes(of: lastPoint, toByteOffset: 16 &* lane, as: SIMD4<Float>.self)
                }
                continue
            }
            let red = unsafe light(pixels, linear)
            let green = unsafe light(pixels &>> 8, linear)
            let blue = unsafe light(pixels &>> 16, linear)
            let l = Oklab.cubeRoots(red * Oklab.coneRed.x + green * Oklab.coneGreen.x + blue * Oklab.coneBlue.x)
            let m = Oklab.cubeRoots(red * Oklab.coneRed.y + green * Oklab.coneGreen.y + blue * Oklab.coneBlue.y)
            let s = Oklab.cubeRoots(red * Oklab.coneRed.z + green * Oklab.coneGreen.z + blue * Oklab.coneBlue.z)
            let lightness = l * long.x + m * medium.x + s * short.x
            let greenRed = l * long.y + m * medium.y + s * short.y
            let blueYellow = l * long.z + m * medium.z + s * short.z
            for lane in 0..<4 {
                lastPoint = SIMD4(lightness[lane], greenRed[lane], blueYellow[lane], Oklab.opaque)
                unsafe to.storeBytes(of: lastPoint, toByteOffset: 16 &* lane, as: SIMD4<Float>.self)
            }
        }
    }

    // SAFETY: the table has a number for each byte.
    @inline(__always)
    private static func light(_ pixels: SIMD4<UInt32>, _ linear: UnsafePointer<Float>) -> SIMD4<Float> {
        unsafe SIMD4(
            linear[Int(pixels.x & 0xFF)], linear[Int(pixels.y & 0xFF)], linear[Int(pixels.z & 0xFF)],
            linear[Int(pixels.w & 0xFF)])
    }
}
#endif
