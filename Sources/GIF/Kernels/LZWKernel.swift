// The innermost loop of GIF: codes in, runs of palette indices out.
//
//   window  [ 256 literals | ... earlier output ......... | output so far ]            a string is a stretch of it
//   table   code ──▶ where its string lies, how long it is
//
// A string of LZW is an earlier one and one more index, which is the first of the string that follows it: so every string
// stands in the output already, in one piece. No string is built; eight bytes are copied at a time.

/// Where decoding stands between two pieces of input.
@usableFromInline
struct LZWState: Sendable {
    /// Bits that were read and not used, the next one lowest.
    var bits: UInt64 = 0
    var bitCount = 0
    /// Bits of a code.
    var codeSize: Int
    /// The code that the newest string gets when the string after it begins; the largest that may come.
    var nextCode: Int
    /// Whether no code came since the table was cleared.
    var isCleared = true
    /// Where the next index goes in the window.
    var position = LZWKernel.literalCount
    /// Where the first string since the table was cleared lies, and the last that got a code ends.
    var strings = LZWKernel.literalCount..<LZWKernel.literalCount

    let minimumCodeSize: Int

    init(minimumCodeSize: Int) {
        self.minimumCodeSize = minimumCodeSize
        codeSize = minimumCodeSize + 1
        nextCode = (1 << minimumCodeSize) + 2
    }

    var clearCode: Int { 1 << minimumCodeSize }
    var isFull: Bool { nextCode == LZWKernel.tableCount }
}

/// Why decoding stopped.
enum LZWPause: Sendable {
    /// All input is used.
    case inputUsed
    /// There is no room for another string.
    case windowFull
    /// The end code came.
    case ended
    /// A code that has no string.
    case invalidCode
}

/// Table and window, and what is in them at first.
protocol LZWWindow {}

extension LZWWindow {
    /// Codes there can be.
    static var tableCount: Int { 4096 }
    /// Literals at the front of the window.
    static var literalCount: Int { 256 }
    /// Room that has to be after the output: the longest string, one index more than there are codes at most, and what
    /// eight-byte stores write after it.
    static var margin: Int { tableCount + 16 }
    /// Entries of the table; one more than codes, for the string that gets no code any more.
    static var entryCount: Int { tableCount + 1 }

    /// Writes the literals to window and table.
    ///
    /// - Precondition: the table has `entryCount` entries, the window `literalCount` bytes or more.
    static func prepare(_ state: LZWState, table: inout MutableSpan<UInt64>, window: inout MutableRawSpan) {
        for value in 0..<literalCount { window.storeBytes(of: UInt8(value), toByteOffset: value, as: UInt8.self) }
        for code in 0..<state.clearCode { table[code] = UInt64(code) | 1 << 32 }
        // No string: that is how the loop knows them.
        table[state.clearCode] = 0
        table[state.clearCode + 1] = 0
    }
}

#if !ReferenceKernels
enum LZWKernel: LZWWindow {
    /// Decodes as far as input and room go.
    ///
    /// - Parameters:
    ///   - input: joined bytes of sub-blocks.
    ///   - inputPosition: how many of them are used; moved on.
    /// - Precondition: the table has `entryCount` entries that ``prepare(_:table:window:)`` and this function have written
    ///   for this state, and the window holds what they wrote.
    static func decode(
        _ state: inout LZWState, table: inout MutableSpan<UInt64>, window: inout MutableRawSpan, input: RawSpan,
        inputPosition: inout Int
    ) -> LZWPause {
        precondition(table.count >= entryCount, "a table that is too small")
        precondition(state.position >= literalCount && state.nextCode <= tableCount, "another state")
        precondition(inputPosition >= 0 && inputPosition <= input.byteCount, "outside the input")
        // The last place where a string may begin.
        let lastStart = window.byteCount - margin
        guard state.position <= lastStart else { return .windowFull }
        return unsafe table.withUnsafeMutableBufferPointer { table in
            unsafe window.withUnsafeMutableBytes { window in
                unsafe input.withUnsafeBytes { input in
                    // SAFETY: neither window nor table is empty, as checked above; an empty input has no address, and
                    // is not read.
                    guard let base = window.baseAddress, let entries = table.baseAddress else { return .windowFull }
                    var run = unsafe LZWRun(
                        state, base: base, entries: entries, last: base + lastStart, input: input,
                        position: inputPosition)
                    let pause = unsafe run.decode(&state)
                    inputPosition = unsafe run.inputPosition(in: input)
                    return pause
                }
            }
        }
    }
}

