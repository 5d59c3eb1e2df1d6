import CodecTestSupport
import Foundation
import ImageCodecsCore
import Testing
import WebPLossyCodec

/// One picture of Tests/Fixtures/webp/lossy, or a simple lossy file of the conformance corpus.
struct LossyFixture: Sendable, CustomStringConvertible {
    let name: String
    /// The frame, without its container.
    let payload: [UInt8]
    let width: Int
    let height: Int
    let crc: String
    let planeCRCs: [String]

    var description: String { name }

    private struct Expectation: Decodable {
        var width: Int
        var height: Int
        var rgbaCRC32: String
        var planeCRC32: [String]
    }

    static let all: [LossyFixture] = {
        guard let bytes = try? FixtureBytes.read("webp/lossy/expected.json"),
            let table = try? JSONDecoder().decode([String: Expectation].self, from: Data(bytes))
        else { return [] }
        return table.sorted { $0.key < $1.key }.compactMap { name, expected in
            guard let file = try? FixtureBytes.read("webp/lossy/\(name)"), let payload = payload(file) else {
                return nil
            }
            return LossyFixture(
                name: name, payload: payload, width: expected.width, height: expected.height,
                crc: expected.rgbaCRC32, planeCRCs: expected.planeCRC32)
        }
    }()

    static func named(_ name: String) throws -> LossyFixture {
        try #require(all.first { $0.name == name + ".webp" })
    }

    /// The frame of a file that has nothing but one.
    static func payload(_ file: [UInt8]) -> [UInt8]? {
        guard file.count > 20, Array(file[12..<16]) == Array("VP8 ".utf8) else { return nil }
        let count = file[16..<20].reversed().reduce(0) { $0 << 8 | Int($1) }
        return Array(file[20..<min(file.count, 20 + count)])
    }
}

/// What a stream made of a frame that came in pieces.
struct LossyOutcome: Equatable {
    var rgba: [UInt8] = []
    var rowCount = 0
    var isComplete = false
    var error: ImageError?
    var planes: [[UInt8]] = []

    var crc: String { PixelDigest.crc32(rgba) }

    /// Decodes `payload`, fed `piece` bytes at a time as a container would: what is not consumed comes again.
    init(
        _ payload: [UInt8], piece: Int = .max, byteCount: Int? = nil, keepsSamples: Bool = false, copies: Bool = false,
        threads: Int = 1
    ) {
        let meter = MemoryMeter()
        var stream = VP8Stream(meter: meter, threads: threads, keepsSamples: keepsSamples)
        var (work, start, end) = (WorkGuard.unlimited, 0, 0)
        do throws(ImageError) {
            while true {
                let before = (start, end)
                end = payload.count - end > piece ? end + piece : payload.count
                if copies {
                    // A checkpoint that is dropped must not disturb the one that goes on.
                    var checkpoint = stream
                    try checkpoint.makeUnique()
                    _ = try Self.consume(&checkpoint, payload, start, end, byteCount, &work) { _, _ in }
                    try stream.makeUnique()
                }
                start += try Self.consume(&stream, payload, start, end, byteCount, &work) { row, y in
                    rowCount += 1
                    rgba += row.copiedBytes().withRedAndBlueExchanged
                }
                if (start, end) == before { break }
            }
        } catch {
            self.error = error
        }
        isComplete = stream.isComplete
        // Checkpoints are beside what is promised.
        if let header = stream.header, !keepsSamples, !copies {
            let promised = VP8Stream.byteCount(
                header.size, firstPartitionByteCount: header.firstPartitionByteCount, threads: threads)
            #expect(meter.peak <= promised)
        }
        guard let samples = stream.samples else { return }
        for plane in 0..<3 {
            var bytes: [UInt8] = []
            for line in 0..<samples.size(plane).height { samples.withLine(plane, line) { bytes += $0.copiedBytes() } }
            planes.append(bytes)
        }
    }

    private static func consume(
        _ stream: inout VP8Stream, _ payload: [UInt8], _ start: Int, _ end: Int, _ byteCount: Int?,
        _ work: inout WorkGuard, _ take: (RawSpan, Int) -> Void
    ) throws(ImageError) -> Int {
        try payload.withSpan { (bytes) throws(ImageError) in
            try stream.consume(
                bytes.extracting(start..<end), offset: start, isFinal: end == payload.count,
                byteCount: byteCount ?? payload.count, work: &work, take: take)
        }
    }
}
