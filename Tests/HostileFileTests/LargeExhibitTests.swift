import APNGCodec
import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import JPEGCodec
import Testing
import WebPCodec

/// Exhibits of the museum that are too large to be kept as files.
@Suite struct LargeExhibitTests {
    private func error(
        _ coder: some IncrementalImageCoder, _ file: [UInt8], _ limits: MuseumExhibit.Limits, isInspected: Bool = false
    ) -> MuseumExhibit.Outcome? {
        let meter = MemoryMeter(limit: 256 << 20)
        var options = DecodingOptions()
        options.limits = limits.limits
        options.memoryMeter = meter
        defer { #expect(meter.current == 0) }
        do throws(ImageError) {
            if isInspected {
                _ = try coder.inspect(ImageData(file), options: options)
            } else {
                _ = try coder.decode(ImageData(file), options: options)
            }
            return nil
        } catch {
            return MuseumExhibit.Outcome(error)
        }
    }

    private static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
    }

    /// A progressive picture whose bands are refined and begun anew for ever, each scan of one byte.
    private static let manyScans: [UInt8] = {
        var file: [UInt8] = [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        file += segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])
        file += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
        file += segment(0xC2, [8, 0, 64, 0, 64, 1, 1, 0x11, 0])
        file += segment(0xDA, [1, 1, 0, 0, 0, 0]) + [UInt8](repeating: 0, count: 8)
        for number in 0..<80_000 {
            let first = UInt8(1 + number % 63)
            file += segment(0xDA, [1, 1, 0, first, first, 0]) + [UInt8](repeating: 0, count: 8)
        }
        return file + [0xFF, 0xD9]
    }()

    @Test(arguments: [MuseumExhibit.Limits.untrusted, .default])
    func eightyThousandScansAreRefused(_ limits: MuseumExhibit.Limits) {
        #expect(error(JPEGCoder(), Self.manyScans, limits) == .error("limitExceeded.scans"))
    }

    @Test func aMillionFramesOfGIFAreRefused() {
        var file = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 1, 2, 3, 4, 5, 6]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]
        file.reserveCapacity(15_000_100)
        for _ in 0..<1_000_000 { file += frame }
        file.append(0x3B)
        for limits in [MuseumExhibit.Limits.untrusted, .default] {
            #expect(error(GIFCoder(), file, limits) == .error("limitExceeded.frames"))
            #expect(error(GIFCoder(), file, limits, isInspected: true) == .error("limitExceeded.frames"))
        }
    }

    @Test func moreFramesOfPNGThanAreAllowedAreRefused() {
        var builder = PNGBuilder()
        builder.addHeader(width: 1, height: 1, colorType: 0)
        builder.add("acTL", PNGBuilder.bigEndian(70_000) + PNGBuilder.bigEndian(0))
        let data = PNGBuilder.stored([0, 128])
        func control(_ number: UInt32) -> [UInt8] {
            PNGBuilder.bigEndian(number) + PNGBuilder.bigEndian(1) + PNGBuilder.bigEndian(1)
                + PNGBuilder.bigEndian(0) + PNGBuilder.bigEndian(0) + [0, 1, 0, 10, 0, 0]
        }
        builder.add("fcTL", control(0))
        builder.add("IDAT", data)
        for frame in 1..<70_000 as Range<UInt32> {
            builder.add("fcTL", control(2 * frame - 1))
            builder.add("fdAT", PNGBuilder.bigEndian(2 * frame) + data)
        }
        builder.add("IEND")
        for limits in [MuseumExhibit.Limits.untrusted, .default] {
            #expect(error(APNGCoder(), builder.bytes, limits) == .error("limitExceeded.frames"))
        }
    }

    @Test func moreFramesOfWebPThanAreAllowedAreRefused() throws {
        let pixel = try FixtureBytes.read("webp/one-pixel.webp").dropFirst(12)
        let frame = WebPBuilder.frame(
            x: 0, y: 0, width: 1, height: 1, milliseconds: 10, flags: 0, Array(pixel))
        var body: [UInt8] = []
        for _ in 0..<70_000 { body += frame }
        let file = WebPBuilder.file(
            WebPBuilder.extendedHeader(flags: 2, width: 1, height: 1), WebPBuilder.animationHeader(loopCount: 0), body)
        for limits in [MuseumExhibit.Limits.untrusted, .default] {
            #expect(error(WebPCoder(), file, limits) == .error("limitExceeded.frames"))
        }
    }
}
