import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

@Suite struct AlphaEncoderTests {
    private func payload(
        _ plane: [UInt8], _ size: PixelSize, _ effort: EncodingOptions.Effort, _ meter: MemoryMeter = MemoryMeter()
    ) throws(ImageError) -> [UInt8] {
        var work = WorkGuard.unlimited
        let encoder = AlphaEncoder(size, effort: effort, meter: meter)
        return try plane.withRawSpan { (plane) throws(ImageError) in try encoder.payload(of: plane, work: &work) }
    }

    private func decoded(_ payload: [UInt8], _ size: PixelSize) throws -> [UInt8] {
        var plane = try AlphaPlane(size: size, meter: nil)
        var work = WorkGuard.unlimited
        _ = try payload.withSpan { (bytes) throws(ImageError) in
            try plane.consume(bytes, offset: 0, isFinal: true, work: &work)
        }
        try #require(plane.damage == nil && plane.rowCount == size.height)
        var bytes: [UInt8] = []
        for y in 0..<size.height { plane.withRow(y) { bytes += $0.copiedBytes() } }
        return bytes
    }

    /// Planes of every kind: flat, a ramp both ways, a disc, few levels, noise.
    private static func plane(_ kind: Int, _ size: PixelSize) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(kind))
        return (0..<size.height).flatMap { y in
            (0..<size.width).map { x -> UInt8 in
                switch kind {
                case 0: 255
                case 1: UInt8(truncatingIfNeeded: 3 * x)
                case 2: UInt8(truncatingIfNeeded: 5 * y)
                case 3: UInt8(min(255, 2 * x + 3 * y))
                case 4: (x - 20) * (x - 20) + (y - 10) * (y - 10) < 90 ? 255 : 0
                case 5: UInt8(truncatingIfNeeded: random.next() >> 60) & 3 * 85
                default: UInt8(truncatingIfNeeded: random.next() >> 32)
                }
            }
        }
    }

    @Test(arguments: 0...6, EncodingOptions.Effort.allCases)
    func planesComeBack(_ kind: Int, _ effort: EncodingOptions.Effort) throws {
        for (width, height) in [(1, 1), (1, 9), (7, 1), (37, 26), (130, 40)] {
            let size = PixelSize(width: width, height: height)
            let plane = Self.plane(kind, size)
            let meter = MemoryMeter()
            let payload = try payload(plane, size, effort, meter)
            #expect(try decoded(payload, size) == plane)
            #expect(payload.count <= plane.count + 1)
            #expect(payload[0] & 0xF0 == 0)
            #expect(meter.peak <= AlphaEncoder.byteCount(size, effort) && meter.current == 0)
        }
    }

    @Test func aRampIsFiltered() throws {
        let size = PixelSize(width: 64, height: 64)
        let headers = try (1...3).map { try AlphaHeader(payload(Self.plane($0, size), size, .fast)[0], offset: 0) }
        // A byte a pixel is no longer than what stands in for the encoder makes, so that only what it tells itself counts.
        for header in headers where header.compression == .lossless { #expect(header.filter != .none) }
    }

    @Test func theClockIsAsked() throws {
        var options = EncodingOptions()
        options.limits.maxTime = .zero
        var work = WorkGuard(options)
        work.begin()
        let size = PixelSize(width: 300, height: 300)
        let encoder = AlphaEncoder(size, effort: .fast, meter: nil)
        let plane = Self.plane(6, size)
        #expect(throws: ImageError.self) {
            try plane.withRawSpan { (plane) throws(ImageError) in try encoder.payload(of: plane, work: &work) }
        }
    }

    /// The picture of `lossy.webp` with alpha of ours, in libwebp and here.
    @Test(.enabled(if: IndependentDecoder.path != nil), arguments: 0...6)
    func anIndependentDecoderReadsThem(_ kind: Int) throws {
        let file = try FixtureBytes.read("webp/lossy.webp")
        let picture = try WebPChunks(file)["VP8 "]
        let size = try WebPCoder().inspect(ImageData(file), options: .default).size
        let plane = Self.plane(kind, size)
        for effort in EncodingOptions.Effort.allCases {
            for filter in AlphaFilter.allCases {
                var body = try payload(plane, size, effort)
                if effort == .fast {
                    // Every filter without compression, which an encoder seldom takes.
                    body = [AlphaHeader(.none, filter).byte] + Self.filtered(plane, size, filter)
                }
                let wrapped = WebPBuilder.file(
                    WebPBuilder.extendedHeader(flags: 0x10, width: size.width, height: size.height),
                    WebPBuilder.chunk("ALPH", body), WebPBuilder.chunk("VP8 ", picture))
                let pixels = try IndependentDecoder.pixels(of: wrapped)
                #expect(stride(from: 3, to: pixels.count, by: 4).map { pixels[$0] } == plane)
            }
        }
    }

    private static func filtered(_ plane: [UInt8], _ size: PixelSize, _ filter: AlphaFilter) -> [UInt8] {
        var result = plane
        plane.withRawSpan { plane in
            for y in 0..<size.height {
                let row = y * size.width..<(y + 1) * size.width
                var differences = [UInt8](repeating: 0, count: size.width)
                let above = y == 0 ? nil : plane.extracting(row.lowerBound - size.width..<row.lowerBound)
                differences.withMutableRawSpan { filter.apply(to: plane.extracting(row), above: above, into: &$0) }
                result.replaceSubrange(row, with: differences)
            }
        }
        return result
    }
}
