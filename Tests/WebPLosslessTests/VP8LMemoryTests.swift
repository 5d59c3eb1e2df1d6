import CodecTestSupport
import ImageCore
import Testing
import WebPLossless

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
        #expect(decoded.stream.facts.declaredPrefixCodeGroupCount == 65_536)
        #expect(decoded.stream.facts.prefixCodeGroupCount == 1)
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

    @Test func aFewKilobytesDoNotBuyManyTables() {
        // 64x64 pixels of four by four, each with a group of its own, as large as a few bytes make it.
        var writer = VP8LWriter()
        writer.writeHeader(width: 1024, height: 1024)
        writer.write(0, 1)
        // A color cache of eleven bits makes the largest alphabet.
        writer.write(1, 1)
        writer.write(11, 4)
        writer.write(1, 1)
        writer.write(0, 3)
        writer.write(0, 1)
        let flat = Array(repeating: 8, count: 256) + Array(repeating: 0, count: 24)
        writer.writeNormal(flat)
        writer.writeNormal(Array(repeating: 8, count: 256))
        writer.writeSimple([0])
        writer.writeSimple([0])
        writer.writeSimple([0])
        for number in 0..<65_536 {
            writer.write(number & 255, WrittenCode.bytes)
            writer.write(number >> 8, WrittenCode.bytes)
        }
        // 2048 codes of eleven bits: 2 bits say that six lengths more are as the one before.
        for _ in 0..<20_000 {
            writer.write(0, 1)
            writer.writeCodeLengthCode((0..<19).map { [11, 16].contains($0) ? 1 : 0 })
            writer.write(1, 1)
            writer.write(5, 3)
            writer.write(343 - 2, 12)
            writer.write(0, 1)
            for _ in 0..<341 { writer.write(0b111, 3) }
            writer.write(0, 1)
            for symbol in [0, 0, 0, 0] { writer.writeSimple([symbol]) }
            if writer.bytes.count > 4_000_000 { break }
        }
        let decoded = DecodedVP8L(writer.bytes)
        let size = PixelSize(width: 1024, height: 1024)
        #expect(decoded.peak <= VP8LStream.byteCount(.picture, size: size))
        #expect(decoded.error?.code == "limitExceeded")
    }

    @Test func thePromiseIsNoMoreThanAFewBytesAPixel() {
        #expect(VP8LStream.byteCount(.picture, size: PixelSize(width: 1, height: 1)) < 150_000)
        #expect(VP8LStream.byteCount(.picture, size: PixelSize(width: 4000, height: 3000)) < 4000 * 3000 * 7)
        #expect(VP8LStream.byteCount(.picture, size: PixelSize(width: 1 << 30, height: 1 << 30)) == .max)
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
