// What an encoder does with subblocks of 4x4 samples: differences to coefficients, coefficients to levels and back, and how far
// two subblocks are apart. Two at a time where the vectors have room for two.
//
// A subblock is sixteen samples in raster order, its coefficients and levels are as well.

import ImageCodecsCore

/// Sixteen coefficients or levels of a subblock, in raster order.
package typealias BlockValues = SIMD16<Int16>
/// Sixteen samples of a subblock, in raster order.
package typealias BlockSamples = SIMD16<UInt8>

/// How the coefficients of a subblock become levels, and levels coefficients.
package struct BlockQuantizer: Hashable, Sendable {
    /// What levels are multiplied with.
    package var steps: SIMD16<UInt16>
    /// 65,536 / step, rounded up.
    package var reciprocals: SIMD16<UInt16>
    /// What is added to magnitudes before they are divided.
    package var roundings: SIMD16<UInt16>

    /// - Parameters:
    ///   - dc, ac: steps, at least 4.
    ///   - dcRounding, acRounding: in 256ths of a step; half a step rounds to the nearest.
    package init(dc: Int, ac: Int, dcRounding: Int, acRounding: Int) {
        steps = SIMD16(repeating: UInt16(ac))
        steps[0] = UInt16(dc)
        reciprocals = SIMD16(repeating: UInt16((65535 + ac) / ac))
        reciprocals[0] = UInt16((65535 + dc) / dc)
        roundings = SIMD16(repeating: UInt16(ac * acRounding / 256))
        roundings[0] = UInt16(dc * dcRounding / 256)
    }

    /// The largest level.
    package static let largestLevel: Int16 = 2047
}

