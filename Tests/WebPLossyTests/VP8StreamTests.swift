import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLossyCodec

@Suite struct VP8StreamTests {
    @Test(arguments: LossyFixture.all)
    func pixelsAndSamplesEqualLibwebp(_ fixture: LossyFixture) {
        let outcome = LossyOutcome(fixture.payload, keepsSamples: true)
        #expect(outcome.error == nil && outcome.isComplete && outcome.rowCount == fixture.height)
        #expect(outcome.crc == fixture.crc)
        #expect(outcome.planes.map { PixelDigest.crc32($0) } == fixture.planeCRCs)
    }

    @Test(arguments: LossyFixture.all)
    func picturesAreTheSameHoweverTheFrameIsCut(_ fixture: LossyFixture) {
        for piece in [1, 7, 333] {
            #expect(LossyOutcome(fixture.payload, piece: piece).crc == fixture.crc, "pieces of \(piece)")
        }
        #expect(LossyOutcome(fixture.payload, piece: 5, copies: true).crc == fixture.crc, "checkpoints")
    }

    @Test(arguments: LossyFixture.all)
    func theFirstPartitionIsReadWhereItIsWhenTheRestComesAtOnce(_ fixture: LossyFixture) {
        // After the header, and behind a call with nothing; after a byte of it it is collected.
        for cuts in [[10], [10, 10], [11], [10, 11]] {
            let meter = MemoryMeter()
            var (stream, work, start) = (VP8Stream(meter: meter), WorkGuard.unlimited, 0)
            var rgba: [UInt8] = []
            for end in cuts + [fixture.payload.count, fixture.payload.count] {
                start += fixture.payload.withSpan { bytes in
                    let used = try? stream.consume(
                        bytes.extracting(start..<end), offset: start, isFinal: false, byteCount: bytes.count,
                        work: &work
                    ) { row, _ in
                        for x in 0..<row.byteCount / 4 { rgba += [2, 1, 0, 3].map { row.byte(at: 4 * x + $0) } }
                    }
                    return used ?? 0
                }
            }
            #expect(stream.isComplete && PixelDigest.crc32(rgba) == fixture.crc, "\(cuts)")
        }
    }

    @Test(arguments: LossyFixture.all.filter { $0.payload.count < 3000 })
    func everyPrefixGivesTheFirstRowsOfThePicture(_ fixture: LossyFixture) {
        let whole = LossyOutcome(fixture.payload).rgba
        var rowCount = 0
        for count in stride(from: 0, to: fixture.payload.count, by: 3) {
            let cut = LossyOutcome(Array(fixture.payload[..<count]), byteCount: fixture.payload.count)
            #expect(cut.error == nil)
            // What an encoder writes after the last bool may be missing.
            #expect(cut.isComplete == (cut.rgba.count == whole.count))
            #expect(cut.rgba.elementsEqual(whole[..<cut.rgba.count]))
            #expect(cut.rowCount >= rowCount)
            rowCount = cut.rowCount
        }
    }

    @Test func rowsComeAsFarAsTheLoopFilterAllows() throws {
        // A normal filter holds eight lines back, and upsampling one: 16 * n - 9 rows after n rows of macroblocks.
        let fixture = try LossyFixture.named("normal-filter")
        var counts: Set<Int> = []
        for count in 0..<fixture.payload.count {
            counts.insert(LossyOutcome(Array(fixture.payload[..<count]), byteCount: fixture.payload.count).rowCount)
        }
        #expect(counts.subtracting([0, 7, 23, 39, 52]) == [])
        #expect(counts.contains(7) && counts.contains(23))
    }

    @Test func damagedFramesSayWhatIsWrong() throws {
        let payload = try LossyFixture.named("two-partitions").payload
        func code(_ change: (inout [UInt8]) -> Void) -> DamageCode? {
            var bytes = payload
            change(&bytes)
            return LossyOutcome(bytes).error?.damageCode
        }
        #expect(code { $0[0] |= 1 } == .vp8FrameTag)
        #expect(code { $0[0] |= 0b1000 } == .vp8FrameTag)
        #expect(code { $0[3] = 0 } == .vp8StartCode)
        #expect(code { ($0[6], $0[7]) = (0, 0) } == .vp8FrameSize)
        #expect(code { $0[2] = 0xFF } == .vp8FirstPartition)
        // The first token partition claims all there is.
        let first = Int(payload[0]) >> 5 | Int(payload[1]) << 3 | Int(payload[2]) << 11
        #expect(code { ($0[10 + first], $0[11 + first], $0[12 + first]) = (255, 255, 255) } == .vp8Partitions)
        #expect(code { ($0[10 + first], $0[11 + first], $0[12 + first]) = (9, 0, 0) } == .vp8TokensShort)
    }

    @Test func noiseIsDecodedAlikeHoweverItIsCut() {
        var random = SeededRandom(seed: 8)
        for fixture in LossyFixture.all where fixture.payload.count < 4000 {
            for _ in 0..<8 {
                var bytes = fixture.payload
                for _ in 0..<3 {
                    bytes[10 + Int(random.next() % UInt64(bytes.count - 10))] = UInt8(truncatingIfNeeded: random.next())
                }
                let whole = LossyOutcome(bytes)
                let pieces = LossyOutcome(bytes, piece: 11)
                #expect(whole.rgba == pieces.rgba && whole.error?.damageCode == pieces.error?.damageCode)
            }
        }
    }

