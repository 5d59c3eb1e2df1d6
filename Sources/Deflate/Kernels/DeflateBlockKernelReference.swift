// Counting and writing the symbols of a block, a symbol and a bit at a time. Plain twin of DeflateBlockKernel.

import ImageCodecsCore

package enum DeflateBlockKernelReference: DeflateBitTarget {
    /// See ``DeflateBlockKernel/count(_:_:from:lengthSlots:into:)``.
    package static func count(
        _ sequences: Span<UInt32>, _ window: RawSpan, from start: Int, lengthSlots: Span<UInt8>,
        into counts: inout MutableSpan<UInt32>
    ) {
        var position = start
        for index in 0..<sequences.count / 2 {
            let sequence = DeflateSequence(sequences, at: index)
            for _ in 0..<sequence.literalCount {
                counts[Int(window.byte(at: position))] += 1
                position += 1
            }
            guard sequence.length > 0 else { continue }
            counts[DeflateSymbols.firstLength + Int(lengthSlots[sequence.length - 3])] += 1
            counts[DeflateCounts.distances + DeflateSymbols.distanceSlot(sequence.distance)] += 1
            position += sequence.length
        }
    }

    /// See ``DeflateBlockKernel/write(_:_:from:codes:to:_:)``.
    package static func write(
        _ sequences: Span<UInt32>, _ window: RawSpan, from start: Int, codes: Span<UInt32>,
        to target: inout MutableRawSpan, _ bits: inout DeflateBits
    ) {
        var position = start
        for index in 0..<sequences.count / 2 {
            let sequence = DeflateSequence(sequences, at: index)
            for _ in 0..<sequence.literalCount {
                let code = codes[Int(window.byte(at: position))]
                add(code & 0xFF_FFFF, count: Int(code >> 24), to: &target, &bits)
                position += 1
            }
            guard sequence.length > 0 else { continue }
            let length = codes[DeflateCodeTable.lengths + sequence.length - 3]
            add(length & 0xFF_FFFF, count: Int(length >> 24), to: &target, &bits)
            let slot = DeflateSymbols.distanceSlot(sequence.distance)
            let distance = codes[DeflateCodeTable.distances + slot]
            add(distance & 0xFF_FFFF, count: Int(distance >> 24), to: &target, &bits)
            let extraBits = DeflateSymbols.distanceExtraBits(slot)
            add(UInt32(sequence.distance - 1) & (1 << UInt32(extraBits) - 1), count: extraBits, to: &target, &bits)
            position += sequence.length
        }
    }

    private static func add(_ number: UInt32, count: Int, to target: inout MutableRawSpan, _ bits: inout DeflateBits) {
        for bit in 0..<count {
            bits.bits |= UInt64(number >> UInt32(bit) & 1) << UInt64(bits.count)
            bits.count += 1
            guard bits.count == 8 else { continue }
            target.setByte(UInt8(bits.bits), at: bits.position)
            bits = DeflateBits(position: bits.position + 1)
        }
    }
}

#if ReferenceKernels
package typealias DeflateBlockKernel = DeflateBlockKernelReference
#endif
