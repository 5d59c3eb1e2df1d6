import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// What small bitstreams may cost.
@Suite struct VP8LMemoryTests {
    /// A picture whose one block calls for the last of `count` groups.
    private func groupBomb(_ count: Int, write: (inout VP8LWriter) -> Void) -> [UInt8] {
        var writer = VP8LWriter()
        writer.writeHeader(width: 4, height: 4)
        writer.write(0, 2)
        writer.write(1, 1)
        writer.write(0, 3)
        // The entropy image: one pixel, whose red and green are the number.
        writer.write(0, 1)
        writer.writeConstantGroup(red: (count - 1) >> 8, green: (count - 1) & 255)
        for _ in 0..<count { write(&writer) }
        return writer.bytes
    }

    @Test func groupsThatNoBlockUsesAreNotKept() {
        let file = groupBomb(65_536) { $0.writeConstantGroup(green: 9) }
        let decoded = DecodedVP8L(file)
        #expect(decoded.stream.isComplete)
        #expect(decoded.stream.imageInfo.declaredPrefixCodeGroupCount == 65_536)
        #expect(decoded.stream.imageInfo.prefixCodeGroupCount == 1)
        #expect(decoded.peak < 200_000)
    }

    @Test func groupsThatNoBlockUsesAreValidated() {
        var index = 0
        let file = groupBomb(40) { writer in
            index += 1
            guard index == 20 else { return writer.writeConstantGroup() }
            writer.writeNormal(Array(repeating: 9, count: 280))
        }
        #expect(DecodedVP8L(file).error?.damageCode == .vp8lPrefixCodeIncomplete)
    }

    /// Codes that are short in the bitstream for what their tables take.
    enum CheapCode: CaseIterable {
        /// One symbol in four bits.
        case single
        /// 2048 symbols of 11 bits each in green, 256 of 8 in the others, 66 bits and 42.
        case flat
        /// 16 symbols of 4 bits in one channel, two in the others: all pixels take seven bits, and 74 bits stand for a table of
        /// whole pixels of 1 KB.
        case packed
        /// Runs of 8, which need not be said, and of 4: 59 bits.
        case sparse
        /// Runs of 4, 8, 12 and 15: 112 bits for a root of 256 entries and a sub-table of 128.
        case deep

        func write(_ writer: inout VP8LWriter) {
            switch self {
            case .single: for symbol in [0, 0, 0, 0, 0] { writer.writeSimple([symbol]) }
            case .flat:
                writer.writeFlat(11)
                for _ in 0..<3 { writer.writeFlat(8) }
                writer.writeFlat(5)
            case .packed:
                writer.writeFlat(4)
                for _ in 0..<3 { writer.writeSimple([0, 1]) }
                writer.writeSimple([0])
            case .sparse: for _ in 0..<5 { writer.writeRuns([8: 16, 4: 15]) }
            case .deep:
                for _ in 0..<4 { writer.writeRuns([8: 15, 4: 15, 12: 15, 15: 8]) }
                writer.writeRuns([8: 16, 4: 15])
            }
        }

        /// Bytes that are held for each byte that codes groups.
        var ratio: ClosedRange<Double> {
            switch self {
            case .single: 25...35
            case .flat: 1...4
            case .packed: 60...120
            case .sparse: 5...40
            case .deep: 60...120
            }
        }
    }

    /// 4096 blocks of 32x32 pixels, enough for a table of whole pixels, each with a group of its own.
    @Test(arguments: CheapCode.allCases)
    func tablesAreBoundedByTheBytesThatCodeThem(_ code: CheapCode) {
        let size = PixelSize(width: 2048, height: 2048)
        func file(groupCount: Int) -> (bytes: [UInt8], codedByteCount: Int) {
            var writer = VP8LWriter()
            writer.writeHeader(width: size.width, height: size.height)
            writer.write(0, 1)
            // A color cache of eleven bits makes the largest alphabet.
            writer.write(1, 1)
            writer.write(11, 4)
            writer.write(1, 1)
            writer.write(3, 3)
            // The entropy image.
            writer.write(0, 1)
            writer.writeNormal(Array(repeating: 8, count: 256) + Array(repeating: 0, count: 24))
            writer.writeNormal(Array(repeating: 8, count: 256))
            for _ in 0..<3 { writer.writeSimple([0]) }
            for block in 0..<4096 {
                writer.write((block % groupCount) & 255, WrittenCode.bytes)
                writer.write((block % groupCount) >> 8, WrittenCode.bytes)
            }
            let start = writer.position
            for _ in 0..<groupCount { code.write(&writer) }
            return (writer.bytes, (writer.position - start) / 8)
        }
        let (one, all) = (file(groupCount: 1), file(groupCount: 4096))
        let (first, decoded) = (DecodedVP8L(one.bytes, extent: .headers), DecodedVP8L(all.bytes, extent: .headers))
        #expect(decoded.stream.isComplete && decoded.stream.imageInfo.prefixCodeGroupCount == 4096)
        #expect(decoded.isWithinEstimate(all.bytes, size: size))
        let ratio = Double(decoded.peak - first.peak) / Double(all.codedByteCount - one.codedByteCount)
        #expect(code.ratio.contains(ratio), "\(code): \(ratio)")
    }