    @Test func theDecoderForStudyGivesPictureAndPlanes() throws {
        let fixture = try LossyFixture.named("odd-sides")
        var decoder = VP8Decoder(keepsPlanes: true)
        for byte in fixture.payload { try [byte].withSpan { (bytes) throws(ImageError) in try decoder.append(bytes) } }
        try decoder.finish()
        #expect(decoder.header?.size == PixelSize(width: fixture.width, height: fixture.height))
        #expect(try PixelDigest.crc32(of: decoder.picture) == fixture.crc)
        #expect(try decoder.planes().map { PixelDigest.crc32($0.packedBytes()) } == fixture.planeCRCs)
        #expect(decoder.frameInfo?.partitionCount == 1)
    }

    private func frame(_ width: UInt16, _ height: UInt16, firstPartition: [UInt8], tokens: [UInt8]) -> [UInt8] {
        let tag = firstPartition.count << 5 | 1 << 4
        var bytes = [tag & 255, tag >> 8 & 255, tag >> 16, 0x9D, 0x01, 0x2A].map { UInt8($0) }
        for side in [width, height] { bytes += [UInt8(side & 255), UInt8(side >> 8)] }
        return bytes + firstPartition + tokens
    }

    /// Bytes of bools that are false, of any probability: they ask for nothing special.
    private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    /// A first partition whose macroblocks have no residue.
    private func skipping(_ macroblockCount: Int) -> [UInt8] {
        var writer = BooleanWriter()
        // As `zeros` up to the token probabilities; then the probability that a macroblock has residue.
        writer.write(0, bitCount: 29)
        for probability in CoefficientProbabilityTables.updates { writer.write(false, probability: probability) }
        writer.write(true)
        writer.write(1, bitCount: 8)
        for _ in 0..<macroblockCount {
            writer.write(true, probability: 1)
            // One luma mode; that and the one of chroma is DC_PRED.
            writer.write(true, probability: 145)
            for probability in [156, 163, 142] as [UInt8] { writer.write(false, probability: probability) }
        }
        writer.finish()
        return writer.bytes
    }

    @Test(arguments: [1 << 20, 7])
    func factsAreToldWithoutMemoryForRows(_ piece: Int) throws {
        // The first partition ends in the modes of the first row.
        let bytes = frame(16383, 16383, firstPartition: zeros(64), tokens: [0, 0])
        let meter = MemoryMeter()
        var (stream, work) = (VP8Stream(extent: .headers, meter: meter), WorkGuard.unlimited)
        var (start, end) = (0, 10)
        while !stream.isComplete {
            let used = try bytes.withSpan { (bytes) throws(ImageError) in
                try stream.consume(
                    bytes.extracting(start..<end), offset: start, isFinal: false, byteCount: bytes.count, work: &work
                ) { _, _ in }
            }
            start += used
            end = min(bytes.count, max(end, start) + piece)
        }
        #expect(
            stream.frameInfo?.isFrameHeaderKnown == true && stream.frameInfo?.filterKind == VP8FrameInfo.FilterKind.none
        )
        #expect(stream.rowCount == 0)
        #expect(meter.peak == (piece > 64 ? 0 : 64))
    }

    @Test(arguments: [false, true])
    func wideRowsAskTheClockOnTheirWay(_ isOverfull: Bool) throws {
        // A partition that begins with 255 is read byte by byte.
        let bytes =
            isOverfull
            ? frame(4800, 17, firstPartition: skipping(600), tokens: [255, 0, 0])
            : frame(4800, 17, firstPartition: zeros(10_000), tokens: zeros(50_000))
        let log = WorkLog()
        var options = DecodingOptions.default
        options.workLog = log
        var (stream, work, rowCount) = (VP8Stream(meter: nil), WorkGuard(options), 0)
        for start in [0, 10] {
            _ = try bytes.withSpan { (bytes) throws(ImageError) in
                try stream.consume(
                    bytes.extracting(droppingFirst: start), offset: start, isFinal: true, byteCount: bytes.count,
                    work: &work
                ) { _, _ in rowCount += 1 }
            }
        }
        #expect(stream.isComplete && rowCount == 17)
        // Two rows of 300 macroblocks: each before it begins, and after every 128 of them.
        #expect(log.checkCount == 2 * 3)
        #expect(LossyOutcome(bytes, piece: 1000) == LossyOutcome(bytes))
    }

    @Test func factsTellSegmentsPartitionsAndFilters() throws {
        func frameInfo(_ name: String) throws -> VP8FrameInfo? {
            var decoder = VP8Decoder()
            let fixture = try LossyFixture.named(name)
            try fixture.payload.withSpan { (bytes) throws(ImageError) in try decoder.append(bytes) }
            return decoder.frameInfo
        }
        #expect(try frameInfo("four-segments")?.segments.count == 4)
        #expect(try frameInfo("one-segment")?.segments.count == 1)
        #expect(try frameInfo("eight-partitions")?.partitionByteCounts.count == 8)
        #expect(try frameInfo("no-filter")?.filterKind == VP8FrameInfo.FilterKind.none)
        #expect(try frameInfo("simple-filter-sharp")?.filterKind == .simple)
        #expect(try frameInfo("normal-filter-sharp")?.filterSharpness == 7)
    }
}

@Suite struct LossyConformanceTests {
    private static let files = Corpus.entries(format: "webp").filter { $0.expect == .decode && $0.frames ?? 1 == 1 }

    @Test(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"), arguments: files)
    func simpleLossyFilesDecodeExactly(_ entry: CorpusEntry) throws {
        guard let payload = LossyFixture.payload(try Corpus.bytes(entry.path)) else { return }
        let outcome = LossyOutcome(payload)
        #expect(outcome.isComplete && outcome.rowCount == entry.height)
        if entry.maxAbsoluteDifference ?? 0 == 0 { #expect(outcome.crc == entry.crcs?.first) }
    }
}
