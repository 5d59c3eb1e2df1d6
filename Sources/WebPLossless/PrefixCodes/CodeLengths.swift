// Reads the code lengths of one prefix code: bits in, one length for each symbol of the alphabet out.
//
//   1 simple? ──▶ one or two symbols, each of length 1
//   0 normal  ──▶ lengths of the code that the lengths are coded with ──▶ how many codes follow ──▶ lengths and runs
//
// Lengths come one code at a time; reading stops and goes on between any two of them.

import ImageCodecsCore

/// How many symbols the five codes of a group have.
///
/// Source: RFC 9649 section 3.7.2.1 "Decoding and Building the Prefix Codes".
package enum PrefixAlphabet {
    /// Symbols that are a channel's value.
    package static let literalCount = 256
    /// Symbols that begin a copy, after the literals of green.
    package static let lengthCount = 24
    /// Symbols that say how far back a copy reaches.
    package static let distanceCount = 40
    /// Green with the largest color cache.
    package static let largest = literalCount + lengthCount + (1 << ColorCache.largestBitCount)

    /// The symbols of code `index` of a group: green, red, blue, alpha, distance.
    package static func count(_ index: Int, cacheBits: Int) -> Int {
        switch index {
        case 0: literalCount + lengthCount + (cacheBits > 0 ? 1 << cacheBits : 0)
        case 4: distanceCount
        default: literalCount
        }
    }
}

/// Reads the lengths of one prefix code.
///
/// Source: RFC 9649 section 3.7.2.1.1 "Simple Code Length Code", 3.7.2.1.2 "Normal Code Length Code".
struct CodeLengthReader: Sendable {
    private enum Step: Sendable {
        /// Which kind it is, and all of a simple one.
        case kind
        /// Lengths of the code that lengths are coded with: the next one, of `count`.
        case codeLengthLengths(next: Int, count: Int)
        /// How many codes follow.
        case codeCount
        /// Lengths from symbol `next` on, in at most `left` codes.
        case lengths(next: Int, left: Int)
    }

    let alphabet: Int
    private var step = Step.kind
    /// Mask of the bits that the table of the code that lengths are coded with is looked up with.
    private var tableMask: UInt64 = 0
    /// The length that a repetition repeats: the last one that was not 0.
    private var previous: UInt8 = 8
    /// The symbols of a simple code, which has no lengths in the buffer; the second is -1 if there is none.
    private(set) var simple: (first: Int, second: Int)?

    /// Which symbol the next length of a code length code is for.
    private static let order: [UInt8] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

    /// - Parameter alphabet: how many symbols there are.
    init(alphabet: Int) { self.alphabet = alphabet }

    /// Reads as much as is there.
    ///
    /// - Parameter workspace: gets the lengths, and keeps what is needed when more bytes have come.
    /// - Returns: whether all lengths are read.
    mutating func read(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ workspace: inout VP8LWorkspace
    ) throws(ImageError) -> Bool {
        while true {
            switch step {
            case .kind:
                guard let isSimple = readKind(&reader, bytes, &workspace) else { return false }
                if isSimple { return true }
            case .codeLengthLengths(let next, let count):
                guard readCodeLengthLengths(&reader, bytes, &workspace, next..<count) else { return false }
                try makeTable(reader, &workspace)
                step = .codeCount
            case .codeCount:
                guard let count = try readCodeCount(&reader, bytes) else { return false }
                step = .lengths(next: 0, left: count)
            case .lengths(let next, let left):
                return try readLengths(&reader, bytes, &workspace, from: next, left: left)
            }
        }
    }

    /// - Returns: whether it is a simple code, which then is read; `nil` if it is not all there.
    private mutating func readKind(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ workspace: inout VP8LWorkspace
    ) -> Bool? {
        let start = reader
        guard let isSimple = reader.read(1, bytes) else { return nil }
        if isSimple == 1 {
            simple = readSimple(&reader, bytes)
            if simple == nil { reader = start }
            return simple.map { _ in true }
        }
        guard let count = reader.read(4, bytes) else {
            reader = start
            return nil
        }
        step = .codeLengthLengths(next: 0, count: 4 + count)
        workspace.clearLengths()
        return false
    }

    private func readSimple(_ reader: inout VP8LBitReader, _ bytes: RawSpan) -> (first: Int, second: Int)? {
        guard let hasTwo = reader.read(1, bytes), let isFirstLong = reader.read(1, bytes),
            let first = reader.read(isFirstLong == 1 ? 8 : 1, bytes)
        else { return nil }
        guard hasTwo == 1 else { return (first, -1) }
        guard let second = reader.read(8, bytes) else { return nil }
        return (first, second)
    }

