import CodecTestSupport
import ImageCaching
import Testing

@Suite struct SlotTableTests {
    /// Few different hashes, so that entries share places, move up, and go round the end of the table.
    @Test(arguments: [1, 7, 60, 5000])
    func whateverTheOrderSlotsAreFoundUnderTheirHashesUntilTheyAreRemoved(_ hashCount: Int) {
        var random = SeededRandom(seed: UInt64(hashCount))
        let hashes = (0..<hashCount).map { _ in Int(truncatingIfNeeded: random.next()) | 13 }
        var (table, known) = (SlotTable(), [Int32: Int]())
        for step in 0..<4000 {
            let slot = Int32.random(in: 0..<300, using: &random)
            if let hash = known[slot] {
                #expect(table.find(hash) { $0 == slot } == slot)
                table.remove(slot, hash)
                known[slot] = nil
                #expect(table.find(hash) { $0 == slot } == nil)
            } else {
                let hash = hashes[Int.random(in: 0..<hashCount, using: &random)]
                table.insert(slot, hash)
                known[slot] = hash
            }
            #expect(table.count == known.count)
            guard step % 100 == 0 else { continue }
            for (slot, hash) in known { #expect(table.find(hash) { $0 == slot } == slot) }
        }
    }
}
