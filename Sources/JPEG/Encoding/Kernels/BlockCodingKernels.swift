// Huffman coding of blocks in a sequential scan, the hottest loop of the encoder after the forward DCT.
//
// In: quantised coefficients and the masks of those that are not zero, blocks in the order of the scan. Out: bytes of
// entropy-coded data, without stuffing.

import ImageCodecsCore
import JPEGBaselineCodec

/// What coding carries from block to block.
package struct BlockCodingState: Hashable, Sendable {
    package var writer = EntropyBitWriter()
    /// DC predictors of the components of the scan.
    package var predictors = SIMD4<Int32>(repeating: 0)

    package init() {}
}

/// Which component a block of an MCU belongs to, and where that component's codes begin.
package struct CodedBlock: Hashable, Sendable {
    /// Position of the component in the scan, 0...3.
    package var predictor: Int
    /// Where its ``BlockCodes/entries`` begin in the scan's tables.
    package var codes: Int

    package init(predictor: Int, codes: Int) {
        self.predictor = predictor
        self.codes = codes
    }
}

#if !ReferenceKernels
/// Codes blocks of sequential scans.
///
/// - Source: ITU-T T.81 (1992) §F.1.2 "Baseline Huffman encoding procedures".
package enum BlockCodingKernels {
    /// Bytes that a block may add, at most: 64 times 27 bits of code and value, and what one store writes too much.
    package static let bytesPerBlock = 256

    /// Codes the blocks of whole MCUs.
    ///
    /// - Parameters:
    ///   - blocks: Those of an MCU; the blocks of `coefficients` follow their order again and again.
    ///   - tables: Entries of ``BlockCodes``, one after another.
    ///   - count: Blocks to code, a multiple of an MCU's.
    ///   - coefficients: 64 per block in natural order, each -2047...2047.
    ///   - masks: One per block; see `ForwardDCTKernels`. If there is no bit but bit 0, AC coefficients are not read.
    /// - Returns: Bytes written.
    /// - Precondition: There are as many blocks, and ``bytesPerBlock`` bytes for each.
    package static func encode(
        _ count: Int, blocks: [CodedBlock], tables: [UInt32], state: inout BlockCodingState, coefficients: Span<Int16>,
        masks: Span<UInt64>, into bytes: inout MutableRawSpan
    ) -> Int {
        precondition(count >= 0 && count <= masks.count && masks.count * 64 <= coefficients.count)
        precondition(!blocks.isEmpty && count % blocks.count == 0 && count * bytesPerBlock <= bytes.byteCount)
        for block in blocks {
            precondition((0...3).contains(block.predictor))
            precondition(block.codes >= 0 && block.codes + BlockCodes.count <= tables.count)
        }
        precondition(ZigZagOrder.natural.count == 64)
        guard count > 0 else { return 0 }
        var current = state
        var written = 0
        unsafe coefficients.withUnsafeBufferPointer { coefficients in
            unsafe masks.withUnsafeBufferPointer { masks in
                unsafe blocks.withUnsafeBufferPointer { blocks in
                    unsafe tables.withUnsafeBufferPointer { tables in
                        unsafe ZigZagOrder.natural.withUnsafeBufferPointer { order in
                            unsafe bytes.withUnsafeMutableBytes { bytes in
                                guard let tables = tables.baseAddress, let order = order.baseAddress,
                                    let start = bytes.baseAddress, let coefficients = coefficients.baseAddress
                                else { return }
                                // SAFETY: blocks, tables and room for the result were checked above.
                                written = unsafe encodeBlocks(
                                    count, blocks, tables, order, &current, coefficients, masks, start)
                            }
                        }
                    }
                }
            }
        }
        state = current
        return written
    }
}

@inline(__always)
private func encodeBlocks(
    _ count: Int, _ blocks: UnsafeBufferPointer<CodedBlock>, _ tables: UnsafePointer<UInt32>,
    _ order: UnsafePointer<UInt8>, _ state: inout BlockCodingState, _ coefficients: UnsafePointer<Int16>,
    _ masks: UnsafeBufferPointer<UInt64>, _ start: UnsafeMutableRawPointer
) -> Int {
    var output = BitOutput(bits: state.writer.bits, count: state.writer.count)
    unsafe withUnsafeMutableBytes(of: &state.predictors) { predictors in
        guard let predictors = predictors.baseAddress else { return }
        var index = 0
        while index < count {
            var place = 0
            while place < blocks.count {
                // SAFETY: `place` and `index` are in their buffers, which `BlockCodingKernels.encode` has checked, and a
                // predictor is one of four.
                let block = unsafe blocks[place]
                let values = unsafe coefficients + 64 &* index
                let value = unsafe Int32(values[0])
                let offset = 4 &* (block.predictor & 3)
                let difference = unsafe value &- predictors.load(fromByteOffset: offset, as: Int32.self)
                unsafe predictors.storeBytes(of: value, toByteOffset: offset, as: Int32.self)
                unsafe encodeBlock(difference, values, masks[index], tables + block.codes, order, &output, start)
                place &+= 1
                index &+= 1
            }
        }
    }
    state.writer.bits = output.bits
    state.writer.count = output.count
    return output.written
}

