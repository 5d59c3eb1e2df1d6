// Blocks of samples to quantised coefficients in vectors: transform, dead zone, zig-zag order; for luma the overshoot at black
// and white, for chroma the samples that a decoder will have.
//
// Samples are `Int16` with 4 fractional bits, 0 for the middle level of 128.

import ImageCodecsCore
import JPEGBaselineCodec

#if !ReferenceKernels
package enum QuantizingKernels {
    /// Codes one row of blocks.
    ///
    /// - Parameters:
    ///   - samples: Byte offset in `workspace` of the first of eight rows, `stride` bytes from each to the next.
    ///   - blockCount: Blocks in the row.
    ///   - numbers: Of a ``DeadZone``.
    ///   - use: What the blocks are.
    ///   - coefficients: Where the blocks' coefficients go, in zig-zag order, from `offset` on.
    package static func code(
        samples: Int, stride: Int, blockCount: Int, numbers: Span<Int16>, use: BlockUse,
        into coefficients: inout MutableRawSpan, at offset: Int, in workspace: inout MutableRawSpan
    ) {
        // SAFETY: `forEachBlock` checks that all places are in their spans.
        unsafe forEachBlock(samples, stride, blockCount, numbers, &coefficients, offset, use.decoded, &workspace) {
            (source, numbers, place, decoded) in
            // SAFETY: `forEachBlock` gives room for a block in each place.
            switch use {
            case .plain: unsafe codePlain(source, stride, numbers, place)
            case .luma: unsafe codeLuma(source, stride, numbers, place)
            case .chroma: unsafe codeAndDecode(source, stride, numbers, place, decoded)
            }
        }
    }

    /// Transforms one row of blocks, and leaves it to the caller to quantise them.
    ///
    /// The parameters are those of ``code``; coefficients have 4 fractional bits. Of ``BlockUse/luma`` it is the block that
    /// overshoots which is transformed; nothing is decoded.
    package static func transform(
        samples: Int, stride: Int, blockCount: Int, numbers: Span<Int16>, use: BlockUse,
        into coefficients: inout MutableRawSpan, at offset: Int, in workspace: inout MutableRawSpan
    ) {
        // SAFETY: `forEachBlock` checks that all places are in their spans.
        unsafe forEachBlock(samples, stride, blockCount, numbers, &coefficients, offset, nil, &workspace) {
            (source, numbers, place, _) in
            // SAFETY: `forEachBlock` gives room for a block in each place.
            unsafe transformBlock(source, stride, numbers, use, place)
        }
    }

    /// Decodes one row of blocks: from levels in zig-zag order to eight rows of samples, at byte offset `samples`.
    package static func decode(
        coefficients: inout MutableRawSpan, at offset: Int, blockCount: Int, numbers: Span<Int16>, samples: Int,
        stride: Int, in workspace: inout MutableRawSpan
    ) {
        // SAFETY: `forEachBlock` checks that all places are in their spans.
        unsafe forEachBlock(samples, stride, blockCount, numbers, &coefficients, offset, samples, &workspace) {
            (_, numbers, place, decoded) in
            // SAFETY: `forEachBlock` gives room for a block in each place.
            unsafe decodeBlock(place, numbers, decoded, stride)
        }
    }

    /// Calls `body` with the places of each block: its samples, the numbers, its coefficients, its decoded samples.
    @inline(__always)
    private static func forEachBlock(
        _ samples: Int, _ stride: Int, _ blockCount: Int, _ numbers: Span<Int16>,
        _ coefficients: inout MutableRawSpan, _ offset: Int, _ decoded: Int?, _ workspace: inout MutableRawSpan,
        _ body: (UnsafeRawPointer, UnsafeRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
    ) {
        let last = 7 * stride + 16 * blockCount
        precondition(blockCount >= 0 && stride >= 0 && numbers.count == DeadZone.Group.count)
        precondition(samples >= 0 && samples + last <= workspace.byteCount)
        precondition(offset >= 0 && offset + 128 * blockCount <= coefficients.byteCount)
        let decoded = decoded ?? samples
        precondition(decoded >= 0 && decoded + last <= workspace.byteCount)
        unsafe workspace.withUnsafeMutableBytes { workspace in
            unsafe coefficients.withUnsafeMutableBytes { coefficients in
                unsafe numbers.withUnsafeBufferPointer { numbers in
                    // SAFETY: eight rows of 16 bytes per block lie in the workspace, 128 bytes per block in the
                    // coefficients, all groups in the numbers: checked above.
                    guard blockCount > 0, let base = workspace.baseAddress, let target = coefficients.baseAddress,
                        let numbers = numbers.baseAddress
                    else { return }
                    for block in 0..<blockCount {
                        unsafe body(
                            UnsafeRawPointer(base + samples + 16 &* block), UnsafeRawPointer(numbers),
                            target + offset + 128 &* block, base + decoded + 16 &* block)
                    }
                }
            }
        }
    }
}

@inline(__always)
private func row(_ base: UnsafeRawPointer, _ offset: Int) -> Words {
    // SAFETY: 16 bytes from `offset` on; the caller sees to that.
    unsafe base.loadUnaligned(fromByteOffset: offset, as: Words.self)
}

@inline(__always)
private func rows(_ base: UnsafeRawPointer, _ stride: Int) -> BlockRows {
    // SAFETY: eight rows of 16 bytes; the caller sees to that.
    unsafe BlockRows(
        r0: row(base, 0), r1: row(base, stride), r2: row(base, 2 &* stride), r3: row(base, 3 &* stride),
        r4: row(base, 4 &* stride), r5: row(base, 5 &* stride), r6: row(base, 6 &* stride), r7: row(base, 7 &* stride))
}

@inline(__always)
private func store(_ s: BlockRows, _ base: UnsafeMutableRawPointer, _ stride: Int) {
    // SAFETY: eight rows of 16 bytes; the caller sees to that.
    unsafe base.storeBytes(of: s.r0, as: Words.self)
    unsafe base.storeBytes(of: s.r1, toByteOffset: stride, as: Words.self)
    unsafe base.storeBytes(of: s.r2, toByteOffset: 2 &* stride, as: Words.self)
    unsafe base.storeBytes(of: s.r3, toByteOffset: 3 &* stride, as: Words.self)
    unsafe base.storeBytes(of: s.r4, toByteOffset: 4 &* stride, as: Words.self)
    unsafe base.storeBytes(of: s.r5, toByteOffset: 5 &* stride, as: Words.self)
    unsafe base.storeBytes(of: s.r6, toByteOffset: 6 &* stride, as: Words.self)
    unsafe base.storeBytes(of: s.r7, toByteOffset: 7 &* stride, as: Words.self)
}

/// Eight coefficients with 4 fractional bits to levels.
@inline(__always)
private func quantize(_ c: Words, _ numbers: UnsafeRawPointer, _ index: Int) -> Words {
    let sign = c &>> 15
    let magnitude = (c ^ sign) &- sign
    // SAFETY: every group has 64 words; `index` is 0...7, so 16 bytes from 16 * index on lie in it.
    let (reciprocal, rounding, factor, threshold) = unsafe (
        row(numbers, 2 &* DeadZone.Group.reciprocal &+ 16 &* index),
        row(numbers, 2 &* DeadZone.Group.rounding &+ 16 &* index),
        row(numbers, 2 &* DeadZone.Group.factor &+ 16 &* index),
        row(numbers, 2 &* DeadZone.Group.threshold &+ 16 &* index)
    )
    let level = multiplyHighUnsigned(multiplyHighUnsigned(magnitude, reciprocal) &+ rounding, factor)
    let kept = level & ~asWords(threshold .> magnitude)
    return (kept ^ sign) &- sign
}

@inline(__always)
private func quantize(_ c: BlockRows, _ numbers: UnsafeRawPointer) -> BlockRows {
    // SAFETY: forwarded.
    unsafe BlockRows(
        r0: quantize(c.r0, numbers, 0), r1: quantize(c.r1, numbers, 1),
        r2: quantize(c.r2, numbers, 2), r3: quantize(c.r3, numbers, 3),
        r4: quantize(c.r4, numbers, 4), r5: quantize(c.r5, numbers, 5),
        r6: quantize(c.r6, numbers, 6), r7: quantize(c.r7, numbers, 7))
}

/// Levels to coefficients with 3 fractional bits.
@inline(__always)
private func dequantize(_ l: BlockRows, _ numbers: UnsafeRawPointer) -> BlockRows {
    // SAFETY: the steps are 64 words.
    let steps = unsafe rows(numbers + 2 &* DeadZone.Group.step, 16)
    return BlockRows(
        r0: (l.r0 &* steps.r0) &<< 3, r1: (l.r1 &* steps.r1) &<< 3, r2: (l.r2 &* steps.r2) &<< 3,
        r3: (l.r3 &* steps.r3) &<< 3, r4: (l.r4 &* steps.r4) &<< 3, r5: (l.r5 &* steps.r5) &<< 3,
        r6: (l.r6 &* steps.r6) &<< 3, r7: (l.r7 &* steps.r7) &<< 3)
}

/// Writes levels in zig-zag order.
@inline(__always)
private func storeZigZag(_ levels: BlockRows, _ target: UnsafeMutableRawPointer) {
    // SAFETY: 64 words of room in the temporary memory and; the caller sees to that, at the target.
    unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { room in
        let base = room.baseAddress!
        unsafe store(levels, base, 16)
        let from = unsafe UnsafePointer<Int16>(OpaquePointer(base))
        let to = unsafe UnsafeMutablePointer<Int16>(OpaquePointer(target))
        unsafe reorder(from, to)
    }
}

@inline(__always)
private func reorder(_ from: UnsafePointer<Int16>, _ to: UnsafeMutablePointer<Int16>) {
    // SAFETY: 64 words in each.
    unsafe to[0] = from[0]
    unsafe to[1] = from[8]
    unsafe to[2] = from[1]
    unsafe to[3] = from[2]
    unsafe to[4] = from[9]
    unsafe to[5] = from[16]
    unsafe to[6] = from[24]
    unsafe to[7] = from[17]
    unsafe to[8] = from[10]
    unsafe to[9] = from[3]
    unsafe to[10] = from[4]
    unsafe to[11] = from[11]
    unsafe to[12] = from[18]
    unsafe to[13] = from[25]
    unsafe to[14] = from[32]
    unsafe to[15] = from[40]
    unsafe to[16] = from[33]
    unsafe to[17] = from[26]
    unsafe to[18] = from[19]
    unsafe to[19] = from[12]
    unsafe to[20] = from[5]
    unsafe to[21] = from[6]
    unsafe to[22] = from[13]
    unsafe to[23] = from[20]
    unsafe to[24] = from[27]
    unsafe to[25] = from[34]
    unsafe to[26] = from[41]
    unsafe to[27] = from[48]
    unsafe to[28] = from[56]
    unsafe to[29] = from[49]
    unsafe to[30] = from[42]
    unsafe to[31] = from[35]
    unsafe to[32] = from[28]
    unsafe to[33] = from[21]
    unsafe to[34] = from[14]
    unsafe to[35] = from[7]
    unsafe to[36] = from[15]
    unsafe to[37] = from[22]
    unsafe to[38] = from[29]
    unsafe to[39] = from[36]
    unsafe to[40] = from[43]
    unsafe to[41] = from[50]
    unsafe to[42] = from[57]
    unsafe to[43] = from[58]
    unsafe to[44] = from[51]
    unsafe to[45] = from[44]
    unsafe to[46] = from[37]
    unsafe to[47] = from[30]
    unsafe to[48] = from[23]
    unsafe to[49] = from[31]
    unsafe to[50] = from[38]
    unsafe to[51] = from[45]
    unsafe to[52] = from[52]
    unsafe to[53] = from[59]
    unsafe to[54] = from[60]
    unsafe to[55] = from[53]
    unsafe to[56] = from[46]
    unsafe to[57] = from[39]
    unsafe to[58] = from[47]
    unsafe to[59] = from[54]
    unsafe to[60] = from[61]
    unsafe to[61] = from[62]
    unsafe to[62] = from[55]
    unsafe to[63] = from[63]
}

/// Transforms and quantises a block of chroma, and writes what a decoder will make of it.
@inline(never)
private func codeAndDecode(
    _ source: UnsafeRawPointer, _ stride: Int, _ numbers: UnsafeRawPointer, _ target: UnsafeMutableRawPointer,
    _ decoded: UnsafeMutableRawPointer
) {
    // SAFETY: forwarded.
    let levels = unsafe quantize(BlockTransform.forward(rows(source, stride)), numbers)
    unsafe storeZigZag(levels, target)
    let samples = BlockTransform.inverse(unsafe dequantize(levels, numbers))
    unsafe store(clamped(samples), decoded, stride)
}

@inline(__always)
private func clamped(_ s: BlockRows) -> BlockRows {
    BlockRows(
        r0: clamp(s.r0, -2048, 2032), r1: clamp(s.r1, -2048, 2032), r2: clamp(s.r2, -2048, 2032),
        r3: clamp(s.r3, -2048, 2032), r4: clamp(s.r4, -2048, 2032), r5: clamp(s.r5, -2048, 2032),
        r6: clamp(s.r6, -2048, 2032), r7: clamp(s.r7, -2048, 2032))
}

/// Transforms and quantises a block.
@inline(__always)
private func codePlain(
    _ source: UnsafeRawPointer, _ stride: Int, _ numbers: UnsafeRawPointer, _ place: UnsafeMutableRawPointer
) {
    // SAFETY: forwarded.
    unsafe storeZigZag(quantize(BlockTransform.forward(rows(source, stride)), numbers), place)
}

/// The same for luma, which may overshoot at white and black.
@inline(never)
private func codeLuma(
    _ source: UnsafeRawPointer, _ stride: Int, _ numbers: UnsafeRawPointer, _ place: UnsafeMutableRawPointer
) {
    // SAFETY: forwarded.
    if touchesLimits(unsafe rows(source, stride)) {
        unsafe codeWithOvershoot(source, stride, numbers, place)
    } else {
        unsafe codePlain(source, stride, numbers, place)
    }
}

@inline(never)
private func transformBlock(
    _ source: UnsafeRawPointer, _ stride: Int, _ numbers: UnsafeRawPointer, _ use: BlockUse,
    _ place: UnsafeMutableRawPointer
) {
    // SAFETY: forwarded.
    let samples = unsafe rows(source, stride)
    if case .luma = use, touchesLimits(samples) {
        unsafe storeZigZag(overshot(samples, numbers), place)
    } else {
        unsafe storeZigZag(BlockTransform.forward(samples), place)
    }
}

/// Whether some samples are white and some are not, or some are black and some are not.
@inline(__always)
private func touchesLimits(_ s: BlockRows) -> Bool {
    let top = larger(
        larger(larger(s.r0, s.r1), larger(s.r2, s.r3)), larger(larger(s.r4, s.r5), larger(s.r6, s.r7)))
    let low = smaller(
        smaller(smaller(s.r0, s.r1), smaller(s.r2, s.r3)), smaller(smaller(s.r4, s.r5), smaller(s.r6, s.r7))
    )
    let white = Words(repeating: Overshoot.white)
    let black = Words(repeating: Overshoot.black)
    let isTouched = asWords(top .>= white) | asWords(low .<= black)
    let isMixed = asWords(low .< white) & asWords(top .> black)
    return hasBits(isTouched) && hasBits(isMixed)
}

/// What lies beyond the limits already, where the sample is at one.
@inline(__always)
private func target(_ sample: Words, _ decoded: Words) -> Words {
    let isWhite = asWords(sample .>= Words(repeating: Overshoot.white))
    let isBlack = asWords(sample .<= Words(repeating: Overshoot.black))
    let up = larger(decoded, sample) &- sample
    let down = smaller(decoded, sample) &- sample
    return clamp(sample &+ (up & isWhite) &+ (down & isBlack), -Overshoot.limit, Overshoot.limit)
}

/// The coefficients of a block that overshoots as its decoded form does.
@inline(__always)
private func overshot(_ samples: BlockRows, _ numbers: UnsafeRawPointer) -> BlockRows {
    var coefficients = BlockTransform.forward(samples)
    for _ in 0..<Overshoot.rounds {
        // SAFETY: forwarded.
        let levels = unsafe quantize(coefficients, numbers)
        let d = BlockTransform.inverse(unsafe dequantize(levels, numbers))
        coefficients = BlockTransform.forward(
            BlockRows(
                r0: target(samples.r0, d.r0), r1: target(samples.r1, d.r1), r2: target(samples.r2, d.r2),
                r3: target(samples.r3, d.r3), r4: target(samples.r4, d.r4), r5: target(samples.r5, d.r5),
                r6: target(samples.r6, d.r6), r7: target(samples.r7, d.r7)))
    }
    return coefficients
}

@inline(never)
private func codeWithOvershoot(
    _ source: UnsafeRawPointer, _ stride: Int, _ numbers: UnsafeRawPointer, _ place: UnsafeMutableRawPointer
) {
    // SAFETY: forwarded.
    unsafe storeZigZag(quantize(overshot(rows(source, stride), numbers), numbers), place)
}

/// Levels in zig-zag order to samples.
@inline(never)
private func decodeBlock(
    _ place: UnsafeMutableRawPointer, _ numbers: UnsafeRawPointer, _ decoded: UnsafeMutableRawPointer, _ stride: Int
) {
    // SAFETY: 64 words of room in the temporary memory and; the caller sees to that, at the place.
    unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { room in
        guard let base = room.baseAddress else { return }
        for index in 0..<64 {
            let natural = Int(ZigZagOrder.natural[index])
            let level = unsafe place.load(fromByteOffset: 2 &* index, as: Int16.self)
            unsafe base.storeBytes(of: level, toByteOffset: 2 &* (natural % 8 &* 8 &+ natural / 8), as: Int16.self)
        }
        let samples = BlockTransform.inverse(unsafe dequantize(rows(UnsafeRawPointer(base), 16), numbers))
        unsafe store(clamped(samples), decoded, stride)
    }
}
#endif
