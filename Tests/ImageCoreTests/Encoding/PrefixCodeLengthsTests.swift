import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct PrefixCodeLengthsTests {
    private func lengths(
        _ counts: [UInt32], limit: Int, floor: UInt32 = 1, keepsPlace: Bool = false
    ) -> [UInt8] {
        var make = PrefixCodeLengths()
        var lengths = [UInt8](repeating: 99, count: counts.count)
        make.make(counts, limit: limit, floor: floor, keepsPlace: keepsPlace, into: &lengths)
        return lengths
    }

    /// Of 2^limit codes of the full length, how many a code uses up.
    private func used(_ lengths: [UInt8], limit: Int) -> Int {
        lengths.reduce(0) { $0 + ($1 == 0 ? 0 : 1 << (limit - Int($1))) }
    }

    private func cost(_ counts: [UInt32], _ lengths: [UInt8]) -> Int {
        zip(counts, lengths).reduce(0) { $0 + Int($1.0) * Int($1.1) }
    }

    /// The cost of the best code, by trying how many symbols get each length from the most frequent on.
    private func bestCost(_ counts: [UInt32], limit: Int) -> Int {
        let sorted = counts.filter { $0 > 0 }.sorted(by: >).map(Int.init)
        var best = Int.max
        func place(_ index: Int, _ length: Int, _ room: Int, _ cost: Int) {
            guard cost < best else { return }
            guard index < sorted.count else { return best = cost }
            guard length <= limit, room << (limit - length) >= sorted.count - index else { return }
            // Symbols that get this length, and then the longer ones.
            for count in 0...min(room, sorted.count - index) {
                let sum = sorted[index..<index + count].reduce(0, +)
                place(index + count, length + 1, 2 * (room - count), cost + sum * length)
            }
        }
        place(0, 1, 2, 0)
        return best
    }

    @Test func codesAreCompleteAndWithinTheLimit() {
        var random = SeededRandom(seed: 1)
        for round in 0..<400 {
            let count = 2 + Int(random.next() % 284)
            let counts = (0..<count).map { _ -> UInt32 in
                switch round % 4 {
                case 0: UInt32(random.next() % 3)
                case 1: UInt32(1) << UInt32(random.next() % 24)
                case 2: UInt32(random.next() % 100_000)
                default: random.next() % 20 == 0 ? UInt32(random.next() % 9) : 0
                }
            }
            for limit in [9, 15] {
                let lengths = lengths(counts, limit: limit)
                #expect(lengths.allSatisfy { $0 <= limit } && used(lengths, limit: limit) == 1 << limit)
                #expect(zip(counts, lengths).allSatisfy { $0 == 0 || $1 > 0 })
            }
        }
    }

    @Test func codesCostTheLeastWithinTheirLimit() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<150 {
            let counts = (0..<2 + Int(random.next() % 7)).map { _ in
                1 + UInt32(random.next() % 60) << (random.next() % 8)
            }
            for limit in [3, 4, 7] where counts.count <= 1 << limit {
                #expect(cost(counts, lengths(counts, limit: limit)) == bestCost(counts, limit: limit))
            }
        }
    }

    @Test func countsLikeFibonacciNumbersStayWithinTheLimit() {
        var counts: [UInt32] = [1, 1]
        while counts.count < 40 { counts.append(counts[counts.count - 1] + counts[counts.count - 2]) }
        let lengths = lengths(counts, limit: 15)
        #expect(lengths.max() == 15 && used(lengths, limit: 15) == 1 << 15)
    }

    @Test func fewerThanTwoSymbolsGetCompany() {
        #expect(lengths([0, 0, 0], limit: 15) == [1, 1, 0])
        #expect(lengths([0, 0, 5], limit: 15) == [1, 0, 1])
        #expect(lengths([7, 0, 0], limit: 7) == [1, 1, 0])
    }

    /// The place is one of the longest codes, also if the limit is met.
    @Test func aPlaceIsLeftIfThatIsAskedFor() {
        var random = SeededRandom(seed: 3)
        var steep: [UInt32] = [1, 1]
        while steep.count < 40 { steep.append(steep[steep.count - 1] + steep[steep.count - 2]) }
        let some = (0..<100).map { _ in
            (0..<1 + Int(random.next() % 40)).map { _ in UInt32(random.next() % 50) }
        }
        for counts in some + [steep, [9], Array(repeating: 7, count: 255)] where counts.contains(where: { $0 > 0 }) {
            let lengths = lengths(counts, limit: 16, keepsPlace: true)
            #expect(zip(counts, lengths).allSatisfy { ($0 > 0) == ($1 > 0) })
            let longest = Int(lengths.max() ?? 0)
            #expect(used(lengths, limit: 16) == 1 << 16 - 1 << (16 - longest))
        }
    }

    @Test func codesAreTheStandardsExample() {
        // RFC 1951 section 3.2.2: lengths (3, 3, 3, 3, 3, 2, 4, 4) give 010, 011, 100, 101, 110, 00, 1110, 1111.
        let lengths: [UInt8] = [3, 3, 3, 3, 3, 2, 4, 4]
        var codes = [UInt32](repeating: 0, count: 8)
        CanonicalCodes.make(lengths, into: &codes)
        let reversed: [UInt32] = [0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111]
        #expect(codes == zip(reversed, lengths).map { $0 | UInt32($1) << 24 })
    }
}
