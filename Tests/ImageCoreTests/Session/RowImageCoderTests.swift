import CodecTestSupport
import ImageCodecsCore
import Testing

/// A made-up format: `ROWS`, width and height as four bytes each, then for every byte as many gray pixels of its value.
private struct RunDecoder: RowImageDecoder {
    static let format = ImageFormat(rawValue: "test.runs")
    private var value: UInt8 = 0
    private var rest = 0

    mutating func readHeader(_ bytes: Span<UInt8>) throws(ImageError) -> RowImageHeader? {
        for (index, byte) in zip(0..., "ROWS".utf8) where index < bytes.count && bytes[index] != byte {
            throw .unknownFormat
        }
        guard bytes.count >= 12 else { return nil }
        let size = PixelSize(width: Int(bytes.bigEndianUInt32(at: 4)), height: Int(bytes.bigEndianUInt32(at: 8)))
        var header = RowImageHeader(byteCount: 12, size: size, pixelFormat: .gray, colorDescription: "gray")
        header.isLossy = true
        return header
    }

    mutating func readPixels(
        _ bytes: Span<UInt8>, offset: Int, into pixels: inout MutableSpan<UInt8>, filledByteCount: inout Int
    ) throws(ImageError) -> Int {
        // Between two calls the clock is asked.
        guard pixels.count <= 1 << 16 else {
            throw .corrupt(Self.format, DamageCode(rawValue: "runs.room"), offset: offset, reason: "too much room")
        }
        var position = 0
        while filledByteCount < pixels.count {
            if rest == 0 {
                guard position < bytes.count else { break }
                value = bytes[position]
                rest = max(1, Int(value))
                position += 1
            }
            pixels[filledByteCount] = value
            filledByteCount += 1
            rest -= 1
        }
        return position
    }
}

private struct RunCoder: RowImageCoder {
    func canDecode(_ header: Span<UInt8>) -> Bool { header.count >= 4 && header[0] == UInt8(ascii: "R") }
    func makeRowDecoder(options: DecodingOptions) -> RunDecoder { RunDecoder() }
}

@Suite struct RowImageCoderTests {
    private func file(_ width: UInt32, _ height: UInt32, _ runs: [UInt8]) -> [UInt8] {
        let sides = [width, height].flatMap { side in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) } }
        return Array("ROWS".utf8) + sides + runs
    }

    private var gray: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .gray
        return options
    }

    @Test func rowsComeOutAsTheyWereRead() throws {
        let image = try RunCoder().decode(ImageData(file(3, 2, [2, 1, 3])), options: gray)
        #expect(image.bitmap.packedBytes() == [2, 2, 1, 3, 3, 3])
        #expect(image.format == RunDecoder.format && !image.isPartial && image.isLossy)
    }

    @Test func theLawsHold() {
        let laws = DecoderLaws(RunCoder())
        let runs = (0..<400).map { UInt8(1 + $0 % 9) }
        for seed in 0..<20 as Range<UInt64> {
            let found = laws.hostileViolations(file(37, 50, runs), DecisionSource(seed: seed))
            #expect(found == [], "seed \(seed)")
        }
    }

    @Test func anEmptyPictureIsDamaged() {
        let error = #expect(throws: ImageError.self) {
            try RunCoder().decode(ImageData(file(0, 5, [1])), options: .default)
        }
        #expect(error?.damageCode?.rawValue == "runs.header-size")
    }

    @Test func oneLongRowIsStoppedByTheClock() {
        var options = gray
        options.limits = .unlimited
        options.limits.maxTime = .milliseconds(1)
        let width: UInt32 = 1 << 28
        let runs = [UInt8](repeating: 255, count: Int(width) / 255)
        let error = #expect(throws: ImageError.self) {
            try RunCoder().decode(ImageData(file(width, 1, runs)), options: options)
        }
        if case .limitExceeded(.time, _, _)? = error { return }
        Issue.record("\(String(describing: error))")
    }

    @Test func aLongRowIsReadInParts() throws {
        let runs = [UInt8](repeating: 255, count: 1000)
        let image = try RunCoder().decode(ImageData(file(200_000, 1, runs)), options: gray)
        #expect(image.bitmap.packedBytes() == Array(repeating: 255, count: 200_000))
    }

    @Test func aRegistryInspectsWithoutKeepingTheFile() throws {
        let registry = CoderRegistry([RunCoder()])
        let info = try registry.inspect(ImageData(file(1000, 1000, [])), options: gray)
        #expect(info.size == PixelSize(width: 1000, height: 1000))
        #expect(info.estimatedPeakByteCount >= info.decodedByteCount)
    }
}
