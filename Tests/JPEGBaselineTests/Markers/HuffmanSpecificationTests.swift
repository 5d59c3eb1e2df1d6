import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct HuffmanSpecificationTests {
    /// A table with so many codes of each length, the first of them of one bit.
    private func table(_ counts: [UInt8]) -> HuffmanSpecification {
        let all = counts + Array(repeating: 0, count: 16 - counts.count)
        return HuffmanSpecification(
            counts: all, symbols: (0..<all.reduce(0) { $0 + Int($1) }).map { UInt8(truncatingIfNeeded: $0) })
    }

    /// Kraft's inequality: the shares of the code space add up to no more than all of it.
    private func fits(_ counts: [UInt8]) -> Bool {
        counts.enumerated().reduce(0) { $0 + Int($1.element) << (15 - $1.offset) } <= 1 << 16
    }

    @Test func theTablesOfTheStandardAreCodes() {
        for table in StandardTables.dc + StandardTables.ac { #expect(table.isPrefixCode) }
    }

    @Test func anEmptyTableIsACode() {
        #expect(table([]).isPrefixCode)
    }

    /// One code of each length up to `length - 1`, and two of that: 0, 10, 110, ... and all ones.
    @Test(arguments: 1...16)
    func aCompleteCodeHasRoomForNoMore(_ length: Int) {
        let complete = Array(repeating: UInt8(1), count: length - 1) + [2]
        #expect(table(complete).isPrefixCode)
        var overfull = complete
        overfull[length - 1] += 1
        #expect(!table(overfull).isPrefixCode)
        // A single further code of any longer length is too many.
        for longer in length..<16 {
            var counts = complete + Array(repeating: 0, count: 16 - length)
            counts[longer] = 1
            #expect(!table(counts).isPrefixCode)
        }
    }

    @Test(arguments: 1...7)
    func allCodesOfOneLengthAreACompleteCode(_ length: Int) {
        let codes = Array(repeating: UInt8(0), count: length - 1) + [UInt8(1 << length)]
        #expect(table(codes).isPrefixCode)
        var overfull = codes
        overfull[length - 1] += 1
        #expect(!table(overfull).isPrefixCode)
    }

    @Test func countsThatAddUpLaterAreRefusedWhereTheyOverflow() {
        // Three codes of one bit leave less than nothing, however few follow.
        #expect(!table([3]).isPrefixCode)
        #expect(!table([2, 1]).isPrefixCode)
        #expect(!table([0, 5]).isPrefixCode)
        #expect(!table([1, 1, 3]).isPrefixCode)
        #expect(table([1, 1, 2]).isPrefixCode)
    }

    @Test func itIsKraftsInequality() {
        // Every choice of up to three codes of each length up to six.
        var counts: [UInt8] = [0, 0, 0, 0, 0, 0]
        for number in 0..<1 << 12 {
            for place in counts.indices { counts[place] = UInt8(number >> (2 * place) & 3) }
            #expect(table(counts).isPrefixCode == fits(counts))
        }
    }

    @Test func overfullTablesAreRefusedForEveryUse() {
        for use in [HuffmanTable.Use.dc, .sequentialAC, .progressiveAC, .symbols] {
            #expect(throws: ImageError.self) { try HuffmanTable(table([1, 1, 3]), use: use, offset: 0) }
            #expect(throws: Never.self) { try HuffmanTable(table([1, 1, 2]), use: use, offset: 0) }
        }
    }
}
