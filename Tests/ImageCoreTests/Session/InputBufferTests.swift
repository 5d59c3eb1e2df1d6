import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct InputBufferTests {
    private static let damage = ImageError.corrupt(.png, DamageCode(rawValue: "test.x"), offset: 3, reason: "test")

    /// Feeds pieces to a consumer that takes whole units of `unit` bytes, and answers what it took.
    private func consumed(_ bytes: [UInt8], unit: Int, pieces: [Int]) throws -> [UInt8] {
        var buffer = InputBuffer()
        var taken: [UInt8] = []
        var start = 0
        for piece in pieces {
            let end = min(bytes.count, start + piece)
            try buffer.feed(bytes.span.extracting(start..<end), work: .unlimited) {
                span, offset, _ throws(ImageError) in
                #expect(offset == taken.count)
                let count = span.count / unit * unit
                for index in 0..<count { taken.append(span[index]) }
                return count
            }
            start = end
            #expect(buffer.consumedCount == taken.count)
            #expect(buffer.totalCount == end)
            #expect(buffer.pendingCount == end - taken.count)
        }
        return taken
    }

    @Test(arguments: [1, 2, 7, 64, 1000])
    func everyByteComesOnceAndInOrder(unit: Int) throws {
        var random = SeededRandom(seed: UInt64(unit))
        let bytes = random.bytes(5000)
        for pieces in [[5000], Array(repeating: 1, count: 5000), (0..<200).map { $0 % 67 }] {
            let end = min(5000, pieces.reduce(0, +))
            #expect(try consumed(bytes, unit: unit, pieces: pieces) == Array(bytes[..<(end / unit * unit)]))
        }
    }

    @Test func aConsumerThatThrowsLosesNothingOfTheOffsets() {
        var buffer = InputBuffer()
        #expect(throws: Self.damage) {
            try buffer.feed([1, 2, 3].span, work: .unlimited) { _, _, _ throws(ImageError) in throw Self.damage }
        }
        #expect(buffer.consumedCount == 0)
    }

    @Test func copiesGoOnIndependently() throws {
        var original = InputBuffer()
        try original.feed([1, 2, 3].span, work: .unlimited) { _, _, _ throws(ImageError) in 1 }
        var copy = original
        try original.feed([4].span, work: .unlimited) { span, _, _ throws(ImageError) in span.count }
        try copy.feed([9].span, work: .unlimited) { span, offset, _ throws(ImageError) in
            let seen = Array(span)
            #expect(seen == [2, 3, 9])
            #expect(offset == 1)
            return 0
        }
        #expect(original.pendingCount == 0)
        #expect(copy.pendingCount == 3)
    }

    @Test func aLongUnitFedByBytesIsOnlyLookedAtOncePerByte() throws {
        var buffer = InputBuffer()
        var calls = 0
        for _ in 0..<200_000 {
            try buffer.feed([7].span, work: .unlimited) { span, _, _ throws(ImageError) in
                calls += 1
                return span.count == 150_000 ? span.count : 0
            }
        }
        #expect(calls == 200_000)
        #expect(buffer.consumedCount == 150_000)
        #expect(buffer.pendingCount == 50_000)
    }

    @Test func aLargePieceBehindASmallRestIsNotCopied() throws {
        let meter = MemoryMeter()
        var buffer = InputBuffer(meter: meter)
        let unit = 8
        var taken = 0
        func consume(_ piece: [UInt8]) throws {
            try buffer.feed(piece.span, work: .unlimited) { span, _, _ throws(ImageError) in
                let count = span.count / unit * unit
                taken += count
                return count
            }
        }
        try consume([1, 2, 3])
        try consume([UInt8](repeating: 0, count: 1_000_000))
        try consume([1, 2])
        #expect(taken == 1_000_000)
        #expect(buffer.pendingCount == 5)
        // Twice 512 bytes of top-up and two elements, half as much again and a bit: whatever the size of the piece.
        #expect(meter.peak <= (2 * 8 + 1024) * 3 / 2 + 256)
    }

    @Test(arguments: [1, 63, 64, 1000, 5000], [1, 7, 100, 4096, 40_000])
    func whatIsKeptStaysBelowItsPeak(_ unit: Int, _ pieceSize: Int) throws {
        let meter = MemoryMeter()
        var buffer = InputBuffer(meter: meter)
        let file = [UInt8](repeating: 3, count: 40_000)
        var calls = 0
        var pieces = 0
        for start in stride(from: 0, to: file.count, by: pieceSize) {
            pieces += 1
            try buffer.feed(file.span.extracting(start..<min(file.count, start + pieceSize)), work: .unlimited) {
                span, _, _ throws(ImageError) in
                calls += 1
                return span.count / unit * unit
            }
        }
        #expect(buffer.consumedCount == file.count / unit * unit)
        #expect(meter.peak <= min(2 * unit + 1024, file.count) * 3 / 2 + 256)
        // A rest doubles with each call, so a piece takes no more calls than a unit has bits, and the last.
        #expect(calls <= pieces * (unit.bitWidth - unit.leadingZeroBitCount + 2))
    }

    @Test func onlyTheLastCallHasAll() throws {
        var buffer = InputBuffer()
        var flags: [Bool] = []
        for piece in [3, 5000, 1, 0, 600] {
            flags = []
            try buffer.feed([UInt8](repeating: 0, count: piece).span, work: .unlimited) {
                span, offset, isAll throws(ImageError) in
                flags.append(isAll)
                return span.count / 7 * 7
            }
            #expect(!flags.isEmpty)
            #expect(flags.dropLast().allSatisfy { !$0 } && flags.last == true)
        }
    }

    @Test func aRestThatTheMeterRefusesIsAnError() {
        var buffer = InputBuffer(meter: MemoryMeter(limit: 1000))
        #expect(throws: ImageError.self) {
            try buffer.feed([UInt8](repeating: 0, count: 2000).span, work: .unlimited) { _, _, _ throws(ImageError) in 0
            }
        }
    }
}
