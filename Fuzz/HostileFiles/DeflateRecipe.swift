// Zlib streams from decisions: blocks of every kind with codes of every shape, mostly sound.

#if SystemZlib
package import CodecTestSupport

/// Writes a zlib stream block by block.
package struct DeflateRecipe: Sendable {
    private var source: DecisionSource
    private var writer = DeflateBitWriter()
    /// Bytes that the blocks so far stand for.
    private var outputCount = 0

    private static let mostOutput = 40_000

    /// The stream that a seed, or a fuzzer's bytes, stand for: blocks of this recipe, data that zlib compressed, or noise;
    /// one in two is damaged.
    package static func stream(_ source: DecisionSource) -> [UInt8] {
        var source = source
        source.isCalm = source.oneIn(2)
        var stream: [UInt8]
        switch source.below(8) {
        case 0: stream = noise(&source)
        case 1, 2, 3: stream = compressed(&source)
        default:
            var recipe = DeflateRecipe(source: source)
            stream = recipe.write()
            source = recipe.source
        }
        if source.oneIn(8) { stream += source.bytes(source.below(20)) }
        if source.isCalm { return stream }
        for _ in 0..<source.below(4) where !stream.isEmpty {
            let place = source.below(stream.count)
            switch source.below(3) {
            case 0: stream[place] = source.byte()
            case 1: stream[place] ^= 1 << UInt8(source.below(8))
            default: stream.removeSubrange(place..<min(stream.count, place + 1 + source.below(3)))
            }
        }
        if source.oneIn(6) { stream.removeLast(source.below(stream.count + 1)) }
        return stream
    }

    private init(source: DecisionSource) { self.source = source }

    /// Any bits, after a header that is right.
    private static func noise(_ source: inout DecisionSource) -> [UInt8] {
        [0x78, 0x9C] + source.bytes(source.below(200))
    }

    /// Runs, repeats and noise, compressed by zlib.
    private static func compressed(_ source: inout DecisionSource) -> [UInt8] {
        var bytes: [UInt8] = []
        let count = source.oneIn(40) ? 40_000 : source.pick([0, 1, 40, 200, 600])
        while bytes.count < count {
            let length = 1 + source.below(source.oneIn(4) ? 600 : 20)
            switch source.below(4) {
            case 0: bytes += [UInt8](repeating: source.byte(), count: length)
            case 1: bytes += source.bytes(length)
            default:
                let distance = 1 + source.below(max(1, min(bytes.count, source.oneIn(2) ? 20 : 33_000)))
                if bytes.count < distance { continue }
                for _ in 0..<length { bytes.append(bytes[bytes.count - distance]) }
            }
        }
        return zlibDeflate(
            bytes, level: source.below(10), strategy: source.pick(ZlibStrategy.allCases),
            windowBits: 9 + source.below(7), memoryLevel: 1 + source.below(9),
            flushEvery: source.oneIn(4) ? 1 + source.below(2000) : nil)
    }

    // MARK: Blocks

    private mutating func write() -> [UInt8] {
        writer.put(header())
        let count = 1 + source.below(4)
        for index in 0..<count {
            writer.put(index == count - 1 && !source.isFault(oneIn: 30) ? 1 : 0, 1)
            switch source.isFault(oneIn: 60) ? 3 : source.pick([0, 1, 1, 2, 2, 2]) {
            case 0: writeStored()
            case 1:
                writer.put(1, 2)
                writeSymbols(.fixedLiteralLength, .fixedDistance)
            case 2: writeDynamic()
            default: writer.put(3, 2)
            }
        }
        writer.alignToByte()
        let checksum = plainAdler32(zlibInflate(writer.bytes, limit: 4 * Self.mostOutput).output)
        let stored = source.isFault(oneIn: 20) ? checksum ^ 1 << UInt32(source.below(32)) : checksum
        return writer.bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stored >> $0) }
    }

    private mutating func header() -> [UInt8] {
        if source.isFault(oneIn: 40) { return source.bytes(2) }
        let method = source.isFault(oneIn: 40) ? source.below(256) : 8 | source.below(8) << 4
        let flags = source.below(4) << 6 | (source.isFault(oneIn: 40) ? 0x20 : 0)
        return [UInt8(method), UInt8(flags + 31 - (method << 8 | flags) % 31)]
    }

    private mutating func writeStored() {
        writer.put(0, 2)
        writer.alignToByte()
        let bytes = source.bytes(source.pick([0, 1, 30, 500]))
        let complement = source.isFault(oneIn: 30) ? source.below(65_536) : bytes.count ^ 0xFFFF
        writer.put(bytes.count, 16)
        writer.put(complement, 16)
        writer.put(bytes)
        outputCount += bytes.count
    }

    private mutating func writeDynamic() {
        writer.put(2, 2)
        let (literals, distances) = (literalLengthCode(), distanceCode())
        writeLengths(literals, distances)
        writeSymbols(literals, distances)
    }

    // MARK: Codes

    /// Lengths of a code without gaps for so many symbols: leaves of a tree that is split anywhere.
    private mutating func treeLengths(_ count: Int, longest: Int) -> [Int] {
        var lengths = [0]
        let isDeep = source.oneIn(3)
        while lengths.count < count {
            let index = isDeep ? lengths.count - 1 - source.below(min(3, lengths.count)) : source.below(lengths.count)
            guard let other = lengths[index] < longest ? index : lengths.firstIndex(where: { $0 < longest }) else {
                break
            }
            lengths[other] += 1
            lengths.append(lengths[other])
        }
        return lengths.count == 1 ? [1] : lengths
    }

    private mutating func literalLengthCode() -> DeflateCode {
        let most = source.isFault(oneIn: 40) ? 288 : 286
        var symbols: Set<Int> = source.isFault(oneIn: 40) ? [] : [256]
        let count = source.pick([1, 2, 3, 20, 100, 286])
        while symbols.count < count {
            // Lengths are few among the symbols, and many in streams.
            symbols.insert(source.oneIn(3) && symbols.count < 29 ? 257 + source.below(most - 257) : source.below(most))
        }
        return code(Array(symbols), alphabetSize: most)
    }

    private mutating func distanceCode() -> DeflateCode {
        let most = source.isFault(oneIn: 40) ? 32 : 30
        let count = source.pick([0, 1, 2, 3, 10, 30])
        if count == 0 { return DeflateCode(lengths: [0]) }
        var symbols: Set<Int> = []
        while symbols.count < count { symbols.insert(source.oneIn(2) ? source.below(8) : source.below(most)) }
        return code(Array(symbols), alphabetSize: most)
    }

    private mutating func code(_ wanted: [Int], alphabetSize: Int) -> DeflateCode {
        var symbols = wanted.sorted()
        for index in symbols.indices { symbols.swapAt(index, source.below(symbols.count)) }
        let longest = symbols.count <= 128 ? source.pick([15, 15, 9, 8]) : source.pick([15, 11, 9])
        let tree = treeLengths(symbols.count, longest: longest)
        var lengths = [Int](repeating: 0, count: alphabetSize)
        for (symbol, length) in zip(symbols, tree) { lengths[symbol] = length }
        // Too many codes, or too few.
        if source.isFault(oneIn: 20) { lengths[source.below(alphabetSize)] = source.below(16) }
        return DeflateCode(lengths: lengths)
    }

    /// RFC 1951 section 3.2.7 "Compression with dynamic Huffman codes (BTYPE=10)".
    private mutating func writeLengths(_ literals: DeflateCode, _ distances: DeflateCode) {
        let literalCount = max(257, (literals.symbols.last ?? 0) + 1 + (source.oneIn(3) ? 0 : source.below(3)))
        let distanceCount = max(1, (distances.symbols.last ?? 0) + 1)
        let all = (literals.lengths + [Int](repeating: 0, count: 8)).prefix(min(288, literalCount))
        var items = runs(Array(all) + distances.lengths.prefix(distanceCount))
        if source.isFault(oneIn: 30) { items.insert((16 + source.below(3), 0), at: source.below(items.count + 1)) }
        let used = Set(items.map(\.symbol)).sorted()
        var lengths = [Int](repeating: 0, count: 19)
        for (symbol, length) in zip(used, treeLengths(max(2, used.count), longest: 7)) { lengths[symbol] = length }
        // zlib wants two codes at least.
        if used.count == 1 { lengths[used[0] == 0 ? 1 : 0] = 1 }
        if source.isFault(oneIn: 30) { lengths[source.below(19)] = source.below(8) }
        let code = DeflateCode(lengths: lengths)
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        let count = max(4, (order.lastIndex { lengths[$0] > 0 } ?? 0) + 1)
        writer.put(min(288, literalCount) - 257, 5)
        writer.put(distanceCount - 1, 5)
        writer.put(count - 4, 4)
        for symbol in order.prefix(count) { writer.put(lengths[symbol], 3) }
        for (symbol, extra) in items {
            code.write(symbol, &writer)
            if symbol >= 16 { writer.put(extra, symbol == 16 ? 2 : symbol == 17 ? 3 : 7) }
        }
    }

    /// Lengths as symbols with their extra bits; runs are used if there are some, mostly.
    private mutating func runs(_ lengths: [Int]) -> [(symbol: Int, extra: Int)] {
        var (items, index): ([(symbol: Int, extra: Int)], Int) = ([], 0)
        let usesRuns = !source.oneIn(4)
        while index < lengths.count {
            var run = 1
            while index + run < lengths.count, lengths[index + run] == lengths[index] { run += 1 }
            if usesRuns, lengths[index] == 0, run >= 3 {
                let count = min(run, 138)
                items.append(count < 11 ? (17, count - 3) : (18, count - 11))
                index += count
            } else if usesRuns, index > 0, lengths[index] == lengths[index - 1], run >= 3 {
                let count = min(run, 6)
                items.append((16, count - 3))
                index += count
            } else {
                items.append((lengths[index], 0))
                index += 1
            }
        }
        return items
    }

    // MARK: Symbols

    /// RFC 1951 section 3.2.5 "Compressed blocks (length and distance codes)".
    private mutating func writeSymbols(_ literals: DeflateCode, _ distances: DeflateCode) {
        guard !literals.symbols.isEmpty else { return }
        let count = source.oneIn(10) ? 1000 : source.pick([0, 3, 30, 100])
        for _ in 0..<count where outputCount < Self.mostOutput {
            let symbol = source.pick(literals.symbols)
            if symbol == 256 { continue }
            guard symbol > 256 else {
                literals.write(symbol, &writer)
                outputCount += 1
                continue
            }
            writeCopy(symbol, literals, distances)
        }
        if literals.lengths[256] > 0, !source.isFault(oneIn: 40) { literals.write(256, &writer) }
    }

    private mutating func writeCopy(_ symbol: Int, _ literals: DeflateCode, _ distances: DeflateCode) {
        let reach = source.isFault(oneIn: 100) ? 32_768 : outputCount
        let within = distances.symbols.filter { Self.distanceBase($0).base <= reach }
        guard let second = within.isEmpty ? nil : source.pick(within) else { return }
        literals.write(symbol, &writer)
        let code = symbol - 257
        let extra = code < 8 || code == 28 ? 0 : code / 4 - 1
        if code < 29 { writer.put(source.below(1 << extra), extra) }
        distances.write(second, &writer)
        let (base, bits) = Self.distanceBase(second)
        if second < 30 { writer.put(min(source.below(1 << bits), max(0, reach - base)), bits) }
        // About as many; a little more or less does not matter.
        outputCount += code < 8 ? code + 3 : 4 << (extra + 1)
    }

    private static func distanceBase(_ symbol: Int) -> (base: Int, extra: Int) {
        if symbol < 4 { return (symbol + 1, 0) }
        let extra = symbol / 2 - 1
        return ((2 + symbol & 1) << extra + 1, extra)
    }
}

/// Adler-32, byte by byte.
///
/// Source: RFC 1950 section 8.2 "The Adler-32 algorithm".
package func plainAdler32(_ bytes: [UInt8]) -> UInt32 {
    var (sum, sumOfSums): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
        sum = (sum + UInt32(byte)) % 65521
        sumOfSums = (sumOfSums + sum) % 65521
    }
    return sumOfSums << 16 | sum
}
#endif
