// Plain twin of ChangeKernels.

/// See the functions of the same names in `ChangeKernels`.
package enum ChangeKernelsReference: PixelChanges {
    /// The number of the first pixel that differs.
    package static func firstChange(_ below: RawSpan, _ wanted: RawSpan, count: Int) -> Int {
        (0..<count).first { below.nativeUInt32(at: 4 * $0) != wanted.nativeUInt32(at: 4 * $0) } ?? count
    }

    /// The number of pixels up to and with the last that differs.
    package static func lastChange(_ below: RawSpan, _ wanted: RawSpan, count: Int) -> Int {
        (0..<count).last { below.nativeUInt32(at: 4 * $0) != wanted.nativeUInt32(at: 4 * $0) }.map { $0 + 1 } ?? 0
    }

    /// Counts the pixels that differ.
    package static func change(_ below: RawSpan, _ wanted: RawSpan, count: Int) -> RowChange {
        var change = RowChange()
        for x in 0..<count {
            let isOpaque = wanted.byte(at: 4 * x + 3) == 255
            change.isOpaque = change.isOpaque && isOpaque
            guard below.nativeUInt32(at: 4 * x) != wanted.nativeUInt32(at: 4 * x) else { continue }
            change.changedCount += 1
            change.changesAreOpaque = change.changesAreOpaque && isOpaque
        }
        return change
    }

    /// Writes the pixels that differ, and short runs of others.
    package static func keepChanges(
        _ below: RawSpan, _ wanted: RawSpan, into target: inout MutableRawSpan, count: Int, clear: UInt32,
        shortestRun: Int
    ) {
        func isSame(_ x: Int) -> Bool { below.nativeUInt32(at: 4 * x) == wanted.nativeUInt32(at: 4 * x) }
        for x in 0..<count {
            var pixel = wanted.nativeUInt32(at: 4 * x)
            if isSame(x) {
                let start = (0..<x).last { !isSame($0) }.map { $0 + 1 } ?? 0
                let end = (x..<count).first { !isSame($0) } ?? count
                if end - start >= shortestRun || wanted.byte(at: 4 * x + 3) < 255 { pixel = clear }
            }
            target.storeBytes(of: pixel, toByteOffset: 4 * x, as: UInt32.self)
        }
    }

    /// Copies pixels.
    package static func copy(_ source: RawSpan, into target: inout MutableRawSpan, count: Int, clear: UInt32) {
        for x in 0..<count {
            let pixel = source.nativeUInt32(at: 4 * x)
            target.storeBytes(
                of: source.byte(at: 4 * x + 3) == 0 ? clear : pixel, toByteOffset: 4 * x, as: UInt32.self)
        }
    }

    /// Makes pixels opaque or transparent.
    package static func cutOut(_ source: RawSpan, into target: inout MutableRawSpan, count: Int) -> Bool {
        var isTranslucent = false
        for x in 0..<count {
            let (pixel, alpha) = (source.nativeUInt32(at: 4 * x), UInt32(source.byte(at: 4 * x + 3)))
            isTranslucent = isTranslucent || (1...254).contains(alpha)
            target.storeBytes(
                of: alpha >= leastOpaqueAlpha ? pixel | 0xFF00_0000 : 0, toByteOffset: 4 * x, as: UInt32.self)
        }
        return isTranslucent
    }
}

#if ReferenceKernels
package typealias ChangeKernels = ChangeKernelsReference
#endif
