// The kernels that compare rows of two canvases, and make what has to be drawn so that one becomes the other.
//
// Pixels are words of four bytes, straight RGBA: alpha is the highest byte. They run on each pixel of each frame that is written.
//
// SAFETY, for every load and store here: `withPixelRows` and `withTwoRows` have checked that rows hold the pixels, and loops stay
// below their number.

/// What a row of pixels makes of another.
package struct RowChange: Hashable, Sendable {
    /// Pixels that differ.
    package var changedCount: Int
    /// Whether all pixels that differ are opaque in the second row.
    package var changesAreOpaque: Bool
    /// Whether all pixels of the second row are opaque.
    package var isOpaque: Bool

    /// A change of a row, or of several.
    package init(changedCount: Int = 0, changesAreOpaque: Bool = true, isOpaque: Bool = true) {
        self.changedCount = changedCount
        self.changesAreOpaque = changesAreOpaque
        self.isOpaque = isOpaque
    }

    /// Adds what another row has changed.
    package mutating func add(_ other: RowChange) {
        changedCount += other.changedCount
        changesAreOpaque = changesAreOpaque && other.changesAreOpaque
        isOpaque = isOpaque && other.isOpaque
    }
}

/// What both ways to compare have in common.
package protocol PixelChanges {}

extension PixelChanges {
    /// Alpha from which on pixels are opaque in formats that have no translucent ones.
    package static var leastOpaqueAlpha: UInt32 { 128 }
}

