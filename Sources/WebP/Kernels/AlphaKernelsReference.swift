// The plain twins of `AlphaKernels`.

import ImageCodecsCore

/// See the functions of the same names in ``AlphaKernels``.
package enum AlphaKernelsReference {
    package static func addLeft(_ rows: inout MutableSpan<UInt8>, from start: Int) {
        for x in start..<rows.count { rows[x] &+= rows[x - 1] }
    }

    package static func addAbove(_ rows: inout MutableSpan<UInt8>) {
        let width = rows.count / 2
        for x in 0..<width { rows[width + x] &+= rows[x] }
    }

    package static func addGradient(_ rows: inout MutableSpan<UInt8>) {
        let width = rows.count / 2
        guard width > 0 else { return }
        rows[width] &+= rows[0]
        for x in 1..<width {
            let (left, above, corner) = (Int(rows[width + x - 1]), Int(rows[x]), Int(rows[x - 1]))
            rows[width + x] &+= UInt8(clamping: left + above - corner)
        }
    }

    package static func merge(_ alpha: RawSpan, with row: RawSpan, into target: inout MutableRawSpan) {
        for x in 0..<alpha.byteCount {
            for channel in 4 * x..<4 * x + 3 { target.setByte(row.byte(at: channel), at: channel) }
            target.setByte(alpha.byte(at: x), at: 4 * x + 3)
        }
    }
}

#if ReferenceKernels
package typealias AlphaKernels = AlphaKernelsReference
#endif