/// The state of a run in registers.
///
/// SAFETY, for all of it: output begins at or below `last`, which leaves `margin` bytes, more than the longest string and
/// seven bytes; that is asked before each string. A code is at most `next`, so its entry was written: a stretch before
/// `output`, of at most 4096 bytes, for each entry is one longer than that of a code below it. Eight bytes of input are
/// read at once only if there are eight.
@unsafe
private struct LZWRun {
    let base: UnsafeMutableRawPointer
    let entries: UnsafeMutablePointer<UInt64>
    let last: UnsafeMutableRawPointer
    let inputEnd: UnsafeRawPointer?
    var output: UnsafeMutableRawPointer
    var input: UnsafeRawPointer?
    var bits: UInt64
    var bitCount: Int

    init(
        _ state: LZWState, base: UnsafeMutableRawPointer, entries: UnsafeMutablePointer<UInt64>,
        last: UnsafeMutableRawPointer, input: UnsafeRawBufferPointer, position: Int
    ) {
        unsafe self.base = base
        unsafe self.entries = entries
        unsafe self.last = last
        unsafe output = base + state.position
        unsafe inputEnd = input.baseAddress.map { unsafe $0 + input.count }
        unsafe self.input = input.baseAddress.map { unsafe $0 + position }
        unsafe bits = state.bits
        unsafe bitCount = state.bitCount
    }

    func inputPosition(in buffer: UnsafeRawBufferPointer) -> Int {
        guard let start = buffer.baseAddress, let input = unsafe self.input else { return 0 }
        return unsafe input - start
    }

    mutating func decode(_ state: inout LZWState) -> LZWPause {
        while true {
            let pause: LZWPause?
            if state.isCleared {
                pause = unsafe decodeFirst(&state)
            } else if state.isFull {
                pause = unsafe decodeWithFullTable(&state)
            } else {
                pause = unsafe decodeFillingTable(&state)
            }
            if let pause {
                state.position = unsafe output - base
                (state.bits, state.bitCount) = unsafe (bits, bitCount)
                if !state.isFull, !state.isCleared { state.strings = state.strings.lowerBound..<state.position }
                return pause
            }
        }
    }

    /// Makes sure that there are `count` bits; `false` where the input ends before. `count` is at most 12.
    @inline(__always)
    private static func refill(
        _ bits: inout UInt64, _ bitCount: inout Int, _ input: inout UnsafeRawPointer?, _ end: UnsafeRawPointer?,
        _ count: Int
    ) -> Bool {
        guard var place = unsafe input, let end = unsafe end else { return bitCount >= count }
        if unsafe end - place >= 8 {
            // Bytes of which only a part fits are read again; the bits before them are the same.
            let word = unsafe UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
            bits |= word &<< UInt64(truncatingIfNeeded: bitCount)
            unsafe place += (63 &- bitCount) &>> 3
            bitCount |= 56
        } else {
            while bitCount <= 55, unsafe place < end {
                unsafe bits |= UInt64(place.load(as: UInt8.self)) &<< UInt64(truncatingIfNeeded: bitCount)
                bitCount &+= 8
                unsafe place += 1
            }
        }
        unsafe input = place
        return bitCount >= count
    }

    /// The first code after a cleared table, which has to be a literal.
    private mutating func decodeFirst(_ state: inout LZWState) -> LZWPause? {
        guard unsafe output <= last else { return .windowFull }
        if unsafe bitCount < state.codeSize {
            guard unsafe Self.refill(&bits, &bitCount, &input, inputEnd, state.codeSize) else { return .inputUsed }
        }
        let code = unsafe Int(truncatingIfNeeded: bits) & ((1 << state.codeSize) - 1)
        unsafe bits &>>= UInt64(truncatingIfNeeded: state.codeSize)
        unsafe bitCount &-= state.codeSize
        if code == state.clearCode { return nil }
        if code == state.clearCode + 1 { return .ended }
        guard code < state.clearCode else { return .invalidCode }
        let start = unsafe output - base
        unsafe output.storeBytes(of: UInt8(truncatingIfNeeded: code), as: UInt8.self)
        unsafe output += 1
        unsafe entries[state.nextCode] = UInt64(truncatingIfNeeded: start) | 2 << 32
        state.strings = start..<start + 1
        state.isCleared = false
        // With a minimum code size of 1 the code of the first string needs a bit more already.
        if state.nextCode == 1 << state.codeSize { state.codeSize += 1 }
        return nil
    }

