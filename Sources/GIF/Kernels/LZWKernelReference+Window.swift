// Plain twin of LZWKernel: one code at a time, a byte at a time, every access checked.

import ImageCodecsCore

extension LZWKernelReference: LZWWindow {
    /// See `LZWKernel.decode`.
    static func decode(
        _ state: inout LZWState, table: inout MutableSpan<UInt64>, window: inout MutableRawSpan, input: RawSpan,
        inputPosition: inout Int
    ) -> LZWPause {
        // The last place where a string may begin.
        let lastStart = window.byteCount - margin
        while true {
            guard state.position <= lastStart else { return .windowFull }
            while state.bitCount < state.codeSize {
                guard inputPosition < input.byteCount else { return .inputUsed }
                state.bits |= UInt64(input.byte(at: inputPosition)) << UInt64(state.bitCount)
                state.bitCount += 8
                inputPosition += 1
            }
            let code = Int(state.bits & (1 << UInt64(state.codeSize) - 1))
            if !state.isCleared, !state.isFull, code > state.nextCode { return .invalidCode }
            state.bits >>= UInt64(state.codeSize)
            state.bitCount -= state.codeSize
            if code == state.clearCode + 1 { return .ended }
            if code == state.clearCode {
                clear(&state)
            } else if state.isCleared {
                guard code < state.clearCode else { return .invalidCode }
                decodeFirst(&state, code, &table, &window)
            } else {
                decode(&state, code, &table, &window)
            }
        }
    }

    private static func clear(_ state: inout LZWState) {
        state.codeSize = state.minimumCodeSize + 1
        state.nextCode = state.clearCode + 2
        state.isCleared = true
        state.strings = literalCount..<literalCount
    }

    /// The first string after a cleared table.
    private static func decodeFirst(
        _ state: inout LZWState, _ code: Int, _ table: inout MutableSpan<UInt64>, _ window: inout MutableRawSpan
    ) {
        let start = state.position
        window.setByte(UInt8(code), at: start)
        table[state.nextCode] = UInt64(start) | 2 << 32
        state.position += 1
        state.strings = start..<state.position
        state.isCleared = false
        // With a minimum code size of 1 the code of the first string needs a bit more already.
        if state.nextCode == 1 << state.codeSize { state.codeSize += 1 }
    }

    /// Any other string, which gives the one before its code if there are codes left.
    private static func decode(
        _ state: inout LZWState, _ code: Int, _ table: inout MutableSpan<UInt64>, _ window: inout MutableRawSpan
    ) {
        let (start, length) = (state.position, Int(table[code] >> 32))
        let string = Int(table[code] & 0xFFFF_FFFF)
        // The last index of the newest string is the first of the one that is being written: it is there when it is read.
        for index in 0..<length { window.setByte(window.byte(at: string + index), at: start + index) }
        state.position += length
        guard !state.isFull else { return }
        state.nextCode += 1
        table[state.nextCode] = UInt64(start) | UInt64(length + 1) << 32
        state.strings = state.strings.lowerBound..<state.position
        if state.nextCode == 1 << state.codeSize, state.codeSize < 12 { state.codeSize += 1 }
    }
}

#if ReferenceKernels
typealias LZWKernel = LZWKernelReference
#endif
