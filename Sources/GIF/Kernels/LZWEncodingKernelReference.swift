// Plain twin of LZWEncodingKernel: every access checked.

import ImageCodecsCore

package enum LZWEncodingKernelReference: LZWStringTable {
    /// See `LZWEncodingKernel.encode`.
    package static func encode(
        _ state: inout LZWEncodingState, table: inout MutableSpan<UInt32>, indices: RawSpan, end: Int,
        output: inout MutableRawSpan, outputCount: inout Int
    ) -> LZWEncodingPause {
        while state.position < end {
            let index = Int(indices.byte(at: state.position)) % state.clearCode
            guard state.prefix >= 0 else {
                state.prefix = index
                state.position += 1
                continue
            }
            let key = UInt32(state.prefix << 8 | index)
            var slot = firstSlot(of: key)
            while table[slot] != 0, table[slot] >> 12 != key { slot = (slot + 1) % slotCount }
            if table[slot] != 0 {
                state.prefix = Int(table[slot] & 0xFFF)
                state.position += 1
                continue
            }
            guard output.byteCount - outputCount >= 4 else { return .outputFull }
            let wasFull = state.isFull
            if !wasFull { table[slot] = key << 12 | UInt32(state.nextCode) }
            state.append(code: state.prefix)
            if state.bitCount >= 32 {
                output.storeBytes(
                    of: UInt32(truncatingIfNeeded: state.bits), toByteOffset: outputCount, as: UInt32.self)
                outputCount += 4
                state.bits >>= 32
                state.bitCount -= 32
            }
            (state.prefix, state.position) = (index, state.position + 1)
            if state.isFull, !wasFull { return .tableFilled }
        }
        return .endReached
    }
}

#if ReferenceKernels
package typealias LZWEncodingKernel = LZWEncodingKernelReference
#endif
