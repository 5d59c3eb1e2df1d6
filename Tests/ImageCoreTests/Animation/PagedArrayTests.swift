import ImageCodecsCore
import Testing

@Suite struct PagedArrayTests {
    @Test func elementsComeBackInOrder() throws {
        var array = PagedArray<Int>()
        for number in 0..<1000 { try array.append(number * 3, meter: nil) }
        #expect(array.count == 1000)
        #expect((0..<1000).allSatisfy { array[$0] == $0 * 3 })
    }

    @Test func copiesGoOnIndependently() throws {
        var array = PagedArray<Int>()
        var copies: [PagedArray<Int>] = []
        for number in 0..<200 {
            copies.append(array)
            try array.append(number, meter: nil)
        }
        for (count, copy) in copies.enumerated() {
            #expect(copy.count == count)
            #expect((0..<count).allSatisfy { copy[$0] == $0 })
        }
        var other = copies[70]
        try other.append(-1, meter: nil)
        #expect((other.count, other[70], array[70]) == (71, -1, 70))
    }

    @Test func pagesAreCountedAndGivenBack() throws {
        let meter = MemoryMeter()
        do {
            var array = PagedArray<UInt64>()
            for number in 0..<500 {
                try array.append(UInt64(number), elementByteCount: 10, meter: meter)
                #expect(meter.current >= array.count * 18)
                #expect(meter.peak <= PagedArray<UInt64>.byteCount(array.count, elementByteCount: 10))
            }
        }
        #expect(meter.current == 0)
    }

    @Test func withoutMemoryNothingIsAppended() throws {
        var array = PagedArray<UInt64>()
        let meter = MemoryMeter(limit: PagedArray<UInt64>.byteCount(0))
        var refused = 0
        for number in 0..<300 {
            do { try array.append(UInt64(number), meter: meter) } catch { refused += 1 }
        }
        #expect(refused > 0)
        #expect(array.count + refused == 300)
        #expect((0..<array.count).allSatisfy { array[$0] == UInt64($0) })
    }

    @Test func sizesSaturate() {
        #expect(PagedArray<Int>.byteCount(.max, elementByteCount: 1 << 40) == .max)
    }
}
