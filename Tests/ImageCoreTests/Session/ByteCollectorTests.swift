import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct ByteCollectorTests {
    private func bytes(_ collector: ByteCollector) -> [UInt8] {
        var bytes: [UInt8] = []
        collector.withBytes { bytes.append($0) }
        return bytes
    }

    @Test(arguments: [1, 2, 7, 255, 256, 257, 1000, 4096])
    func growingStaysWithinItsPeak(_ pieceSize: Int) throws {
        var random = SeededRandom(seed: UInt64(pieceSize))
        let file = random.bytes(50_000)
        let meter = MemoryMeter()
        var collector = ByteCollector(meter: meter)
        var start = 0
        while start < file.count {
            let end = min(file.count, start + pieceSize)
            try collector.append(file.span.extracting(start..<end), work: .unlimited)
            start = end
            #expect(collector.count == end)
            #expect(meter.peak <= max(256, end + end / 2))
        }
        #expect(bytes(collector) == file)
    }

    @Test func nothingTakesNothing() throws {
        let meter = MemoryMeter()
        var collector = ByteCollector(meter: meter)
        try collector.append([UInt8]().span, work: .unlimited)
        try collector.removeFirst(0)
        collector.removeAll()
        #expect(meter.peak == 0)
        #expect(bytes(collector) == [])
    }

    @Test func whatTheMeterRefusesIsNotThere() throws {
        let meter = MemoryMeter(limit: 1000)
        var collector = ByteCollector(meter: meter)
        try collector.append([1, 2, 3].span, work: .unlimited)
        let long = [UInt8](repeating: 9, count: 2000)
        #expect(throws: ImageError.self) { try collector.append(long.span, work: .unlimited) }
        #expect(bytes(collector) == [1, 2, 3])
        #expect(meter.peak <= 1000)
        try collector.append([4].span, work: .unlimited)
        #expect(bytes(collector) == [1, 2, 3, 4])
    }

    @Test func copiesGoOnIndependently() throws {
        let meter = MemoryMeter()
        do {
            var original = ByteCollector(meter: meter)
            try original.append([1, 2, 3].span, work: .unlimited)
            var copy = original
            let held = meter.current
            try original.append([4].span, work: .unlimited)
            try copy.removeFirst(2)
            try copy.append([9].span, work: .unlimited)
            #expect(bytes(original) == [1, 2, 3, 4])
            #expect(bytes(copy) == [3, 9])
            #expect(meter.current == 2 * held)
        }
        #expect(meter.current == 0)
    }

    @Test func bytesLeaveFromTheFront() throws {
        var collector = ByteCollector(meter: nil)
        let numbers = (0..<200).map { UInt8($0) }
        try collector.append(numbers.span, work: .unlimited)
        try collector.removeFirst(150)
        #expect(bytes(collector) == Array(numbers[150...]))
        try collector.removeFirst(50)
        #expect(collector.count == 0)
    }

    @Test func aLargeBlockIsGivenBackWhenItIsEmpty() throws {
        let meter = MemoryMeter()
        var collector = ByteCollector(meter: meter)
        try collector.append([UInt8](repeating: 1, count: 10_000).span, work: .unlimited)
        collector.removeAll()
        #expect(meter.current == 0)
        // A small one is kept for what comes next.
        try collector.append([1].span, work: .unlimited)
        let held = meter.current
        collector.removeAll()
        #expect(meter.current == held)
    }
}
