// Kernels of inflate against their plain twins.

import CodecTestSupport
import DeflateCodec
import ImageCodecsCore
import PNGCodec
import Testing

extension Adler32 {
    fileprivate mutating func add(_ bytes: ArraySlice<UInt8>) {
        Array(bytes).withRawSpan(first: bytes.count) { add($0) }
    }
}

@Suite struct InflateKernelsTests {
    private func adlerReference(_ bytes: ArraySlice<UInt8>, to sums: (UInt32, UInt32)) -> (UInt32, UInt32) {
        Array(bytes).withRawSpan(first: bytes.count) { Adler32KernelReference.add($0, to: sums) }
    }

    @Test func checksumsEqualTheirDefinitionsAtEveryLengthAndAddress() {
        var random = SeededRandom(seed: 1)
        let bytes = random.bytes(9000)
        for count in Array(0...700) + [4095, 4096, 4097, 8191, 8900] {
            let start = count % 37
            let part = bytes[start..<start + count]
            var (adler, checksum) = (Adler32(), CRC32())
            adler.add(part)
            checksum.add(part)
            let sums = adlerReference(part, to: (1, 0))
            #expect(adler.value == sums.1 << 16 | sums.0)
            #expect(checksum.value == ~CRC32KernelReference.add(part.span, to: ~0))
        }
    }

    @Test func checksumsOfPartsAreThoseOfTheWhole() {
        var random = SeededRandom(seed: 2)
        let bytes = random.bytes(5000)
        var (whole, parts) = ((Adler32(), CRC32()), (Adler32(), CRC32()))
        whole.0.add(bytes[...])
        whole.1.add(bytes[...])
        var position = 0
        while position < bytes.count {
            let end = min(bytes.count, position + Int.random(in: 0...600, using: &random))
            parts.0.add(bytes[position..<end])
            parts.1.add(bytes[position..<end])
            position = end
        }
        #expect(whole == parts)
    }

    @Test func noSumOfAdler32Overflows() {
        let bytes = [UInt8](repeating: 255, count: 1 << 17)
        var adler = Adler32()
        for _ in 0..<3 { adler.add(bytes[...]) }
        var sums: (UInt32, UInt32) = (1, 0)
        for _ in 0..<3 { sums = adlerReference(bytes[...], to: sums) }
        #expect(adler.value == sums.1 << 16 | sums.0)
    }

    @Test func checkValuesOfTheStandardsHold() {
        var (adler, checksum) = (Adler32(), CRC32())
        let text = Array("123456789".utf8)
        adler.add(text[...])
        checksum.add(text[...])
        #expect(adler.value == 0x091E_01DE)
        #expect(checksum.value == 0xCBF4_3926)
    }

    // MARK: Tables

    /// Lengths of a code without gaps for some of `count` symbols.
    private func lengths(_ count: Int, _ random: inout SeededRandom, longest: Int = 15) -> [Int] {
        var tree = [0]
        let used = Int.random(in: 2...count, using: &random)
        let isDeep = Bool.random(using: &random)
        while tree.count < used {
            let candidates = tree.indices.filter { tree[$0] < longest }
            guard let any = candidates.randomElement(using: &random) else { break }
            let index = isDeep ? candidates[candidates.count - 1] : any
            tree[index] += 1
            tree.append(tree[index])
        }
        var lengths = [Int](repeating: 0, count: count)
        for (symbol, length) in zip((0..<count).shuffled(using: &random), tree) { lengths[symbol] = length }
        return lengths
    }

    /// A buffer of a table and lengths; the table comes first.
    private func table(_ lengths: [Int], rootBits: Int, _ symbols: [UInt32]) throws -> ([UInt32], PrefixCodeShape) {
        let tableCount = 8192
        var elements = try NumberBuffer<UInt32>(count: tableCount + lengths.count, meter: nil)
        let plan = PrefixTablePlan(
            lengths: tableCount..<tableCount + lengths.count, table: 0..<tableCount, rootBits: rootBits)
        let shape = elements.withMutableSpan { elements in
            for (index, length) in lengths.enumerated() { elements[tableCount + index] = UInt32(length) }
            return symbols.withSpan { InflateTableKernel.build(plan, in: &elements, symbols: $0) }
        }
        return (elements.withSpan { span in (0..<tableCount).map { span[$0] } }, shape)
    }