/// Bits that wait are at most 7 before a block; 20 before a pair of AC coefficients, which look-ups code in 22 bits each;
/// and 58 before the end of the block, whose code has 16 bits at most. So 64 are enough.
@inline(__always)
private func encodeBlock(
    _ difference: Int32, _ values: UnsafePointer<Int16>, _ mask: UInt64, _ codes: UnsafePointer<UInt32>,
    _ order: UnsafePointer<UInt8>, _ output: inout BitOutput, _ start: UnsafeMutableRawPointer
) {
    // SAFETY: entries of `BlockCodes` are indexed within the parts that it lists.
    let slot = Int(difference) &+ BlockCodes.dcLimit
    if UInt(bitPattern: slot) < UInt(2 &* BlockCodes.dcLimit) {
        unsafe output.put(codes[slot])
    } else {
        unsafe output.put(joined(codes + BlockCodes.dcSizes, symbolBase: 0, Int(difference)))
    }
    if output.count > 20 { unsafe output.flush(start) }
    var mask = mask & ~1
    var previous = 0
    while mask != 0 {
        unsafe encodeNext(&mask, &previous, values, codes, order, &output, start)
        if mask == 0 { break }
        unsafe encodeNext(&mask, &previous, values, codes, order, &output, start)
        unsafe output.flush(start)
    }
    if previous != 63 { unsafe output.put(codes[BlockCodes.acSymbols]) }
    unsafe output.flush(start)
}

/// Codes the coefficient of the lowest bit of `mask`, and takes the bit out.
@inline(__always)
private func encodeNext(
    _ mask: inout UInt64, _ previous: inout Int, _ values: UnsafePointer<Int16>, _ codes: UnsafePointer<UInt32>,
    _ order: UnsafePointer<UInt8>, _ output: inout BitOutput, _ start: UnsafeMutableRawPointer
) {
    let position = mask.trailingZeroBitCount
    mask &= mask &- 1
    var run = position &- previous &- 1
    previous = position
    // SAFETY: a position of 64; entries of `BlockCodes` are indexed within the parts that it lists.
    let value = unsafe Int(values[Int(order[position & 63])])
    let slot = value &+ BlockCodes.acLimit
    if UInt(bitPattern: slot) | UInt(bitPattern: run) &<< 2 < 64 {
        unsafe output.put(codes[BlockCodes.acValues &+ run &<< 6 &+ slot])
    } else {
        unsafe output.flush(start)
        while run > 15 {
            unsafe output.put(codes[BlockCodes.acSymbols &+ 0xF0])
            unsafe output.flush(start)
            run &-= 16
        }
        unsafe output.put(joined(codes + BlockCodes.acSymbols, symbolBase: run &<< 4, value))
        unsafe output.flush(start)
    }
}

/// An entry of a code and a value outside of the look-ups.
@inline(__always)
private func joined(_ codes: UnsafePointer<UInt32>, symbolBase: Int, _ value: Int) -> UInt32 {
    let sign = value &>> 63
    let size = 64 &- ((value ^ sign) &- sign).leadingZeroBitCount
    // SAFETY: 256 symbols; masked, for values are said to be of 11 bits.
    let code = unsafe codes[(symbolBase &+ size) & 255]
    let bits = UInt32(truncatingIfNeeded: (value &+ sign) & (1 &<< size &- 1))
    let wide = UInt32(truncatingIfNeeded: size)
    return ((code &>> 6) &<< wide | bits) &<< 6 | ((code & 63) &+ wide)
}

/// Bits on their way into memory.
private struct BitOutput {
    /// As in `EntropyBitWriter`.
    var bits: UInt64
    var count: Int
    /// Whole bytes in memory.
    var written = 0

    @inline(__always)
    mutating func put(_ entry: UInt32) {
        let length = Int(entry & 63)
        bits = bits &<< UInt64(truncatingIfNeeded: length) | UInt64(entry &>> 6)
        count &+= length
    }

    /// Writes eight bytes, of which the whole ones count.
    @inline(__always)
    mutating func flush(_ start: UnsafeMutableRawPointer) {
        // The bits come to the top; with none left the shift is by 64, that is by 0, and no byte counts.
        let aligned = bits &<< UInt64(truncatingIfNeeded: 64 &- count)
        // SAFETY: the buffer has `bytesPerBlock` bytes for each block.
        unsafe (start + written).storeBytes(of: aligned.bigEndian, as: UInt64.self)
        written &+= count &>> 3
        count &= 7
    }
}
#endif