#if !ReferenceKernels
package enum ChangeKernels: PixelChanges {
    /// The number of the first of `count` pixels that differs; `count` if none does.
    ///
    /// - Precondition: both rows hold `count` pixels, as for every function here.
    package static func firstChange(_ below: RawSpan, _ wanted: RawSpan, count: Int) -> Int {
        unsafe withTwoRows(below, wanted, 4 * count) { from, to in
            var x = 0
            while x < count &- 3 {
                if unsafe differ(from, to, 4 &* x) { break }
                x &+= 4
            }
            while x < count {
                let (old, new): (UInt32, UInt32) = unsafe (load(from, 4 &* x), load(to, 4 &* x))
                if old != new { break }
                x &+= 1
            }
            return x
        } ?? count
    }

    /// The number of pixels up to and with the last of `count` that differs; zero if none does.
    package static func lastChange(_ below: RawSpan, _ wanted: RawSpan, count: Int) -> Int {
        unsafe withTwoRows(below, wanted, 4 * count) { from, to in
            var x = count
            while x >= 4 {
                if unsafe differ(from, to, 4 &* x &- 16) { break }
                x &-= 4
            }
            while x > 0 {
                let (old, new): (UInt32, UInt32) = unsafe (load(from, 4 &* x &- 4), load(to, 4 &* x &- 4))
                if old != new { break }
                x &-= 1
            }
            return x
        } ?? 0
    }

    /// Counts the pixels that differ, and looks at the alpha of those of `wanted`.
    package static func change(_ below: RawSpan, _ wanted: RawSpan, count: Int) -> RowChange {
        unsafe withTwoRows(below, wanted, 4 * count) { from, to in
            var changedCount: UInt32 = 0
            var common = UInt32.max
            var commonOfChanges = UInt32.max
            for x in 0..<count {
                let (old, new): (UInt32, UInt32) = unsafe (load(from, 4 &* x), load(to, 4 &* x))
                // All ones if the pixel is the same.
                let same: UInt32 = old == new ? .max : 0
                changedCount &+= 1 &+ same
                common &= new
                commonOfChanges &= new | same
            }
            return RowChange(
                changedCount: Int(changedCount), changesAreOpaque: commonOfChanges >= 0xFF00_0000,
                isOpaque: common >= 0xFF00_0000)
        } ?? RowChange()
    }

    /// Writes the pixels of `wanted` that differ from those of `below`, and `clear` in place of the others; but of a run of
    /// fewer than `shortestRun` others, those that are opaque stay what they are.
    package static func keepChanges(
        _ below: RawSpan, _ wanted: RawSpan, into target: inout MutableRawSpan, count: Int, clear: UInt32,
        shortestRun: Int
    ) {
        precondition(4 * count <= below.byteCount, "the row is shorter than its width")
        unsafe withPixelRows(wanted, 4 * count, &target, 4 * count) { from, to in
            unsafe below.withUnsafeBytes { below in
                guard let below = below.baseAddress else { return }
                // Where the run of unchanged pixels began that ends before x.
                var start = 0
                for x in 0...count {
                    if x < count {
                        let (old, new): (UInt32, UInt32) = unsafe (load(below, 4 &* x), load(from, 4 &* x))
                        if old == new {
                            unsafe store(to, 4 &* x, clear)
                            continue
                        }
                        unsafe store(to, 4 &* x, new)
                    }
                    if x &- start < shortestRun {
                        while start < x {
                            let pixel: UInt32 = unsafe load(from, 4 &* start)
                            if pixel >= 0xFF00_0000 { unsafe store(to, 4 &* start, pixel) }
                            start &+= 1
                        }
                    }
                    start = x &+ 1
                }
            }
        }
    }

    /// Copies pixels, and gives those with alpha 0 the value `clear`.
    package static func copy(_ source: RawSpan, into target: inout MutableRawSpan, count: Int, clear: UInt32) {
        unsafe withPixelRows(source, 4 * count, &target, 4 * count) { from, to in
            for x in 0..<count {
                let pixel: UInt32 = unsafe load(from, 4 &* x)
                unsafe store(to, 4 &* x, pixel < 0x0100_0000 ? clear : pixel)
            }
        }
    }

    /// Copies pixels, and makes them opaque if their alpha is at least ``leastOpaqueAlpha``, else zero; says whether any pixel was
    /// neither opaque nor transparent.
    package static func cutOut(_ source: RawSpan, into target: inout MutableRawSpan, count: Int) -> Bool {
        var isTranslucent = false
        unsafe withPixelRows(source, 4 * count, &target, 4 * count) { from, to in
            var translucent: UInt32 = 0
            for x in 0..<count {
                let pixel: UInt32 = unsafe load(from, 4 &* x)
                // All ones if the pixel is kept.
                let kept: UInt32 = pixel >= leastOpaqueAlpha &<< 24 ? .max : 0
                // 1...254 becomes 0...253.
                translucent |= (pixel &>> 24 &- 1) < 254 ? 1 : 0
                unsafe store(to, 4 &* x, (pixel | 0xFF00_0000) & kept)
            }
            isTranslucent = translucent != 0
        }
        return isTranslucent
    }

    /// Whether one of four pixels differs.
    @inline(__always)
    private static func differ(_ from: UnsafeRawPointer, _ to: UnsafeRawPointer, _ offset: Int) -> Bool {
        let (old, new): (UInt64, UInt64) = unsafe (load(from, offset), load(to, offset))
        let (oldRest, newRest): (UInt64, UInt64) = unsafe (load(from, offset &+ 8), load(to, offset &+ 8))
        return (old ^ new) | (oldRest ^ newRest) != 0
    }

    /// Hands `body` the start of both rows; `nil` if they are empty.
    @inline(__always)
    private static func withTwoRows<R>(
        _ first: RawSpan, _ second: RawSpan, _ byteCount: Int, _ body: (UnsafeRawPointer, UnsafeRawPointer) -> R
    ) -> R? {
        precondition(
            byteCount >= 0 && min(first.byteCount, second.byteCount) >= byteCount, "a row is shorter than its width")
        return unsafe first.withUnsafeBytes { first in
            unsafe second.withUnsafeBytes { second in
                guard let from = first.baseAddress, let to = second.baseAddress else { return nil }
                return unsafe body(from, to)
            }
        }
    }
}
#endif
