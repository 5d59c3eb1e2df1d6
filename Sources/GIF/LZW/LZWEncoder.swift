// Indices of one image in, the data of its sub-blocks out; where the table is cleared is known before (`ClearSearch`).

package import ImageCodecsCore

/// Writes LZW data.
///
/// Memory: table and output, some 96 KiB. A value; its buffers are its own from the start.
///
/// Source: GIF89a Appendix F "Variable-Length-Code LZW Compression", section 22 "Table Based Image Data".
package struct LZWEncoder: Sendable {
    private var table: NumberBuffer<UInt32>
    private var output: ScratchBuffer
    private var outputCount = 0

    /// Data are handed out in pieces of at most this many bytes.
    private static let outputByteCount = 1 << 16
    /// Bytes that one call of the kernel, or a string and two codes after it, leave room for.
    private static let outputMargin = 16
    /// Indices of one call of the kernel, and what each counts as: in a picture made for it, a string may be looked for in many slots.
    static let stepCount = 1 << 12, indexWork = 4

    /// Bytes held.
    package static let byteCount = LZWEncodingKernel.tableByteCount + outputByteCount

    package init(meter: MemoryMeter?) throws(ImageError) {
        table = try NumberBuffer(count: LZWEncodingKernel.slotCount, meter: meter)
        output = try ScratchBuffer(byteCount: Self.outputByteCount, meter: meter)
    }

    /// Encodes all indices of an image.
    ///
    /// - Parameters:
    ///   - indices: one byte each, smaller than two to the power of the minimum code size; at least one.
    ///   - minimumCodeSize: 2...8.
    ///   - clears: before which indices the table is cleared, ascending, none of them the first.
    ///   - emit: gets the data in pieces, not yet cut into sub-blocks.
    package mutating func encode(
        _ indices: RawSpan, minimumCodeSize: Int, clears: [Int], work: inout WorkGuard,
        emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        var state = LZWEncodingState(minimumCodeSize: minimumCodeSize)
        try clear(&state, emit)
        for place in clears {
            try encode(indices, upTo: place, &state, &work, emit)
            try clear(&state, emit)
        }
        try encode(indices, upTo: indices.byteCount, &state, &work, emit)
        if state.prefix >= 0 { state.append(code: state.prefix) }
        state.append(code: state.clearCode + 1)
        try flush(&state, emit)
    }

    /// Ends the string at hand, and begins with an empty table.
    private mutating func clear(
        _ state: inout LZWEncodingState, _ emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        if state.prefix >= 0 { state.append(code: state.prefix) }
        state.append(code: state.clearCode)
        state.clearTable()
        try drain(&state, emit)
        table.withMutableSpan { table in
            for slot in 0..<table.count { table[slot] = 0 }
        }
    }

    private mutating func encode(
        _ indices: RawSpan, upTo end: Int, _ state: inout LZWEncodingState, _ work: inout WorkGuard,
        _ emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        while state.position < end {
            let (start, stop) = (state.position, min(end, state.position + Self.stepCount))
            let pause = Self.run(&state, &table, &output, &outputCount, indices, stop)
            try work.spend(Self.indexWork * (state.position - start))
            if pause == .outputFull { try emitOutput(emit) }
        }
    }

    /// Runs the kernel; the parts are passed apart from each other, so that none is copied while another changes.
    private static func run(
        _ state: inout LZWEncodingState, _ table: inout NumberBuffer<UInt32>, _ output: inout ScratchBuffer,
        _ outputCount: inout Int, _ indices: RawSpan, _ end: Int
    ) -> LZWEncodingPause {
        table.withMutableSpan { table in
            output.withMutableBytes { output in
                LZWEncodingKernel.encode(
                    &state, table: &table, indices: indices, end: end, output: &output, outputCount: &outputCount)
            }
        }
    }

    /// Moves whole bytes of the waiting bits to the output.
    private mutating func drain(
        _ state: inout LZWEncodingState, _ emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        if output.byteCount - outputCount < Self.outputMargin { try emitOutput(emit) }
        while state.bitCount >= 8 {
            output.withMutableBytes { $0.setByte(UInt8(truncatingIfNeeded: state.bits), at: outputCount) }
            outputCount += 1
            state.bits >>= 8
            state.bitCount -= 8
        }
    }

    /// Hands out everything, the last byte filled with zero bits.
    private mutating func flush(
        _ state: inout LZWEncodingState, _ emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        state.bitCount = (state.bitCount + 7) / 8 * 8
        try drain(&state, emit)
        try emitOutput(emit)
    }

    private mutating func emitOutput(_ emit: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        let count = outputCount
        outputCount = 0
        if count > 0 { try output.withBytes(0..<count, emit) }
    }
}
