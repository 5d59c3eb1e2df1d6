import CodecTestSupport
import GIFCodec
import HostileFiles
import ImageCodecsCore
import Testing

/// The decoder with its moving window against strings as arrays.
@Suite struct LZWDecoderTests {
    private struct Outcome: Equatable {
        var indices: [UInt8]
        var ending: LZWDecoder.Ending?
        /// Whether it stopped because a frame has no more indices.
        var isWhole = false

        /// Says what differs, or nothing; an expectation would print all indices.
        func difference(from other: Outcome) -> String? {
            if isWhole, other.indices.starts(with: indices) { return nil }
            if self == other { return nil }
            let first = zip(indices, other.indices).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            return "\(indices.count) of \(other.indices.count) indices, other from \(first as Any), "
                + "\(ending as Any) instead of \(other.ending as Any)"
        }
    }

    /// Decodes `input` in pieces of random length.
    private func decoded(
        _ input: [UInt8], _ minimumCodeSize: Int, width: Int, height: Int = 65_535, pieces: DecisionSource? = nil
    ) throws -> Outcome {
        let meter = MemoryMeter()
        let size = PixelSize(width: width, height: height)
        var decoder = try LZWDecoder(minimumCodeSize: minimumCodeSize, size: size, meter: meter)
        var (indices, work, start, pieces) = ([UInt8](), WorkGuard.unlimited, 0, pieces)
        repeat {
            let end = pieces == nil ? input.count : min(input.count, start + 1 + (pieces?.below(300) ?? 0))
            let piece = Array(input[start..<end])
            try piece.withRawSpan { (bytes) throws(ImageError) in
                try decoder.decode(bytes, width: width, work: &work) { rows in
                    indices.append(rows)
                    return indices.count < width * height
                }
            }
            start = end
        } while start < input.count && decoder.ending == nil && indices.count < width * height
        let isWhole = indices.count >= width * height
        if !isWhole { decoder.withRest { indices.append($0) } }
        #expect(meter.peak <= LZWDecoder.byteCount(size))
        return Outcome(indices: indices, ending: decoder.ending, isWhole: isWhole)
    }

    private func expected(_ input: [UInt8], _ minimumCodeSize: Int) -> Outcome {
        let (indices, ending) = LZWKernelReference.decode(input, minimumCodeSize: minimumCodeSize)
        switch ending {
        case .inputUsed: return Outcome(indices: indices, ending: nil)
        case .ended: return Outcome(indices: indices, ending: .ended)
        case .invalidCode: return Outcome(indices: indices, ending: .invalidCode)
        }
    }

    /// The stream that the article "LZW" walks through; the indices are what Pillow 13 reads.
    @Test func theStreamOfTheArticleHasNinePixels() throws {
        let outcome = try decoded([0x8C, 0x2D, 0x58], 2, width: 3)
        #expect(outcome == Outcome(indices: [1, 1, 1, 1, 1, 2, 1, 1, 2], ending: .ended))
    }

    @Test(arguments: 1...8)
    func streamsOfEveryKindEqualTheReference(_ minimumCodeSize: Int) throws {
        for seed in 0..<60 as Range<UInt64> {
            var source = DecisionSource(seed: seed * 8 + UInt64(minimumCodeSize))
            let width = 1 + source.below(source.oneIn(4) ? 3000 : 90)
            let codes = LZWRecipe.codes(
                minimumCodeSize: minimumCodeSize, indexCount: source.below(60_000), &source)
            let expected = expected(codes, minimumCodeSize)
            let (whole, pieces) = (
                try decoded(codes, minimumCodeSize, width: width),
                try decoded(codes, minimumCodeSize, width: width, pieces: source)
            )
            #expect(whole.difference(from: expected) == nil, "seed \(seed)")
            #expect(pieces.difference(from: expected) == nil, "seed \(seed), pieces")
        }
    }