    @Test func onlyTheMeterRefusesTables() {
        // The same groups, with a limit.
        var writer = VP8LWriter()
        writer.writeHeader(width: 4, height: 4)
        writer.write(0, 3)
        CheapCode.deep.write(&writer)
        let file = writer.bytes
        let peak = DecodedVP8L(file, extent: .headers).peak
        #expect(DecodedVP8L(file, extent: .headers, memoryLimit: peak).error == nil)
        #expect(DecodedVP8L(file, extent: .headers, memoryLimit: peak - 1).error?.code == "limitExceeded")
    }

    @Test func theEstimateIsNoMoreThanAFewBytesAPixel() {
        func estimate(_ width: Int, _ height: Int) -> Int {
            VP8LStream.estimatedByteCount(.picture, size: PixelSize(width: width, height: height))
        }
        #expect(estimate(1, 1) < 150_000)
        #expect(estimate(1000, 1000) < 5 * 1000 * 1000)
        // Of a large picture a window is held, and transforms of up to 11 bytes for 16 pixels.
        #expect(estimate(4000, 3000) < 14_500_000)
        #expect(estimate(16_384, 6713) < 80_000_000)
        #expect(estimate(1 << 30, 1 << 30) == .max)
    }

    @Test func timeIsLimited() {
        // A picture of 2^28 pixels that take no bits.
        var writer = VP8LWriter()
        writer.writeHeader(width: 16_384, height: 16_384)
        writer.write(0, 3)
        writer.writeConstantGroup()
        var limits = DecodingLimits.unlimited
        limits.maxTime = .milliseconds(20)
        var work = WorkGuard(limits: limits)
        work.begin()
        let decoded = DecodedVP8L(writer.bytes, work: work)
        #expect(decoded.error?.code == "limitExceeded")
        #expect(decoded.stream.rowCount < 16_384)
    }

    @Test func headersAreToldBeforeAnythingIsAllocated() throws {
        var writer = VP8LWriter()
        writer.writeHeader(width: 16_384, height: 16_384)
        writer.write(0, 3)
        writer.writeConstantGroup()
        let meter = MemoryMeter()
        var stream = VP8LStream(.picture, meter: meter)
        var work = WorkGuard.unlimited
        let file = writer.bytes
        let used = try stream.consume(file.span, offset: 0, isFinal: true, work: &work) { _, _ in }
        #expect(used == 5 && meter.peak == 0)
        #expect(stream.header?.size == PixelSize(width: 16_384, height: 16_384))
    }
}

extension WrittenCode {
    /// Eight bits for each of 256 symbols.
    fileprivate static let bytes = WrittenCode(Array(repeating: 8, count: 256))
}

extension VP8LWriter {
    /// Writes a code of the first 2^n symbols with n bits each: lengths that are all alike take no bits.
    fileprivate mutating func writeFlat(_ bitCount: Int) {
        write(0, 1)
        writeShortCodeLengthCode((0..<19).map { $0 == bitCount ? 1 : 0 })
        writeCodeCount(1 << bitCount)
    }

    /// Writes a code of symbols with lengths that come in runs.
    ///
    /// - Parameter counts: how many symbols have each length; those of 8 bits come first.
    fileprivate mutating func writeRuns(_ counts: [Int: Int]) {
        // 16 repeats the last length; at first that is 8.
        var tokens: [(symbol: Int, extra: Int)] = []
        for length in counts.keys.sorted(by: { ($0 == 8 ? 0 : $0) < ($1 == 8 ? 0 : $1) }) {
            var left = counts[length] ?? 0
            if length != 8 {
                tokens.append((length, 0))
                left -= 1
            }
            while left > 0 {
                // No run of one or two is left.
                let run = left <= 6 ? left : left - 6 < 3 ? left - 3 : 6
                tokens.append((16, run - 3))
                left -= run
            }
        }
        var lengths = Array(repeating: 0, count: 19)
        let others = Set(tokens.map(\.symbol)).subtracting([16]).sorted()
        lengths[16] = 1
        for (place, symbol) in others.enumerated() { lengths[symbol] = max(1, min(place + 2, others.count)) }
        write(0, 1)
        writeShortCodeLengthCode(lengths)
        writeCodeCount(tokens.count)
        let code = WrittenCode(lengths)
        for token in tokens {
            write(token.symbol, code)
            if token.symbol == 16 { write(token.extra, 2) }
        }
    }

    /// Writes how many codes of lengths follow, in as few bits as there can be.
    private mutating func writeCodeCount(_ count: Int) {
        var bits = 2
        while (count - 2) >> bits > 0 { bits += 2 }
        write(1, 1)
        write((bits - 2) / 2, 3)
        write(count - 2, bits)
    }
}
