// Luma repaired for what chroma lost, in vectors: eight pixels at a time. The formula is in `LumaRepair`.

import ImageCodecsCore

#if !ReferenceKernels
package enum LumaRepairKernels {
    private typealias V = WordVectors

    /// Chroma as a decoder will have it, from half the size in both directions.
    ///
    /// Weights 3/4 and 1/4 in both directions. All rows hold `Int16` with 4 fractional bits.
    ///
    /// - Parameters:
    ///   - near, far: Byte offsets of the row that covers this one, and of its neighbour on that side; a word before the
    ///     first and one after the last are read.
    ///   - count: Words of those; twice as many are written, rounded up to a multiple of 16.
    ///   - room: Byte offset of a row between.
    package static func upsample(
        near: Int, far: Int, count: Int, room: Int, into result: Int, in workspace: inout MutableRawSpan
    ) {
        let padded = 2 * ((count + 7) & ~7)
        precondition(count >= 1 && min(near, far, room) >= 2 && result >= 0)
        precondition(max(near, far, room) + padded + 2 <= workspace.byteCount)
        precondition(result + 2 * padded <= workspace.byteCount)
        unsafe workspace.withUnsafeMutableBytes { workspace in
            let base = workspace.baseAddress!
            var x = 0
            while x < count {
                // SAFETY: checked above.
                let (a, b) = unsafe (
                    base.loadUnaligned(fromByteOffset: near &+ 2 &* x, as: Words.self),
                    base.loadUnaligned(fromByteOffset: far &+ 2 &* x, as: Words.self)
                )
                unsafe base.storeBytes(of: blend(a, b), toByteOffset: room &+ 2 &* x, as: Words.self)
                x &+= 8
            }
            // SAFETY: a word before the first and one after the last, checked above.
            unsafe base.storeBytes(
                of: base.load(fromByteOffset: room, as: Int16.self), toByteOffset: room &- 2, as: Int16.self)
            unsafe base.storeBytes(
                of: base.load(fromByteOffset: room &+ 2 &* count &- 2, as: Int16.self),
                toByteOffset: room &+ 2 &* count, as: Int16.self)
            x = 0
            while x < count {
                // SAFETY: checked above.
                let (left, here, right) = unsafe (
                    base.loadUnaligned(fromByteOffset: room &+ 2 &* x &- 2, as: Words.self),
                    base.loadUnaligned(fromByteOffset: room &+ 2 &* x, as: Words.self),
                    base.loadUnaligned(fromByteOffset: room &+ 2 &* x &+ 2, as: Words.self)
                )
                let (even, odd) = (blend(here, left), blend(here, right))
                unsafe base.storeBytes(of: interleaveLow(even, odd), toByteOffset: result &+ 4 &* x, as: Words.self)
                unsafe base.storeBytes(
                    of: interleaveHigh(even, odd), toByteOffset: result &+ 4 &* x &+ 16, as: Words.self)
                x &+= 8
            }
        }
    }

    /// Three quarters of the near one and a quarter of the far one.
    @inline(__always)
    private static func blend(_ near: Words, _ far: Words) -> Words { (near &+ near &+ near &+ far &+ 2) &>> 2 }

    /// Repairs one row.
    ///
    /// All rows hold `count` words, rounded up to a multiple of eight.
    ///
    /// - Parameters:
    ///   - luma, cb, cr: Byte offsets of the picture's samples.
    ///   - decodedCb, decodedCr: Byte offsets of the chroma that a decoder will have.
    ///   - result: Byte offset of the repaired luma.
    ///   - strength: As ``LumaRepair/strength``; not above 2048, all of the change.
    package static func repair(
        luma: Int, cb: Int, cr: Int, decodedCb: Int, decodedCr: Int, count: Int, into result: Int,
        strength: Float = LumaRepair.strength, in workspace: inout MutableRawSpan
    ) {
        let padded = 2 * ((count + 7) & ~7)
        precondition(min(luma, cb, cr) >= 0 && min(decodedCb, decodedCr, result) >= 0 && count >= 0)
        precondition(max(luma, cb, cr) + padded <= workspace.byteCount)
        precondition(max(decodedCb, decodedCr, result) + padded <= workspace.byteCount)
        unsafe workspace.withUnsafeMutableBytes { workspace in
            let base = workspace.baseAddress!
            let zero = V.opaqueZero(count)
            var x = 0
            while x < count {
                // SAFETY: checked above.
                let y = unsafe base.loadUnaligned(fromByteOffset: luma &+ 2 &* x, as: Words.self)
                let (b, r) = unsafe (
                    base.loadUnaligned(fromByteOffset: cb &+ 2 &* x, as: Words.self),
                    base.loadUnaligned(fromByteOffset: cr &+ 2 &* x, as: Words.self)
                )
                let (lostB, lostR) = unsafe (
                    b &- base.loadUnaligned(fromByteOffset: decodedCb &+ 2 &* x, as: Words.self),
                    r &- base.loadUnaligned(fromByteOffset: decodedCr &+ 2 &* x, as: Words.self)
                )
                let least = Words(repeating: LumaRepair.least)
                let isLost =
                    V.bits(lostB .> least) | V.bits(lostR .> least) | V.bits(lostB .< (0 &- least))
                    | V.bits(lostR .< (0 &- least))
                let value = V.hasBits(isLost) ? y &+ change(y, b, r, lostB, lostR, strength, zero) : y
                unsafe base.storeBytes(of: value, toByteOffset: result &+ 2 &* x, as: Words.self)
                x &+= 8
            }
        }
    }

    /// The sum of a channel's weighted error, and of its weight.
    @inline(__always)
    private static func channel(
        _ source: Words, _ lost: Words, _ k0: Int16, _ k1: Int16, _ k2: Int16, _ zero: Words
    ) -> (error: Words, weight: Words) {
        let (low, high): (Int16, Int16) = (0, 4080)
        let color = V.clamp(source, low, high)
        let decoded = V.clamp(source &- lost, low, high)
        let middle = (((color &+ decoded) &>> 1) &<< 3) &+ zero
        let square = V.multiplyHigh(middle, middle) &+ zero
        let weight = Words(repeating: k0) &+ V.multiplyHigh(middle, k1) &+ V.multiplyHigh(square, k2) &+ zero
        let error = V.clamp(color &- decoded, -1000, 1000) &<< 5
        return (V.multiplyHigh(weight, error), weight)
    }

    @inline(__always)
    private static func change(
        _ y: Words, _ b: Words, _ r: Words, _ lostB: Words, _ lostR: Words, _ strength: Float, _ zero: Words
    ) -> Words {
        @inline(__always) func red(_ cr: Words) -> Words { cr &+ V.multiplyHigh(cr, 26345) }
        @inline(__always) func green(_ cb: Words, _ cr: Words) -> Words {
            V.multiplyHigh(cr, 18734) &- V.multiplyHigh(cb, 22553) &- cr
        }
        @inline(__always) func blue(_ cb: Words) -> Words { cb &+ cb &- V.multiplyHigh(cb, 14942) }
        let level = y &+ 2048
        let reds = channel(level &+ red(r), red(lostR), 43, 9437, 12720, zero)
        let greens = channel(level &+ green(b, r), green(lostB, lostR), 107, 23397, 31536, zero)
        let blues = channel(level &+ blue(b), blue(lostB), 13, 2778, 3744, zero)
        let error = V.widenedHalves(reds.error &+ greens.error &+ blues.error)
        let weight = V.widenedHalves(reds.weight &+ greens.weight &+ blues.weight)
        return V.clamp(
            V.pack(quotient(error.low, weight.low, strength), quotient(error.high, weight.high, strength)),
            -LumaRepair.most, LumaRepair.most)
    }

    @inline(__always)
    private static func floats(_ a: Longs) -> SIMD4<Float> {
        SIMD4(Float(a[0]), Float(a[1]), Float(a[2]), Float(a[3]))
    }

    @inline(__always)
    private static func quotient(_ error: Longs, _ weight: Longs, _ strength: Float) -> Longs {
        let value = floats(error) * strength / floats(weight)
        // The sum with 1.5 * 2^23 has the rounded quotient, which is below 2^22, in its low bits.
        let sum = value + 12_582_912
        return unsafe unsafeBitCast(sum, to: Longs.self) &- 0x4B40_0000
    }
}
#endif
