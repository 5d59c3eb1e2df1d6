// Intra prediction: samples above and to the left of a block to a guess of what is in it.
//
//      P T0 T1 ... T7         P, T: the row above, in a line of its own for the upper edge of a macroblock
//     L0 .  .  .              L: the column to the left, in the plane
//     L1 .  .  .

import ImageCodecsCore

#if !ReferenceKernels
/// Predicts blocks, in place.
///
/// Not inlined: code that does not fit into the first cache costs more than a call.
enum PredictionKernels {
    // SAFETY: for all of these, the caller promises that the block's rows are in the plane with one more byte to the left,
    // and that `above` has as many samples as the block is wide, or as said, and one more in front.

    /// Sixteen by sixteen luma samples.
    ///
    /// - Parameters:
    ///   - target: the upper left sample of the macroblock.
    ///   - above: the samples above.
    ///   - hasAbove: whether those are samples of the picture.
    ///   - hasLeft: whether those to the left are.
    /// - Source: RFC 6386 section 12.3 "Luma Prediction"
    @unsafe @inline(never)
    static func predictLuma(
        _ mode: UInt8, _ target: UnsafeMutableRawPointer, stride: Int, above: UnsafeRawPointer, hasAbove: Bool,
        hasLeft: Bool
    ) {
        switch mode {
        case MacroblockMode.vertical:
            unsafe fill(target, stride, above.loadUnaligned(as: Bytes16.self))
        case MacroblockMode.horizontal:
            for y in 0..<16 {
                let line = unsafe target + y &* stride
                let left = unsafe line.load(fromByteOffset: -1, as: UInt8.self)
                unsafe line.storeBytes(of: Bytes16(repeating: left), as: Bytes16.self)
            }
        case MacroblockMode.trueMotion:
            unsafe trueMotion16(target, stride, above)
        default:
            var sum: UInt32 = 0
            if hasAbove { unsafe sum &+= sum16(above) }
            if hasLeft {
                for y in 0..<16 { unsafe sum &+= UInt32(target.load(fromByteOffset: y &* stride &- 1, as: UInt8.self)) }
            }
            let mean: UInt32 =
                hasAbove && hasLeft ? (sum &+ 16) &>> 5 : hasAbove || hasLeft ? (sum &+ 8) &>> 4 : 128
            unsafe fill(target, stride, Bytes16(repeating: UInt8(truncatingIfNeeded: mean)))
        }
    }

    @unsafe @inline(__always)
    private static func fill(_ target: UnsafeMutableRawPointer, _ stride: Int, _ row: Bytes16) {
        for y in 0..<16 { unsafe target.storeBytes(of: row, toByteOffset: y &* stride, as: Bytes16.self) }
    }

    @unsafe @inline(__always)
    private static func sum16(_ row: UnsafeRawPointer) -> UInt32 {
        var sum: UInt32 = 0
        for x in 0..<16 { unsafe sum &+= UInt32(row.load(fromByteOffset: x, as: UInt8.self)) }
        return sum
    }

    @unsafe @inline(__always)
    private static func trueMotion16(_ target: UnsafeMutableRawPointer, _ stride: Int, _ above: UnsafeRawPointer) {
        let top = unsafe above.loadUnaligned(as: Bytes16.self)
        let corner = unsafe Int16(above.load(fromByteOffset: -1, as: UInt8.self))
        let (low, high) = (widenLow(top) &- Words(repeating: corner), widenHigh(top) &- Words(repeating: corner))
        for y in 0..<16 {
            let line = unsafe target + y &* stride
            let left = unsafe Words(repeating: Int16(line.load(fromByteOffset: -1, as: UInt8.self)))
            unsafe line.storeBytes(of: packUnsigned(low &+ left, high &+ left), as: Bytes16.self)
        }
    }