    private func entry(_ table: [UInt32], _ bits: Int, rootBits: Int) -> UInt32 {
        let entry = table[bits & (1 << rootBits - 1)]
        guard PrefixEntry.isSubTable(entry) else { return entry }
        let choice = bits >> rootBits & (1 << PrefixEntry.codeBits(entry) - 1)
        return table[PrefixEntry.value(entry) + choice]
    }

    @Test func tablesGiveTheSymbolsThatTheRulesGive() throws {
        var random = SeededRandom(seed: 3)
        for round in 0..<120 {
            let isLiteral = round % 2 == 0
            let rootBits = isLiteral ? InflateTables.literalLengthRootBits : InflateTables.distanceRootBits
            let symbols = isLiteral ? InflateSymbols.literalLength : InflateSymbols.distance
            let lengths = lengths(isLiteral ? 286 : 30, &random)
            let (table, shape) = try table(lengths, rootBits: rootBits, symbols)
            #expect(shape == .complete)
            for bits in stride(from: round % 61, to: 1 << 15, by: 61) {
                let expected = try #require(InflateTableKernelReference.symbol(bits, lengths: lengths))
                let wanted = symbols[expected.symbol] + 0x101 * UInt32(expected.length)
                #expect(entry(table, bits, rootBits: rootBits) == wanted)
            }
        }
    }

    @Test func lengthsThatMakeNoCodeAreToldApart() throws {
        let symbols = InflateSymbols.distance
        func shape(_ lengths: [Int]) throws -> PrefixCodeShape { try table(lengths, rootBits: 8, symbols).1 }
        #expect(try shape([0, 0, 0]) == .empty)
        #expect(try shape([0, 1, 0]) == .single)
        #expect(try shape([0, 2, 0]) == .incomplete)
        #expect(try shape([1, 2]) == .incomplete)
        #expect(try shape([1, 1, 1]) == .oversubscribed)
        #expect(try shape([1, 2, 2]) == .complete)
        let (single, _) = try table([0, 1, 0], rootBits: 8, symbols)
        for index in 0..<256 { #expect(PrefixEntry.isSpecial(single[index]) == (index % 2 == 1)) }
    }

    @Test func pairsAreTwoLiteralsOneAfterTheOther() throws {
        var random = SeededRandom(seed: 4)
        let rootBits = InflateTables.literalLengthRootBits
        for _ in 0..<60 {
            let lengths = lengths(286, &random, longest: rootBits + 1)
            let (table, _) = try table(lengths, rootBits: rootBits, InflateSymbols.literalLength)
            var paired = try NumberBuffer<UInt32>(count: table.count, meter: nil)
            let pairs = paired.withMutableSpan { elements in
                for index in table.indices { elements[index] = table[index] }
                InflateTableKernel.pairLiterals(0..<table.count, rootBits: rootBits, in: &elements)
                return (0..<table.count).map { elements[$0] }
            }
            for index in 0..<1 << rootBits {
                let first = table[index]
                let taken = PrefixEntry.usedBits(first)
                let second = table[index >> min(taken, rootBits)]
                let fits = taken + PrefixEntry.usedBits(second) <= rootBits
                guard PrefixEntry.isLiteral(first), PrefixEntry.isLiteral(second), fits else {
                    #expect(pairs[index] == first)
                    continue
                }
                #expect(PrefixEntry.literalCount(pairs[index]) == 2)
                #expect(PrefixEntry.usedBits(pairs[index]) == taken + PrefixEntry.usedBits(second))
                #expect(PrefixEntry.codeBits(pairs[index]) == taken)
                #expect(PrefixEntry.value(pairs[index]) == PrefixEntry.value(first) | PrefixEntry.value(second) << 8)
            }
        }
    }
}