    /// Reads lengths of the code that lengths are coded with, to where those of symbols will be.
    ///
    /// - Returns: whether all are read.
    private mutating func readCodeLengthLengths(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ workspace: inout VP8LWorkspace, _ left: Range<Int>
    ) -> Bool {
        var next = left.lowerBound
        workspace.withLengths { lengths, _ in
            while next < left.upperBound, let length = reader.read(3, bytes) {
                lengths[Int(Self.order[next])] = UInt8(length)
                next += 1
            }
        }
        workspace.writtenCount = Self.order.count
        step = .codeLengthLengths(next: next, count: left.upperBound)
        return next == left.upperBound
    }

    /// Builds the table of the code that lengths are coded with, whose codes have at most seven bits.
    private mutating func makeTable(
        _ reader: VP8LBitReader, _ workspace: inout VP8LWorkspace
    ) throws(ImageError) {
        let built = workspace.withLengths { lengths, codes in
            PrefixTableKernel.build(lengths.span.extracting(first: Self.order.count), workspace: &codes)
        }
        switch built {
        case .failure(let error): throw error.problem.error(reader)
        case .success(let table): tableMask = 1 << UInt64(table.rootBits) - 1
        }
        workspace.clearLengths()
    }

    private func readCodeCount(_ reader: inout VP8LBitReader, _ bytes: RawSpan) throws(ImageError) -> Int? {
        let start = reader
        guard let isGiven = reader.read(1, bytes) else { return nil }
        guard isGiven == 1 else { return alphabet }
        guard let bitCount = reader.read(3, bytes), let count = reader.read(2 + 2 * bitCount, bytes) else {
            reader = start
            return nil
        }
        guard count + 2 <= alphabet else {
            throw reader.damage(.vp8lCodeLengths, "\(count + 2) code lengths for \(alphabet) symbols")
        }
        return count + 2
    }

    private mutating func readLengths(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ workspace: inout VP8LWorkspace, from first: Int, left: Int
    ) throws(ImageError) -> Bool {
        var run = CodeLengthRun(
            next: first, left: left, previous: previous, alphabet: alphabet, tableMask: tableMask)
        let ending = workspace.withLengths { lengths, codes in
            let table = codes.span.extracting(droppingFirst: PrefixTableKernel.tableStart)
            return run.read(&reader.position, bytes, table: table, lengths: &lengths)
        }
        previous = run.previous
        workspace.writtenCount = run.next
        step = .lengths(next: run.next, left: run.left)
        switch ending {
        case .inputUsed: return false
        case .ended: return true
        case .tooMany: throw reader.damage(.vp8lCodeLengths, "a run of code lengths beyond the last symbol")
        }
    }
}

/// Reads lengths and runs of lengths.
struct CodeLengthRun: Sendable {
    enum Ending: Sendable { case inputUsed, ended, tooMany }

    var next: Int
    var left: Int
    var previous: UInt8
    let alphabet: Int
    let tableMask: UInt64

    /// - Parameters:
    ///   - position: the bit that is read next; moved on by whole codes.
    ///   - table: entries as in ``PrefixTableKernel``, one for each pattern of the mask.
    mutating func read(
        _ position: inout Int, _ bytes: RawSpan, table: Span<UInt16>, lengths: inout MutableSpan<UInt8>
    ) -> Ending {
        let end = bytes.byteCount * 8
        var reader = VP8LBitReader(position: position, fileOffset: 0)
        defer { position = reader.position }
        while next < alphabet, left > 0 {
            // At most 7 bits and 7 more.
            var bits = reader.peek(bytes)
            let entry = Int(table[Int(bits & tableMask)])
            let (symbol, count) = (entry >> 4, entry & 15)
            bits &>>= UInt64(count)
            if symbol < 16 {
                guard reader.position + count <= end else { return .inputUsed }
                lengths[next] = UInt8(symbol)
                if symbol != 0 { previous = UInt8(symbol) }
                next += 1
                reader.position += count
            } else {
                let extra = symbol == 16 ? 2 : symbol == 17 ? 3 : 7
                guard reader.position + count + extra <= end else { return .inputUsed }
                let run = Int(bits & ((1 << UInt64(extra)) - 1)) + (symbol == 18 ? 11 : 3)
                guard run <= alphabet - next else { return .tooMany }
                // The lengths are zeros if nothing was written.
                if symbol == 16 { for place in next..<next + run { lengths[place] = previous } }
                next += run
                reader.position += count + extra
            }
            left -= 1
        }
        return .ended
    }
}