#if !ReferenceKernels
/// Transforms, quantises and compares subblocks.
package enum SubblockKernels {
    @inline(__always)
    private static func halves(_ block: BlockValues) -> (Words, Words) { (block.lowHalf, block.highHalf) }

    /// Four rows of the differences of two subblocks side by side.
    @inline(__always)
    private static func differences(
        _ source0: BlockSamples, _ prediction0: BlockSamples, _ source1: BlockSamples, _ prediction1: BlockSamples
    ) -> TransformKernels.Residue {
        let l01 = asQuads(widenLow(source0) &- widenLow(prediction0))
        let l23 = asQuads(widenHigh(source0) &- widenHigh(prediction0))
        let r01 = asQuads(widenLow(source1) &- widenLow(prediction1))
        let r23 = asQuads(widenHigh(source1) &- widenHigh(prediction1))
        return (
            asWords(interleaveLow(l01, r01)), asWords(interleaveHigh(l01, r01)), asWords(interleaveLow(l23, r23)),
            asWords(interleaveHigh(l23, r23))
        )
    }

    /// The forward transform of two subblocks: what the inverse makes the differences of, rounded.
    package static func forward(
        _ source0: BlockSamples, _ prediction0: BlockSamples, _ source1: BlockSamples, _ prediction1: BlockSamples
    ) -> (BlockValues, BlockValues) {
        let rows = differences(source0, prediction0, source1, prediction1)
        let three = Words(repeating: 3)
        let columns = TransformKernels.transposed(
            pass(rows.0 &<< three, rows.1 &<< three, rows.2 &<< three, rows.3 &<< three))
        let sums = pass(columns.0, columns.1, columns.2, columns.3)
        let (eight, four) = (Words(repeating: 8), Words(repeating: 4))
        let c = TransformKernels.transposed(
            (
                (sums.0 &+ eight) &>> four, (sums.1 &+ eight) &>> four, (sums.2 &+ eight) &>> four,
                (sums.3 &+ eight) &>> four
            ))
        let (upperLeft, upperRight) = (
            interleaveLow(asQuads(c.0), asQuads(c.1)), interleaveHigh(asQuads(c.0), asQuads(c.1))
        )
        let (lowerLeft, lowerRight) = (
            interleaveLow(asQuads(c.2), asQuads(c.3)), interleaveHigh(asQuads(c.2), asQuads(c.3))
        )
        return (
            BlockValues(lowHalf: asWords(upperLeft), highHalf: asWords(lowerLeft)),
            BlockValues(lowHalf: asWords(upperRight), highHalf: asWords(lowerRight))
        )
    }

    /// One dimension of the forward transform: the inverse's, turned.
    @inline(__always)
    private static func pass(_ x0: Words, _ x1: Words, _ x2: Words, _ x3: Words) -> TransformKernels.Residue {
        let (a0, a1, a2, a3) = (x0 &+ x3, x1 &+ x2, x1 &- x2, x0 &- x3)
        return (
            a0 &+ a1, TransformKernels.timesCosine(a3) &+ TransformKernels.timesSine(a2), a0 &- a1,
            TransformKernels.timesSine(a3) &- TransformKernels.timesCosine(a2)
        )
    }

    /// Two subblocks as a decoder has them.
    package static func reconstructed(
        _ coefficients0: BlockValues, on prediction0: BlockSamples, _ coefficients1: BlockValues,
        on prediction1: BlockSamples
    ) -> (BlockSamples, BlockSamples) {
        let residue = TransformKernels.residue(halves(coefficients0), halves(coefficients1))
        let (left, right) = unsafe (
            unsafeBitCast(prediction0, to: TransformKernels.FourRows.self),
            unsafeBitCast(prediction1, to: TransformKernels.FourRows.self)
        )
        // SAFETY: four rows of four bytes are sixteen bytes.
        return unsafe (
            unsafeBitCast(TransformKernels.addLeft(residue, to: left), to: BlockSamples.self),
            unsafeBitCast(TransformKernels.addRight(residue, to: right), to: BlockSamples.self)
        )
    }

    /// The levels of coefficients.
    package static func levels(_ coefficients: BlockValues, _ quantizer: BlockQuantizer) -> BlockValues {
        BlockValues(
            lowHalf: levels(
                coefficients.lowHalf, quantizer.reciprocals.lowHalf, quantizer.roundings.lowHalf),
            highHalf: levels(
                coefficients.highHalf, quantizer.reciprocals.highHalf, quantizer.roundings.highHalf))
    }

    @inline(__always)
    private static func levels(_ c: Words, _ reciprocals: UnsignedWords, _ roundings: UnsignedWords) -> Words {
        let sign = c &>> Words(repeating: 15)
        let magnitude = asUnsigned((c ^ sign) &- sign) &+ roundings
        let level = asWords(multiplyHigh(magnitude, reciprocals))
        let most = Words(repeating: BlockQuantizer.largestLevel)
        let bounded = level &- ((level &- most) & asWords(level .> most))
        return (bounded ^ sign) &- sign
    }

    @inline(__always)
    private static func asWords(_ a: UnsignedWords) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
    @inline(__always)
    private static func asWords(_ a: UnsignedQuads) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
    @inline(__always)
    private static func asWords(_ mask: SIMDMask<Words>) -> Words { unsafe unsafeBitCast(mask, to: Words.self) }

    /// The high halves of the products of unsigned words (pmulhuw).
    @inline(__always)
    private static func multiplyHigh(_ a: UnsignedWords, _ k: UnsignedWords) -> UnsignedWords {
        var r = UnsignedWords()
        r[0] = UInt16(truncatingIfNeeded: (UInt32(a[0]) &* UInt32(k[0])) &>> 16)
        r[1] = UInt16(truncatingIfNeeded: (UInt32(a[1]) &* UInt32(k[1])) &>> 16)
        r[2] = UInt16(truncatingIfNeeded: (UInt32(a[2]) &* UInt32(k[2])) &>> 16)
        r[3] = UInt16(truncatingIfNeeded: (UInt32(a[3]) &* UInt32(k[3])) &>> 16)
        r[4] = UInt16(truncatingIfNeeded: (UInt32(a[4]) &* UInt32(k[4])) &>> 16)
        r[5] = UInt16(truncatingIfNeeded: (UInt32(a[5]) &* UInt32(k[5])) &>> 16)
        r[6] = UInt16(truncatingIfNeeded: (UInt32(a[6]) &* UInt32(k[6])) &>> 16)
        r[7] = UInt16(truncatingIfNeeded: (UInt32(a[7]) &* UInt32(k[7])) &>> 16)
        return r
    }

    /// The coefficients that levels stand for.
    @inline(__always)
    package static func coefficients(_ levels: BlockValues, _ quantizer: BlockQuantizer) -> BlockValues {
        let steps = BlockValues(truncatingIfNeeded: quantizer.steps)
        return BlockValues(
            lowHalf: levels.lowHalf &* steps.lowHalf, highHalf: levels.highHalf &* steps.highHalf)
    }

    /// The sum of squared differences of two subblocks.
    package static func squaredError(_ a: BlockSamples, _ b: BlockSamples) -> Int {
        let (low, high) = (widenLow(a) &- widenLow(b), widenHigh(a) &- widenHigh(b))
        let sums = multiplyAdd(low, low) &+ multiplyAdd(high, high)
        return Int(sums[0] &+ sums[1] &+ sums[2] &+ sums[3])
    }

    /// How much there is to code of two subblocks: sums of magnitudes of the Hadamard transform.
    package static func effort(
        _ source0: BlockSamples, _ prediction0: BlockSamples, _ source1: BlockSamples, _ prediction1: BlockSamples
    ) -> (Int, Int) {
        let rows = differences(source0, prediction0, source1, prediction1)
        let columns = TransformKernels.transposed(hadamard(rows))
        let sums = hadamard(columns)
        let all = (magnitudes(sums.0) &+ magnitudes(sums.1)) &+ (magnitudes(sums.2) &+ magnitudes(sums.3))
        return (
            Int(all[0]) &+ Int(all[1]) &+ Int(all[2]) &+ Int(all[3]),
            Int(all[4]) &+ Int(all[5]) &+ Int(all[6]) &+ Int(all[7])
        )
    }

    @inline(__always)
    private static func hadamard(_ r: TransformKernels.Residue) -> TransformKernels.Residue {
        let (a0, a1, a2, a3) = (r.0 &+ r.3, r.1 &+ r.2, r.1 &- r.2, r.0 &- r.3)
        return (a0 &+ a1, a3 &+ a2, a0 &- a1, a3 &- a2)
    }

    @inline(__always)
    private static func magnitudes(_ a: Words) -> Words {
        let sign = a &>> Words(repeating: 15)
        return (a ^ sign) &- sign
    }

    /// What people see of the errors of two subblocks: squared errors of which those of high frequencies count less.
    package static func seenErrors(
        _ a0: BlockSamples, _ b0: BlockSamples, _ a1: BlockSamples, _ b1: BlockSamples
    ) -> (Int, Int) {
        let (first, second) = forward(a0, b0, a1, b1)
        return (seenEnergy(first), seenEnergy(second))
    }

    /// Sixteenths: 16 / (1 + (u² + v²) / 2). Coefficients are below 2048, so that 16 times one is a word.
    private static let seenWeights = (Words(16, 11, 5, 3, 11, 8, 5, 3), Words(5, 5, 3, 2, 3, 3, 2, 2))

    @inline(__always)
    private static func seenEnergy(_ c: BlockValues) -> Int {
        let weights = seenWeights
        let sums =
            multiplyAdd(c.lowHalf, c.lowHalf &* weights.0) &+ multiplyAdd(c.highHalf, c.highHalf &* weights.1)
        // Squared coefficients are four times squared samples.
        return Int(sums[0] &+ sums[1] &+ sums[2] &+ sums[3]) &>> 6
    }

    /// How many samples of a subblock are white or black.
    package static func countOfLimits(_ a: BlockSamples) -> Int {
        let white = BlockSamples(repeating: LumaOvershoot.white)
        let black = BlockSamples(repeating: LumaOvershoot.black)
        let bits = asBytes(a .>= white) | asBytes(a .<= black)
        return Int((bits & BlockSamples(repeating: 1)).wrappedSum())
    }

    /// A subblock with the samples of another one that are whiter than white, where it is white, or blacker than black, where it is
    /// black.
    package static func overshooting(_ a: BlockSamples, _ decoded: BlockSamples) -> BlockSamples {
        let white = BlockSamples(repeating: LumaOvershoot.white)
        let black = BlockSamples(repeating: LumaOvershoot.black)
        let raised = (greater(a, decoded) &- a) & asBytes(a .>= white)
        let lowered = (a &- smaller(a, decoded)) & asBytes(a .<= black)
        return a &+ raised &- lowered
    }

    /// 256 times the variance of the samples of a subblock.
    package static func variance(_ a: BlockSamples) -> Int {
        let (low, high) = (widenLow(a), widenHigh(a))
        let squares = multiplyAdd(low, low) &+ multiplyAdd(high, high)
        let sums = multiplyAdd(low &+ high, Words(repeating: 1))
        let sum = sums[0] &+ sums[1] &+ sums[2] &+ sums[3]
        return Int(16 &* (squares[0] &+ squares[1] &+ squares[2] &+ squares[3]) &- sum &* sum)
    }

    /// A subblock predicted from its edges; see ``PredictionKernels``.
    @inline(__always)
    package static func predicted(_ mode: UInt8, top: UInt64, corner: UInt8, left: UInt32) -> BlockSamples {
        let rows = PredictionKernels.predictSubblock(mode, top: top, corner: corner, left: left)
        // SAFETY: four rows of four bytes are sixteen bytes.
        return unsafe unsafeBitCast(rows, to: BlockSamples.self)
    }

    /// What the levels of a subblock cost, in 256ths of a bit.
    ///
    /// - Parameters:
    ///   - first: the position of the first level that is coded, in zig-zag order.
    ///   - last: of the last one that is not 0, less than `first` if there is none.
    ///   - context: of the first, 0...2.
    ///   - type: of the block, 0...3.
    package static func cost(
        _ levels: BlockValues, first: Int, last: Int, context: Int, type: Int, _ costs: TokenCosts
    ) -> Int {
        precondition(type >= 0 && type < 4 && first >= 0 && last < 16 && context >= 0 && context < 3)
        return unsafe costs.values.withUnsafeBufferPointer { table in
            unsafe withUnsafeBytes(of: levels) { bytes in
                var row = first &* TokenCosts.positionStride &+ type &* TokenCosts.typeStride
                var context = context &* TokenCosts.contextStride
                // SAFETY: positions are below 16, contexts below 3; the table has a row for position 16, too.
                if last < first { return unsafe Int(table[row &+ context &+ TokenCosts.endSlot]) }
                var sum = context == 0 ? unsafe Int(table[row &+ TokenCosts.moreSlot]) : 0
                var position = first
                while position <= last {
                    let place = Int(Self.place(position))
                    let level = unsafe bytes.load(fromByteOffset: 2 &* place, as: Int16.self)
                    let magnitude = Int(level < 0 ? 0 &- level : level)
                    if magnitude <= TokenCosts.largestTabled {
                        unsafe sum &+= Int(table[row &+ context &+ magnitude])
                    } else {
                        unsafe sum &+= Int(table[row &+ context &+ TokenCosts.largestTabled])
                        sum &+= TokenCosts.extraCost(magnitude)
                    }
                    context = min(magnitude, 2) &* TokenCosts.contextStride
                    row &+= TokenCosts.positionStride
                    position &+= 1
                }
                if last < 15 { unsafe sum &+= Int(table[row &+ context &+ TokenCosts.endSlot]) }
                return sum
            }
        }
    }

    /// Where the level at a position of the zig-zag order lies: four bits of a constant.
    @inline(__always)
    package static func place(_ position: Int) -> UInt64 { (0xFEB7_ADC9_6325_8410 &>> UInt64(4 &* position)) & 15 }

    /// The last position of the zig-zag order whose level is not 0; -1 if there is none.
    @inline(__always)
    package static func last(_ levels: BlockValues) -> Int {
        // SAFETY: sixteen words are 32 bytes.
        let words = unsafe unsafeBitCast(levels, to: SIMD4<UInt64>.self)
        if words[0] | words[1] | words[2] | words[3] == 0 { return -1 }
        return unsafe withUnsafeBytes(of: levels) { bytes in
            var position = 15
            // SAFETY: places are below 16; one level is not 0.
            while unsafe position > 0 && bytes.load(fromByteOffset: 2 &* Int(place(position)), as: Int16.self) == 0 {
                position &-= 1
            }
            return position
        }
    }
}
#endif
