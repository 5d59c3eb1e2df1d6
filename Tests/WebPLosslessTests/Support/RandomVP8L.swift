// Random bitstreams that are sound: any transforms in any order, any prefix codes, any copies.
//
// Codes are drawn first, symbols from them after: what the pixels are is nobody's plan, but every pattern of bits that a
// decoder has to know comes up.

import CodecTestSupport
import WebPLosslessCodec

/// Writes one random bitstream.
struct RandomVP8L {
    private(set) var writer = VP8LWriter()
    private var source: DecisionSource
    let width: Int
    let height: Int

    /// The lengths of five codes, and those codes.
    private struct Group {
        var lengths: [[Int]] = []
        var codes: [WrittenCode] = []
        /// The symbols that have a code.
        var used: [[Int]] = []
    }

    /// - Parameters:
    ///   - side: the longest that a side may be.
    ///   - hasHeader: `false` for alpha planes.
    init(_ source: DecisionSource, side: Int = 24, hasHeader: Bool = true, size: (Int, Int)? = nil) {
        var source = source
        let drawn = (source.number(in: 1...side), source.number(in: 1...side))
        (width, height) = size ?? drawn
        self.source = source
        if hasHeader { writer.writeHeader(width: width, height: height, alphaIsUsed: self.source.oneIn(2)) }
        var codedWidth = width
        var kinds = [0, 1, 2, 3]
        while !kinds.isEmpty, !self.source.oneIn(3) {
            let kind = kinds.remove(at: self.source.below(kinds.count))
            writer.write(1, 1)
            writer.write(kind, 2)
            writeTransform(kind, width: &codedWidth)
        }
        writer.write(0, 1)
        writeImage(codedWidth, height, isMain: true)
    }

    private mutating func writeTransform(_ kind: Int, width: inout Int) {
        switch kind {
        case 0, 1:
            let bits = source.below(8)
            writer.write(bits, 3)
            let side = 4 << bits
            writeImage((width + side - 1) / side, (height + side - 1) / side, isMain: false)
        case 3:
            let colorCount = source.pick([1, 2, 3, 4, 5, 16, 17, 100, 256])
            writer.write(colorCount - 1, 8)
            writeImage(colorCount, 1, isMain: false)
            let perByte = colorCount > 16 ? 1 : colorCount > 4 ? 2 : colorCount > 2 ? 4 : 8
            width = (width + perByte - 1) / perByte
        default: break
        }
    }

    /// - Parameter largestGreen: the first pixel's green, and the largest; red is 0 then.
    private mutating func writeImage(_ width: Int, _ height: Int, isMain: Bool, largestGreen: Int? = nil) {
        let cacheBits = source.oneIn(2) ? source.number(in: 1...11) : 0
        writer.write(cacheBits > 0 ? 1 : 0, 1)
        if cacheBits > 0 { writer.write(cacheBits, 4) }
        var groupCount = 1
        var (sizeBits, blocks) = (0, [Int]())
        if isMain {
            let hasGroups = source.oneIn(2)
            writer.write(hasGroups ? 1 : 0, 1)
            if hasGroups {
                let bits = source.below(8)
                writer.write(bits, 3)
                groupCount = source.number(in: 1...6)
                sizeBits = bits + 2
                let start = writer.position
                let (columns, rows) = ((width - 1) >> sizeBits + 1, (height - 1) >> sizeBits + 1)
                writeImage(columns, rows, isMain: false, largestGreen: groupCount - 1)
                // What was written has to be read, to know which group each block has.
                var reader = PlainVP8L(writer.bytes, position: start)
                blocks = ((try? reader.image(columns, rows, isMain: false)) ?? []).map { Int($0 >> 8 & 0xFFFF) }
            }
        }
        let groups = (0..<groupCount).map { _ in writeGroup(cacheBits: cacheBits, largestGreen: largestGreen) }
        let blocksPerRow = (width - 1) >> sizeBits + 1
        writePixels(width, height, firstGreen: largestGreen) { x, y in
            groups[blocks.isEmpty ? 0 : blocks[(y >> sizeBits) * blocksPerRow + x >> sizeBits]]
        }
    }

    private mutating func writeGroup(cacheBits: Int, largestGreen: Int?) -> Group {
        var group = Group()
        for index in 0..<5 {
            var alphabet = [256 + 24, 256, 256, 256, 40][index]
            if index == 0, cacheBits > 0 { alphabet += 1 << cacheBits }
            var symbols: Set<Int> = []
            if let largestGreen, index == 0 {
                symbols = [largestGreen, source.below(largestGreen + 1), 256 + source.below(24)]
            } else if largestGreen != nil, index == 1 {
                symbols = [0]
            } else {
                // A literal, or there may be nothing to begin with.
                symbols = [source.below(index == 4 ? 40 : 256)]
                for _ in 0..<source.pick([0, 0, 1, 2, 5, 20, alphabet]) { symbols.insert(source.below(alphabet)) }
            }
            let lengths = lengths(of: symbols, alphabet: alphabet, longest: 15)
            group.lengths.append(lengths)
            group.codes.append(WrittenCode(lengths))
            group.used.append(symbols.sorted())
            writeLengths(lengths, symbols.sorted())
        }
        return group
    }