    /// Eight by eight samples of a chroma plane.
    ///
    /// - Source: RFC 6386 section 12.2 "Chroma Prediction"
    @unsafe @inline(never)
    static func predictChroma(
        _ mode: UInt8, _ target: UnsafeMutableRawPointer, stride: Int, above: UnsafeRawPointer, hasAbove: Bool,
        hasLeft: Bool
    ) {
        switch mode {
        case MacroblockMode.vertical:
            let row = unsafe above.loadUnaligned(as: UInt64.self)
            for y in 0..<8 { unsafe target.storeBytes(of: row, toByteOffset: y &* stride, as: UInt64.self) }
        case MacroblockMode.horizontal:
            for y in 0..<8 {
                let line = unsafe target + y &* stride
                let left = unsafe UInt64(line.load(fromByteOffset: -1, as: UInt8.self))
                unsafe line.storeBytes(of: left &* 0x0101_0101_0101_0101, as: UInt64.self)
            }
        case MacroblockMode.trueMotion:
            let top = widenLow(asBytes(UnsignedQuads(unsafe above.loadUnaligned(as: UInt64.self), 0)))
            let corner = unsafe Int16(above.load(fromByteOffset: -1, as: UInt8.self))
            let base = top &- Words(repeating: corner)
            for y in 0..<8 {
                let line = unsafe target + y &* stride
                let left = unsafe Words(repeating: Int16(line.load(fromByteOffset: -1, as: UInt8.self)))
                let row = asQuads(packUnsigned(base &+ left, Words(repeating: 0)))[0]
                unsafe line.storeBytes(of: row, as: UInt64.self)
            }
        default:
            var sum: UInt32 = 0
            if hasAbove {
                for x in 0..<8 { unsafe sum &+= UInt32(above.load(fromByteOffset: x, as: UInt8.self)) }
            }
            if hasLeft {
                for y in 0..<8 { unsafe sum &+= UInt32(target.load(fromByteOffset: y &* stride &- 1, as: UInt8.self)) }
            }
            let mean: UInt32 =
                hasAbove && hasLeft ? (sum &+ 8) &>> 4 : hasAbove || hasLeft ? (sum &+ 4) &>> 3 : 128
            let row = UInt64(mean) &* 0x0101_0101_0101_0101
            for y in 0..<8 { unsafe target.storeBytes(of: row, toByteOffset: y &* stride, as: UInt64.self) }
        }
    }

    /// Four by four luma samples, which are returned.
    ///
    /// - Parameters:
    ///   - top: the samples T0...T7, the first one lowest.
    ///   - corner: P.
    ///   - left: L0...L3, the first one lowest.
    /// - Source: RFC 6386 section 12.3 "Luma Prediction", subblock_intra_predict
    @inline(never)
    static func predictSubblock(
        _ mode: UInt8, top: UInt64, corner: UInt8, left: UInt32
    ) -> TransformKernels.FourRows {
        switch mode {
        case SubblockMode.trueMotion: return trueMotion4(top, corner, left)
        case SubblockMode.vertical:
            let row = UInt32(truncatingIfNeeded: Edge(top, corner, left).means3 &>> 32)
            return TransformKernels.FourRows(repeating: row)
        case SubblockMode.horizontal:
            // Means of (P, L0, L1), (L0, L1, L2), (L1, L2, L3) and (L2, L3, L3), the first one third.
            let means = Edge(top, corner, left).means3
            let last = left &>> 24
            let bottom = (((left &>> 16) & 255) &+ 3 &* last &+ 2) &>> 2
            let all = SIMD4<UInt32>(
                UInt32(truncatingIfNeeded: means &>> 16) & 255, UInt32(truncatingIfNeeded: means &>> 8) & 255,
                UInt32(truncatingIfNeeded: means) & 255, bottom)
            return SIMD4(
                all[0] &* 0x0101_0101, all[1] &* 0x0101_0101, all[2] &* 0x0101_0101, all[3] &* 0x0101_0101)
        case SubblockMode.leftDown: return leftDown(top)
        case SubblockMode.rightDown:
            let means = Edge(top, corner, left).means3
            return rows(means &>> 24, means &>> 16, means &>> 8, means)
        case SubblockMode.verticalRight: return verticalRight(Edge(top, corner, left))
        case SubblockMode.verticalLeft: return verticalLeft(top)
        case SubblockMode.horizontalDown: return horizontalDown(Edge(top, corner, left))
        case SubblockMode.horizontalUp: return horizontalUp(left)
        default:
            let sum = byteSum(UInt64(left) | top &<< 32) &+ 4
            return TransformKernels.FourRows(repeating: (sum &>> 3) &* 0x0101_0101)
        }
    }