    /// Clear and end codes; `nil` goes on.
    private mutating func decodeControl(_ state: inout LZWState, isClear: Bool) -> LZWPause? {
        guard isClear else { return .ended }
        state.codeSize = state.minimumCodeSize + 1
        state.nextCode = state.clearCode + 2
        state.isCleared = true
        state.strings = LZWKernel.literalCount..<LZWKernel.literalCount
        return nil
    }

    /// Codes while each makes a new string.
    private mutating func decodeFillingTable(_ state: inout LZWState) -> LZWPause? {
        let (base, entries, last, inputEnd) = unsafe (base, entries, last, inputEnd)
        var (output, input, bits, bitCount) = unsafe (output, input, bits, bitCount)
        var next = state.nextCode
        var codeSize = state.codeSize
        var mask = (1 << codeSize) - 1
        var pause: LZWPause?
        while true {
            if bitCount < codeSize {
                guard unsafe Self.refill(&bits, &bitCount, &input, inputEnd, codeSize) else {
                    pause = .inputUsed
                    break
                }
            }
            guard unsafe output <= last else {
                pause = .windowFull
                break
            }
            let code = Int(truncatingIfNeeded: bits) & mask
            guard code <= next else {
                pause = .invalidCode
                break
            }
            bits &>>= UInt64(truncatingIfNeeded: codeSize)
            bitCount &-= codeSize
            let entry = unsafe entries[code]
            let length = Int(truncatingIfNeeded: entry &>> 32)
            if length == 0 {
                unsafe (self.output, self.input, self.bits, self.bitCount) = unsafe (output, input, bits, bitCount)
                (state.nextCode, state.codeSize) = (next, codeSize)
                return unsafe decodeControl(&state, isClear: code == state.clearCode)
            }
            let string = unsafe base + Int(truncatingIfNeeded: entry & 0xFFFF_FFFF)
            let stop = unsafe Self.copy(string, output, length)
            if code == next {
                // The string that is being written: its last index is its own first, which may not have been there yet.
                let first = unsafe string.load(as: UInt8.self)
                unsafe (stop - 1).storeBytes(of: first, as: UInt8.self)
            }
            next &+= 1
            let start = unsafe output - base
            unsafe entries[next] = UInt64(truncatingIfNeeded: start) | UInt64(truncatingIfNeeded: length &+ 1) &<< 32
            unsafe output = stop
            if next > mask {
                if codeSize < 12 {
                    codeSize &+= 1
                    mask = (1 << codeSize) - 1
                } else {
                    // The last string got its code; what is after it is no string any more.
                    state.strings = unsafe state.strings.lowerBound..<output - base
                    break
                }
            }
        }
        unsafe (self.output, self.input, self.bits, self.bitCount) = unsafe (output, input, bits, bitCount)
        (state.nextCode, state.codeSize) = (next, codeSize)
        return pause
    }

    /// Codes while the table is full, until it is cleared.
    private mutating func decodeWithFullTable(_ state: inout LZWState) -> LZWPause? {
        let (base, entries, last, inputEnd) = unsafe (base, entries, last, inputEnd)
        var (output, input, bits, bitCount) = unsafe (output, input, bits, bitCount)
        defer { unsafe (self.output, self.input, self.bits, self.bitCount) = unsafe (output, input, bits, bitCount) }
        while true {
            if bitCount < 12 {
                guard unsafe Self.refill(&bits, &bitCount, &input, inputEnd, 12) else { return .inputUsed }
            }
            guard unsafe output <= last else { return .windowFull }
            let code = Int(truncatingIfNeeded: bits & 0xFFF)
            bits &>>= 12
            bitCount &-= 12
            let entry = unsafe entries[code]
            let length = Int(truncatingIfNeeded: entry &>> 32)
            if length == 0 { return unsafe decodeControl(&state, isClear: code == state.clearCode) }
            unsafe output = Self.copy(base + Int(truncatingIfNeeded: entry & 0xFFFF_FFFF), output, length)
        }
    }

    /// Copies a string, eight bytes at a time; up to seven more are written.
    @inline(__always)
    private static func copy(
        _ string: UnsafeMutableRawPointer, _ output: UnsafeMutableRawPointer, _ length: Int
    ) -> UnsafeMutableRawPointer {
        var (source, target) = unsafe (string, output)
        let stop = unsafe output + length
        repeat {
            unsafe target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
            unsafe source += 8
            unsafe target += 8
        } while unsafe target < stop
        return unsafe stop
    }
}
#endif
