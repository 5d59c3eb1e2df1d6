import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct MarkerTests {
    private func search(_ bytes: [UInt8]) -> MarkerReader.Search { MarkerReader.next(in: bytes.span, from: 0) }

    @Test func fillBytesStrayBytesAndStuffingArePassedOver() {
        #expect(search([0xFF, 0xD9]) == .found(.eoi, end: 2, skipped: 0))
        #expect(search([0xFF, 0xFF, 0xFF, 0xDA]) == .found(.sos, end: 4, skipped: 0))
        #expect(search([1, 2, 0xFF, 0, 3, 0xFF, 0xC4]) == .found(.dht, end: 7, skipped: 5))
        #expect(search([5, 6, 0xFF]) == .needsMoreInput(resumeAt: 2, skipped: 2))
        #expect(search([5, 0xFF, 0xFF]) == .needsMoreInput(resumeAt: 2, skipped: 1))
    }

    @Test func processesThatAreNotDecodedAreNamed() {
        let body: [UInt8] = [8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        for (code, name) in [(0xC5, "SOF5"), (0xCB, "SOF11"), (0xCD, "SOF13"), (0xCF, "SOF15")] {
            do throws(ImageError) {
                _ = try JPEGFrameHeader(marker: Marker(rawValue: UInt8(code)), body: body.span, offset: 2)
                Issue.record("SOF \(code) was accepted")
            } catch {
                #expect(error.code == "unsupported" && error.description.contains(name))
            }
        }
    }

    @Test func samplesHaveEightBitsOrTwelveAndEightInBaselineFrames() throws {
        func header(_ marker: Marker, _ precision: UInt8) throws -> JPEGFrameHeader {
            let body: [UInt8] = [precision, 0, 8, 0, 8, 1, 1, 0x11, 0]
            return try JPEGFrameHeader(marker: marker, body: body.span, offset: 2)
        }
        #expect(try header(.sof1, 12).precision == 12)
        #expect(try header(.sof2, 12).precision == 12)
        #expect(throws: ImageError.unsupported(.jpeg, feature: "12-bit samples (SOF0)")) { try header(.sof0, 12) }
        #expect(throws: ImageError.unsupported(.jpeg, feature: "10-bit samples (SOF1)")) { try header(.sof1, 10) }
    }

    @Test func componentsWithOneNameAreTakenInTurn() throws {
        let frame: [UInt8] = [8, 0, 8, 0, 8, 3, 0, 0x11, 0, 0, 0x11, 0, 0, 0x11, 0]
        let header = try JPEGFrameHeader(marker: .sof0, body: frame.span, offset: 0)
        let scan: [UInt8] = [3, 0, 0, 0, 0x11, 0, 0x11, 0, 63, 0]
        #expect(try ScanHeader(body: scan.span, frame: header, offset: 0).components.map(\.index) == [0, 1, 2])
    }

    @Test func metadataIsGathered() throws {
        var segments = ApplicationSegments(request(maxMetadataByteCount: 1 << 16))
        var work = WorkGuard.unlimited
        func read(_ marker: Marker, _ body: [UInt8]) throws { try segments.read(body.span, marker: marker) }
        try read(.app0, Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 0, 36, 0, 0])
        try read(.app2, Array("ICC_PROFILE\0".utf8) + [2, 2, 30, 40])
        try read(.com, Array("hello".utf8))
        try segments.assemble(work: &work)
        #expect(segments.metadata.iccProfile == nil)
        try read(.app2, Array("ICC_PROFILE\0".utf8) + [1, 2, 10, 20])
        let guid = Array(repeating: UInt8(ascii: "A"), count: 32)
        try read(.app1, Array("http://ns.adobe.com/xap/1.0/\0<x>".utf8) + guid)
        let prefix = Array("http://ns.adobe.com/xmp/extension/\0".utf8) + guid + [0, 0, 0, 4]
        try read(.app1, prefix + [0, 0, 0, 2] + Array("cd".utf8))
        try read(.app1, prefix + [0, 0, 0, 0] + Array("ab".utf8))
        try read(.app14, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 2])
        let exif: [UInt8] = Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        try read(.app1, exif)
        try segments.assemble(work: &work)
        let metadata = segments.metadata
        #expect(segments.hasJFIF && segments.adobeTransform == 2)
        #expect(metadata.density == PixelDensity(x: 72, y: 36, unit: .inch))
        #expect(metadata.iccProfile == [10, 20, 30, 40])
        #expect(metadata.comments == ["hello"])
        #expect(metadata.xmp == Array("<x>".utf8) + guid + Array("abcd".utf8))
        #expect(metadata.orientation == .right)
        #expect(metadata.exif == Array(exif[6...]))
    }

    @Test func tooMuchMetadataIsRefused() {
        var segments = ApplicationSegments(request(maxMetadataByteCount: 500))
        #expect(throws: ImageError.limitExceeded(.metadata, requested: 501, allowed: 500)) {
            try segments.read(Array(repeating: 65, count: 501 - MetadataBudget.entryByteCount).span, marker: .com)
        }
    }

    @Test func manyEmptyCommentsAreTooMuch() throws {
        var segments = ApplicationSegments(request(maxMetadataByteCount: 10 * MetadataBudget.entryByteCount))
        for _ in 0..<10 { try segments.read([UInt8]().span, marker: .com) }
        #expect(throws: ImageError.self) { try segments.read([UInt8]().span, marker: .com) }
    }

    private func request(maxMetadataByteCount: Int) -> DecodingRequest {
        var options = DecodingOptions()
        options.limits.maxMetadataByteCount = maxMetadataByteCount
        return DecodingRequest(options: options, purpose: .oneShot)
    }
}