    /// The sum of eight bytes.
    @inline(__always)
    private static func byteSum(_ bytes: UInt64) -> UInt32 {
        let pairs = bytes & 0x00FF_00FF_00FF_00FF &+ (bytes &>> 8) & 0x00FF_00FF_00FF_00FF
        return UInt32(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) &>> 48)
    }

    @inline(__always)
    private static func rows(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) -> TransformKernels.FourRows {
        SIMD4(
            UInt32(truncatingIfNeeded: a), UInt32(truncatingIfNeeded: b), UInt32(truncatingIfNeeded: c),
            UInt32(truncatingIfNeeded: d))
    }

    /// L3 L2 L1 L0 P T0 T1 T2, and the same one and two places on, each as eight bytes with the first one lowest.
    private struct Edge {
        let first: UInt64
        let second: UInt64
        let third: UInt64

        @inline(__always)
        init(_ top: UInt64, _ corner: UInt8, _ left: UInt32) {
            first = UInt64(left.byteSwapped) | UInt64(corner) &<< 32 | top &<< 40
            second = first &>> 8 | (top &>> 24) &<< 56
            third = second &>> 8 | (top &>> 32) &<< 56
        }

        /// Means of three neighbours: (L3, L2, L1), (L2, L1, L0), (L1, L0, P), (L0, P, T0), (P, T0, T1) ... (T2, T3, T4).
        @inline(__always)
        var means3: UInt64 { PredictionKernels.means(first, second, third) }

        /// Means of two neighbours: (L3, L2), (L2, L1), (L1, L0), (L0, P), (P, T0), (T0, T1), (T1, T2), (T2, T3).
        @inline(__always)
        var means2: UInt64 { PredictionKernels.means(first, second) }
    }

    /// (a + b + 1) / 2 of eight bytes.
    @inline(__always)
    private static func means(_ a: UInt64, _ b: UInt64) -> UInt64 {
        (a | b) &- (((a ^ b) & 0xFEFE_FEFE_FEFE_FEFE) &>> 1)
    }

    /// (a + 2b + c + 2) / 4 of eight bytes: the mean of b and the lower mean of a and c.
    @inline(__always)
    private static func means(_ a: UInt64, _ b: UInt64, _ c: UInt64) -> UInt64 {
        means((a & c) &+ (((a ^ c) & 0xFEFE_FEFE_FEFE_FEFE) &>> 1), b)
    }

    @inline(__always)
    private static func trueMotion4(_ top: UInt64, _ corner: UInt8, _ left: UInt32) -> TransformKernels.FourRows {
        let four = top & 0xFFFF_FFFF
        let base = widenLow(asBytes(UnsignedQuads(four | four &<< 32, 0))) &- Words(repeating: Int16(corner))
        @inline(__always) func side(_ shift: UInt32) -> Int16 { Int16((left &>> shift) & 255) }
        let (l0, l1, l2, l3) = (side(0), side(8), side(16), side(24))
        let sum = packUnsigned(
            base &+ Words(l0, l0, l0, l0, l1, l1, l1, l1), base &+ Words(l2, l2, l2, l2, l3, l3, l3, l3))
        return unsafe unsafeBitCast(sum, to: TransformKernels.FourRows.self)
    }

    @inline(__always)
    private static func leftDown(_ top: UInt64) -> TransformKernels.FourRows {
        // (T0, T1, T2) ... (T5, T6, T7), (T6, T7, T7).
        let means = means(top, top &>> 8, top &>> 16 | (top &>> 56) &<< 48)
        return rows(means, means &>> 8, means &>> 16, means &>> 24)
    }

    @inline(__always)
    private static func verticalLeft(_ top: UInt64) -> TransformKernels.FourRows {
        let (two, three) = (means(top, top &>> 8), means(top, top &>> 8, top &>> 16))
        return rows(
            two, three, (two &>> 8) & 0xFF_FFFF | (three &>> 32) &<< 24,
            (three &>> 8) & 0xFF_FFFF | (three &>> 40) &<< 24)
    }

    @inline(__always)
    private static func verticalRight(_ edge: Edge) -> TransformKernels.FourRows {
        let (two, three) = (edge.means2, edge.means3)
        return rows(
            two &>> 32, three &>> 24, (three &>> 16) & 255 | (two &>> 32) &<< 8,
            (three &>> 8) & 255 | (three &>> 24) &<< 8)
    }

    @inline(__always)
    private static func horizontalDown(_ edge: Edge) -> TransformKernels.FourRows {
        let three = edge.means3
        // Means of two and of three in turns, from L3 on.
        let turns = spread(edge.means2) | spread(three) &<< 8
        return rows(turns &>> 48 & 0xFFFF | (three &>> 32) &<< 16, turns &>> 32, turns &>> 16, turns)
    }

    @inline(__always)
    private static func horizontalUp(_ left: UInt32) -> TransformKernels.FourRows {
        let (all, last) = (UInt64(left), UInt64(left &>> 24))
        let two = means(all, all &>> 8)
        let three = means(all, all &>> 8, all &>> 16 | last &<< 16)
        let turns = (spread(two) | spread(three) &<< 8) & 0xFFFF_FFFF_FFFF | (last &* 0x0101) &<< 48
        return rows(turns, turns &>> 16, turns &>> 32, last &* 0x0101_0101)
    }

    /// The lower four bytes, a zero after each.
    @inline(__always)
    private static func spread(_ bytes: UInt64) -> UInt64 {
        let low = bytes & 0xFFFF_FFFF
        let pairs = (low | low &<< 16) & 0x0000_FFFF_0000_FFFF
        return (pairs | pairs &<< 8) & 0x00FF_00FF_00FF_00FF
    }
}
#endif