    /// The lengths of a complete code.
    private mutating func lengths(of symbols: Set<Int>, alphabet: Int, longest: Int) -> [Int] {
        // Leaves are split until there are enough.
        var leaves = [0]
        while leaves.count < symbols.count {
            let place = source.oneIn(3) ? leaves.count - 1 : source.below(leaves.count)
            guard leaves[place] < longest else { continue }
            leaves[place] += 1
            leaves.append(leaves[place])
        }
        if symbols.count == 1 { leaves = [source.number(in: 1...longest)] }
        var lengths = Array(repeating: 0, count: alphabet)
        for (symbol, length) in zip(symbols.sorted(), leaves) { lengths[symbol] = length }
        return lengths
    }

    private mutating func writeLengths(_ lengths: [Int], _ symbols: [Int]) {
        if symbols.count <= 2, symbols.allSatisfy({ $0 < 256 && lengths[$0] == 1 }), source.oneIn(2) {
            writer.writeSimple(symbols)
            return
        }
        let tokens = tokens(lengths)
        writer.write(0, 1)
        let used = Set(tokens.map(\.symbol))
        let codeLengths = self.lengths(of: used, alphabet: 19, longest: 7)
        writer.writeCodeLengthCode(codeLengths)
        // Zeros at the end need not be said.
        var count = tokens.count
        while count > 2, [0, 17, 18].contains(tokens[count - 1].symbol) { count -= 1 }
        let isGiven = count >= 2 && source.oneIn(2)
        writer.write(isGiven ? 1 : 0, 1)
        if isGiven {
            writer.write(7, 3)
            writer.write(count - 2, 16)
        }
        let code = WrittenCode(codeLengths)
        for token in isGiven ? tokens[..<count] : tokens[...] {
            writer.write(token.symbol, code)
            writer.write(token.extra, token.extraBits)
        }
    }

    private struct Token {
        var symbol: Int
        var extra = 0
        var extraBits = 0
    }

    /// Lengths, with runs if there are any and fortune wants them.
    private mutating func tokens(_ lengths: [Int]) -> [Token] {
        var tokens: [Token] = []
        var (place, previous) = (0, 8)
        while place < lengths.count {
            let run = lengths[place...].prefix { $0 == lengths[place] }.count
            if lengths[place] == 0, run >= 11, !source.oneIn(8) {
                let count = min(run, source.number(in: 11...138))
                tokens.append(Token(symbol: 18, extra: count - 11, extraBits: 7))
                place += count
            } else if lengths[place] == 0, run >= 3, !source.oneIn(4) {
                let count = min(run, source.number(in: 3...10))
                tokens.append(Token(symbol: 17, extra: count - 3, extraBits: 3))
                place += count
            } else if lengths[place] == previous, run >= 3, !source.oneIn(4) {
                let count = min(run, source.number(in: 3...6))
                tokens.append(Token(symbol: 16, extra: count - 3, extraBits: 2))
                place += count
            } else {
                tokens.append(Token(symbol: lengths[place]))
                if lengths[place] != 0 { previous = lengths[place] }
                place += 1
            }
        }
        return tokens
    }

    // MARK: Pixels

    private mutating func writePixels(
        _ width: Int, _ height: Int, firstGreen: Int?, group: (_ x: Int, _ y: Int) -> Group
    ) {
        var place = 0
        while place < width * height {
            let group = group(place % width, place / width)
            let green = place == 0 && firstGreen != nil ? firstGreen ?? 0 : symbol(group, 0)
            if green >= 256, green < 280 {
                place += writeCopy(green - 256, group, place: place, left: width * height - place, width: width)
                continue
            }
            writer.write(green, group.codes[0])
            if green < 256 { for index in 1...3 { writer.write(symbol(group, index), group.codes[index]) } }
            place += 1
        }
    }

    /// - Returns: how many pixels are copied, or 0 if no copy was found that is possible.
    private mutating func writeCopy(_ lengthSymbol: Int, _ group: Group, place: Int, left: Int, width: Int) -> Int {
        let near = BackwardReferences.nearDistances(width: width)
        for _ in 0..<4 {
            let (lengthBits, length) = prefixed(lengthSymbol)
            let distanceSymbol = symbol(group, 4)
            let (distanceBits, code) = prefixed(distanceSymbol)
            let distance = code > 120 ? code - 120 : Int(near[code - 1])
            guard length <= left, distance <= place else { continue }
            writer.write(256 + lengthSymbol, group.codes[0])
            writer.write(lengthBits.value, lengthBits.count)
            writer.write(distanceSymbol, group.codes[4])
            writer.write(distanceBits.value, distanceBits.count)
            return length
        }
        return 0
    }

    /// Random extra bits of a length or distance, and what it then is.
    private mutating func prefixed(_ symbol: Int) -> (bits: (value: Int, count: Int), value: Int) {
        guard symbol >= 4 else { return ((0, 0), symbol + 1) }
        let extra = (symbol - 2) / 2
        let bits = source.below(1 << extra)
        return ((bits, extra), (2 + symbol % 2) << extra + bits + 1)
    }

    /// A symbol of a code, the short ones more often.
    private mutating func symbol(_ group: Group, _ code: Int) -> Int {
        let (first, second) = (source.pick(group.used[code]), source.pick(group.used[code]))
        return group.lengths[code][first] <= group.lengths[code][second] ? first : second
    }
}
