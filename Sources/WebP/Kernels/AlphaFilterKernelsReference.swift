// The plain twins of `AlphaFilterKernels`.

import ImageCodecsCore

/// See the functions of the same names in ``AlphaFilterKernels``.
package enum AlphaFilterKernelsReference {
    package static func subtract(
        _ predicted: RawSpan, from row: RawSpan, into target: inout MutableRawSpan, at start: Int = 0
    ) {
        for x in 0..<target.byteCount - start {
            target.setByte(row.byte(at: x) &- predicted.byte(at: x), at: start + x)
        }
    }

    package static func subtractGradient(_ above: RawSpan, from row: RawSpan, into target: inout MutableRawSpan) {
        guard target.byteCount > 0 else { return }
        target.setByte(row.byte(at: 0) &- above.byte(at: 0), at: 0)
        for x in 1..<target.byteCount {
            let (left, up, corner) = (Int(row.byte(at: x - 1)), Int(above.byte(at: x)), Int(above.byte(at: x - 1)))
            target.setByte(row.byte(at: x) &- UInt8(clamping: left + up - corner), at: x)
        }
    }
}

#if ReferenceKernels
package typealias AlphaFilterKernels = AlphaFilterKernelsReference
#endif
