import CodecTestSupport
import ImageCodecsCore
import ImageInspection
import Testing
import WebPCodec

/// ALPH payloads, by themselves.
@Suite struct AlphaPlaneTests {
    private static let size = PixelSize(width: 36, height: 26)

    /// The payload of the ALPH chunk of a fixture.
    private func payload(_ name: String) throws -> [UInt8] {
        let file = try AnimationFixture.named(name, "webp")
        let listing = try FileListing(of: ImageData(file))
        let part = try #require(listing.parts.first { $0.name == "ALPH" })
        let start = part.offset + 8
        return Array(file[start..<start + (part.byteCount ?? 0)])
    }

    private func decode(_ payload: [UInt8], inPiecesOf size: Int) throws -> AlphaPlane {
        var plane = try AlphaPlane(size: Self.size, meter: nil)
        var input = InputBuffer()
        var work = WorkGuard.unlimited
        for start in stride(from: 0, to: payload.count, by: size) {
            let end = min(start + size, payload.count)
            try input.feed(Array(payload[start..<end]).span, work: work) { (bytes, offset, isAll) throws(ImageError) in
                try plane.consume(bytes, offset: offset, isFinal: end == payload.count && isAll, work: &work)
            }
        }
        return plane
    }

    private func bytes(_ plane: AlphaPlane) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<plane.rowCount { plane.withRow(y) { bytes.append($0) } }
        return bytes
    }

    @Test(
        arguments: ["raw", "lossless"].flatMap { coding in
            ["none", "horizontal", "vertical", "gradient"].map { "lossy-alpha-\(coding)-\($0).webp" }
        }, [1, 7, 100_000])
    func codingAndFilterDoNotMatter(_ name: String, size: Int) throws {
        // Without compression and filter the payload is the plane, after its header.
        let alpha = Array(try payload("lossy-alpha-raw-none.webp").dropFirst())
        #expect(alpha.count == Self.size.width * Self.size.height)
        let plane = try decode(payload(name), inPiecesOf: size)
        #expect(plane.damage == nil)
        #expect(bytes(plane) == alpha)
    }

    @Test func levelsThatWereReducedStayAsTheyAre() throws {
        let plane = try decode(payload("lossy-alpha-raw-reduced.webp"), inPiecesOf: 10)
        #expect(plane.header?.hasReducedLevels == true)
        #expect(Set(bytes(plane)).isSubset(of: [0, 85, 170, 255]))
    }

    @Test func bytesBehindTheLastRowAreIgnored() throws {
        let plane = try decode(payload("lossy-alpha-surplus.webp"), inPiecesOf: 3)
        #expect((plane.rowCount, plane.damage) == (26, nil))
    }

    @Test(arguments: ["lossy-alpha-raw-gradient.webp", "lossy-alpha-lossless-none.webp"])
    func whatIsCutOffLeavesTheRowsInFront(_ name: String) throws {
        let payload = try payload(name)
        let whole = bytes(try decode(payload, inPiecesOf: 100_000))
        for count in 0..<payload.count {
            let cut = try decode(Array(payload.prefix(count)), inPiecesOf: 100_000)
            #expect(cut.rowCount < 26)
            #expect(bytes(cut) == Array(whole.prefix(cut.rowCount * Self.size.width)))
            if count > 0 { #expect(cut.damage?.damageCode == .webpAlphaShort) }
        }
    }

    /// RFC 9649 section 2.7.1.2 "Alpha": readers ignore the reserved bits; pre-processing is a hint, of which two values are
    /// not defined.
    @Test func reservedBitsAreIgnored() throws {
        let payload = try payload("lossy-alpha-raw-none.webp")
        let expected = bytes(try decode(payload, inPiecesOf: 1000))
        for bits: UInt8 in [0x10, 0x20, 0x30, 0x40, 0x80, 0xC0, 0xF0] {
            let plane = try decode([payload[0] & 0x0F | bits] + payload.dropFirst(), inPiecesOf: 1000)
            #expect(plane.damage == nil && bytes(plane) == expected, "0x\(String(bits, radix: 16))")
            #expect(plane.header?.hasReducedLevels == (bits & 0x30 == 0x10))
        }
    }

    @Test func compressionsThatAreNotDefinedAreDamage() throws {
        for header: UInt8 in [0x02, 0x03, 0xF2] {
            let plane = try decode([header] + [UInt8](repeating: 0, count: 1000), inPiecesOf: 100)
            #expect(plane.damage?.damageCode == .webpAlphaHeader)
            #expect(plane.rowCount == 0)
        }
    }

    @Test func memoryStaysWithinTheEstimate() throws {
        let meter = MemoryMeter()
        var plane = try AlphaPlane(size: Self.size, meter: meter)
        var work = WorkGuard.unlimited
        let payload = try payload("lossy-alpha-lossless-gradient.webp")
        _ = try plane.consume(payload.span, offset: 0, isFinal: true, work: &work)
        #expect(plane.rowCount == 26)
        #expect(meter.peak <= AlphaPlane.byteCount(Self.size))
    }
}