    @Test func framesOneAfterAnotherInTheSameMemoryEqualThoseInTheirOwn() throws {
        let meter = MemoryMeter()
        var source = DecisionSource(seed: 11)
        var (decoder, largest): (LZWDecoder?, Int) = (nil, 0)
        for number in 0..<120 {
            let (codeSize, width, height) = (1 + source.below(8), 1 + source.below(900), 1 + source.below(400))
            let size = PixelSize(width: width, height: height)
            let codes = LZWRecipe.codes(minimumCodeSize: codeSize, indexCount: source.below(width * height), &source)
            largest = max(largest, LZWDecoder.byteCount(size))
            if decoder == nil {
                decoder = try LZWDecoder(minimumCodeSize: codeSize, size: size, meter: meter)
            } else {
                try decoder?.restart(minimumCodeSize: codeSize, size: size)
            }
            // Half of the frames before another takes the memory are left in their middle.
            let used = source.oneIn(2) ? codes : Array(codes.prefix(codes.count / 2))
            var (indices, work) = ([UInt8](), WorkGuard.unlimited)
            try used.withRawSpan { (bytes) throws(ImageError) in
                try decoder?.decode(bytes, width: width, work: &work) { rows in
                    indices.append(rows)
                    return indices.count < width * height
                }
            }
            let isWhole = indices.count >= width * height
            if !isWhole { decoder?.withRest { indices.append($0) } }
            let outcome = Outcome(indices: indices, ending: decoder?.ending, isWhole: isWhole)
            #expect(outcome.difference(from: expected(used, codeSize)) == nil, "frame \(number)")
        }
        #expect(meter.peak <= largest)
    }

    @Test func aCopyKeepsItsFrameWhenAnotherBegins() throws {
        var source = DecisionSource(seed: 12)
        let size = PixelSize(width: 40, height: 40)
        let codes = LZWRecipe.codes(minimumCodeSize: 8, indexCount: 1500, &source)
        var first = try LZWDecoder(minimumCodeSize: 8, size: size, meter: nil)
        var (indices, work) = ([UInt8](), WorkGuard.unlimited)
        func decode(_ piece: ArraySlice<UInt8>, _ decoder: inout LZWDecoder) throws {
            try Array(piece).withRawSpan { (bytes) throws(ImageError) in
                try decoder.decode(bytes, width: 40, work: &work) { rows in
                    indices.append(rows)
                    return true
                }
            }
        }
        try decode(codes[..<(codes.count / 2)], &first)
        var second = first
        try second.restart(minimumCodeSize: 2, size: size)
        try first.makeUnique()
        try decode(codes[(codes.count / 2)...], &first)
        first.withRest { indices.append($0) }
        let outcome = Outcome(indices: indices, ending: first.ending)
        #expect(outcome.difference(from: expected(codes, 8)) == nil)
    }

    @Test func rowsOfLongStringsComeInShortRuns() throws {
        // Strings that grow by one index each: seven million indices in a few kilobytes.
        var (bits, bitCount, bytes) = (0, 0, [UInt8]())
        for code in [4, 0] + (6..<3800) {
            bits |= code << bitCount
            bitCount += max(3, (code < 6 ? 3 : code).bitWidth - code.leadingZeroBitCount)
            while bitCount >= 8 {
                bytes.append(UInt8(bits & 255))
                (bits, bitCount) = (bits >> 8, bitCount - 8)
            }
        }
        let size = PixelSize(width: 1000, height: 8000)
        var decoder = try LZWDecoder(minimumCodeSize: 2, size: size, meter: nil)
        let log = WorkLog()
        var options = DecodingOptions()
        options.workLog = log
        var (count, most, work) = (0, 0, WorkGuard(options))
        try bytes.withRawSpan { (input) throws(ImageError) in
            try decoder.decode(input, width: size.width, work: &work) { rows in
                (count, most) = (count + rows.byteCount, max(most, rows.byteCount))
                return true
            }
        }
        #expect(count > 7_000_000 && most <= 1 << 16)
        #expect(log.checkCount >= count >> 16)
    }

    @Test(arguments: 1...8)
    func noiseEqualsTheReference(_ minimumCodeSize: Int) throws {
        var random = SeededRandom(seed: UInt64(minimumCodeSize))
        for count in 0..<120 {
            // A clear code first, so that much of it is understood.
            let noise = [UInt8(truncatingIfNeeded: 1 << minimumCodeSize)] + random.bytes(count * 7)
            let outcome = try decoded(noise, minimumCodeSize, width: 31)
            #expect(outcome.difference(from: expected(noise, minimumCodeSize)) == nil)
        }
    }

