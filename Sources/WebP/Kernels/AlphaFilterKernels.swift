// Alpha made into differences to a prediction, sixteen bytes at a time.
//
// Plain twins of all of these are in `AlphaFilterKernelsReference`.

import ImageCodecsCore

#if !ReferenceKernels
/// What is done to rows of alpha before they are coded; `AlphaKernels` undoes it.
package enum AlphaFilterKernels {
    private typealias Sixteen = SIMD16<UInt8>

    /// Writes the difference of each byte to another.
    ///
    /// - Parameters:
    ///   - predicted: what is subtracted from them, as many.
    ///   - row: as many bytes as `target` takes from `start` on, or more.
    ///   - target: receives the differences.
    ///   - start: where the first one goes.
    package static func subtract(
        _ predicted: RawSpan, from row: RawSpan, into target: inout MutableRawSpan, at start: Int = 0
    ) {
        precondition(start >= 0 && start <= target.byteCount, "outside the row")
        let count = target.byteCount &- start
        precondition(row.byteCount >= count && predicted.byteCount >= count, "rows of other lengths")
        unsafe row.withUnsafeBytes { row in
            unsafe predicted.withUnsafeBytes { predicted in
                unsafe target.withUnsafeMutableBytes { target in
                    guard let row = row.baseAddress, let predicted = predicted.baseAddress,
                        let all = target.baseAddress
                    else { return }
                    // SAFETY: x + 16 <= count in the loop of sixteen, x < count after it; all have `count` bytes, the target after
                    // `start`.
                    let target = unsafe all + start
                    var x = 0
                    while x &+ 16 <= count {
                        let (a, b) = unsafe (
                            row.loadUnaligned(fromByteOffset: x, as: Sixteen.self),
                            predicted.loadUnaligned(fromByteOffset: x, as: Sixteen.self)
                        )
                        unsafe target.storeBytes(of: a &- b, toByteOffset: x, as: Sixteen.self)
                        x &+= 16
                    }
                    while x < count {
                        let (a, b) = unsafe (
                            row.load(fromByteOffset: x, as: UInt8.self),
                            predicted.load(fromByteOffset: x, as: UInt8.self)
                        )
                        unsafe target.storeBytes(of: a &- b, toByteOffset: x, as: UInt8.self)
                        x &+= 1
                    }
                }
            }
        }
    }

    /// Writes the difference of each byte from the second on to left plus above minus above left, held to a byte; of the first one to
    /// the one above.
    ///
    /// - Parameters:
    ///   - row: as many bytes as `target` takes, or more.
    ///   - above: the row above, as many.
    ///   - target: receives the differences.
    package static func subtractGradient(_ above: RawSpan, from row: RawSpan, into target: inout MutableRawSpan) {
        let count = target.byteCount
        precondition(row.byteCount >= count && above.byteCount >= count, "rows of other lengths")
        guard count > 0 else { return }
        unsafe row.withUnsafeBytes { row in
            unsafe above.withUnsafeBytes { above in
                unsafe target.withUnsafeMutableBytes { target in
                    guard let row = row.baseAddress, let above = above.baseAddress, let target = target.baseAddress
                    else { return }
                    // SAFETY: x >= 1, and x + 16 <= count in the loop of sixteen, x < count after it.
                    let first = unsafe row.load(as: UInt8.self) &- above.load(as: UInt8.self)
                    unsafe target.storeBytes(of: first, as: UInt8.self)
                    var x = 1
                    while x &+ 16 <= count {
                        let expected = unsafe gradient(
                            row.loadUnaligned(fromByteOffset: x &- 1, as: Sixteen.self),
                            above.loadUnaligned(fromByteOffset: x, as: Sixteen.self),
                            above.loadUnaligned(fromByteOffset: x &- 1, as: Sixteen.self))
                        let bytes = unsafe row.loadUnaligned(fromByteOffset: x, as: Sixteen.self)
                        unsafe target.storeBytes(of: bytes &- expected, toByteOffset: x, as: Sixteen.self)
                        x &+= 16
                    }
                    while x < count {
                        let (left, up, corner) = unsafe (
                            Int32(row.load(fromByteOffset: x &- 1, as: UInt8.self)),
                            Int32(above.load(fromByteOffset: x, as: UInt8.self)),
                            Int32(above.load(fromByteOffset: x &- 1, as: UInt8.self))
                        )
                        // Between -255 and 510.
                        let expected = UInt8(clamping: left &+ up &- corner)
                        let byte = unsafe row.load(fromByteOffset: x, as: UInt8.self)
                        unsafe target.storeBytes(of: byte &- expected, toByteOffset: x, as: UInt8.self)
                        x &+= 1
                    }
                }
            }
        }
    }

    /// Left plus above minus corner, held to 0...255.
    @inline(__always)
    private static func gradient(_ left: Sixteen, _ above: Sixteen, _ corner: Sixteen) -> Sixteen {
        let rises = left .>= corner
        // What is added where it rises, or subtracted where it falls, no more than there is room for.
        let up = above &+ pointwiseMin(left &- corner, ~above)
        let down = above &- pointwiseMin(corner &- left, above)
        return down.replacing(with: up, where: rises)
    }
}
#endif