    @Test func theWindowMovesOnUnderLongStrings() throws {
        // Each string one longer than the last, then the longest of them again and again: 8 MiB of strings have codes.
        for (width, repeats) in [(1, 40), (200, 200), (999, 400), (65_535, 900)] {
            var writer = PlainCodeWriter(minimumCodeSize: 2)
            writer.put(4)
            writer.put(1)
            for code in 6..<4096 { writer.put(code) }
            for step in 0..<repeats { writer.put(step % 7 == 3 ? 100 + step : 4095 - step % 3) }
            writer.put(4)
            for _ in 0..<300 { writer.put(2) }
            let codes = writer.finished
            #expect(try decoded(codes, 2, width: width).difference(from: expected(codes, 2)) == nil, "width \(width)")
        }
    }

    @Test func randomCodesOfAFullTableReachFarBack() throws {
        var random = SeededRandom(seed: 3)
        for width in [17, 4000] {
            var writer = PlainCodeWriter(minimumCodeSize: 8)
            writer.put(256)
            for _ in 0..<30_000 {
                writer.put(Int.random(in: 0..<4096, using: &random) % writer.nextCode)
            }
            let codes = writer.finished
            #expect(try decoded(codes, 8, width: width).difference(from: expected(codes, 8)) == nil)
        }
    }

    @Test func copiesAreCheckpoints() throws {
        var source = DecisionSource(seed: 9)
        source.isCalm = true
        let codes = LZWRecipe.codes(minimumCodeSize: 6, indexCount: 40_000, &source)
        let whole = expected(codes, 6)
        var decoder = try LZWDecoder(minimumCodeSize: 6, size: PixelSize(width: 50, height: 5000), meter: nil)
        func run(_ decoder: inout LZWDecoder, _ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
            var (indices, work) = ([UInt8](), WorkGuard.unlimited)
            try decoder.makeUnique()
            try Array(bytes).withRawSpan { (bytes) throws(ImageError) in
                try decoder.decode(bytes, width: 50, work: &work) { rows in
                    indices.append(rows)
                    return true
                }
            }
            return indices
        }
        let first = try run(&decoder, codes[..<(codes.count / 2)])
        var copy = decoder
        try copy.makeUnique()
        try decoder.makeUnique()
        _ = try? run(&copy, [UInt8](repeating: 0xA5, count: 999)[...])
        let second = try run(&decoder, codes[(codes.count / 2)...])
        var rest: [UInt8] = []
        decoder.withRest { rest.append($0) }
        let isSame = first + second + rest == whole.indices
        #expect(isSame)
    }

    @Test func nothingIsDecodedWhenNoMoreIsWanted() throws {
        var source = DecisionSource(seed: 2)
        source.isCalm = true
        let codes = LZWRecipe.codes(minimumCodeSize: 4, indexCount: 50_000, &source)
        var decoder = try LZWDecoder(minimumCodeSize: 4, size: PixelSize(width: 10, height: 10), meter: nil)
        var (work, calls) = (WorkGuard.unlimited, 0)
        try codes.withRawSpan { (bytes) throws(ImageError) in
            try decoder.decode(bytes, width: 10, work: &work) { _ in
                calls += 1
                return false
            }
        }
        #expect(calls == 1)
    }
}

/// Codes as bits, without any idea of what they mean.
private struct PlainCodeWriter {
    private var bits: [Bool] = []
    private let clear: Int
    private var codeSize: Int
    /// Strings that a decoder has; the first code after a clear code adds none.
    private(set) var nextCode: Int
    private var isFirst = true
    private let minimumCodeSize: Int

    init(minimumCodeSize: Int) {
        self.minimumCodeSize = minimumCodeSize
        clear = 1 << minimumCodeSize
        codeSize = minimumCodeSize + 1
        nextCode = clear + 2
    }

    mutating func put(_ code: Int) {
        let code = code == clear + 1 ? 0 : code
        for bit in 0..<codeSize { bits.append(code >> bit & 1 == 1) }
        if code == clear {
            (codeSize, nextCode, isFirst) = (minimumCodeSize + 1, clear + 2, true)
            return
        }
        if !isFirst, nextCode < 4096 { nextCode += 1 }
        isFirst = false
        if nextCode == 1 << codeSize, codeSize < 12 { codeSize += 1 }
    }

    var finished: [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { start + $1 < bits.count && bits[start + $1] ? $0 | 1 << UInt8($1) : $0 }
        }
    }
}
