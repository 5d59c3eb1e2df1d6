import CodecTestSupport
import ImageCodecsCore
import ImageInspection
import JPEGCodec
import JPEGBaselineCodec
import Testing

/// An inspection, which decodes no scan, meets the segments that a decode meets.
@Suite struct InspectionAgreementTests {
    private static let samples = MatrixFile.sample(every: 97)
    private static let comment: [UInt8] = [0xFF, 0xFE, 0, 5] + Array("end".utf8)
    private static let endOfImage: [UInt8] = [0xFF, 0xD9]

    /// The file without its EOI marker, and where the data of its last scan begin.
    private static func parts(of sample: MatrixFile) throws -> (bytes: [UInt8], scan: Int) {
        let listing = try JPEGMarkerListing(ImageData(sample.bytes))
        let scan = try #require(listing.segments.last { $0.name == "SOS" })
        let start = scan.offset + 4 + (scan.byteCount ?? 0)
        return (Array(sample.bytes[..<(start + scan.codedByteCount)]), start)
    }

    private func expectAgreement(_ bytes: [UInt8], comments: [String], _ note: String) throws {
        let data = ImageData(bytes)
        let info = try JPEGCoder().inspect(data, options: .tolerant)
        let image = try JPEGCoder().decode(data, options: .tolerant)
        #expect(info.metadata == image.metadata, "\(note)")
        #expect(image.metadata.comments == comments, "\(note)")
    }

    @Test(arguments: samples, [0x01, 0x02, 0x9A, 0xBF] as [UInt8])
    func reservedCodesInCodedDataHideNoSegments(_ sample: MatrixFile, _ code: UInt8) throws {
        let (bytes, start) = try Self.parts(of: sample)
        for place in [start, (start + bytes.count) / 2, bytes.count] {
            let damaged = bytes[..<place] + [0xFF, code, 0, 7] + bytes[place...] + Self.comment + Self.endOfImage
            try expectAgreement(Array(damaged), comments: ["end"], "at \(place)")
        }
    }

    @Test(arguments: samples)
    func codedDataThatEndEarlyOrLateHideNoSegments(_ sample: MatrixFile) throws {
        let (bytes, start) = try Self.parts(of: sample)
        let tail = Self.comment + Self.endOfImage
        try expectAgreement(Array(bytes[..<start] + tail), comments: ["end"], "no data")
        try expectAgreement(Array(bytes[..<((start + bytes.count) / 2)] + tail), comments: ["end"], "half the data")
        let surplus: [UInt8] = [1, 2, 0xFF, 0, 0xFF, 0xD3, 0xFF, 0xFF, 0, 3]
        try expectAgreement(bytes + surplus + tail, comments: ["end"], "surplus data")
    }

    @Test(arguments: samples.filter { $0.name.contains("progressive") })
    func whatEndsADecodeEndsAnInspection(_ sample: MatrixFile) throws {
        // Before the last scan, so that the picture is not complete.
        let listing = try JPEGMarkerListing(ImageData(sample.bytes))
        let last = try #require(listing.segments.last { $0.name == "SOS" })
        let frame = try #require(listing.segments.first { $0.name.hasPrefix("SOF") })
        // A scan whose band ends before its start, and more scans than may be.
        let header: [UInt8] = [0xFF, 0xDA, 0, 8, 1, sample.bytes[frame.offset + 10], 0, 9, 5, 0]
        let scans = Array(repeating: header, count: 50).joined()
        let damaged = sample.bytes[..<last.offset] + header + Self.comment + scans + Self.endOfImage
        var options = DecodingOptions.tolerant
        options.limits.maxScanCount = 20
        let image = try JPEGCoder().decode(ImageData(Array(damaged)), options: options)
        let info = try JPEGCoder().inspect(ImageData(Array(damaged)), options: options)
        #expect(image.partial != nil)
        #expect(image.metadata == info.metadata)
    }

    /// Segments before the last scan of a file, whose end of image is missing.
    private static func withLateSegments(_ sample: MatrixFile, _ segments: [UInt8]) throws -> [UInt8] {
        let listing = try JPEGMarkerListing(ImageData(sample.bytes))
        let last = try #require(listing.segments.last { $0.name == "SOS" })
        return Array(sample.bytes[..<last.offset] + segments + sample.bytes[last.offset...].dropLast(2))
    }

    @Test(arguments: samples.filter { $0.name.contains("progressive") })
    func aMissingEndHidesNoMetadata(_ sample: MatrixFile) throws {
        let body = Array("ICC_PROFILE\0".utf8) + [1, 1] + Array(repeating: 7, count: 30_000)
        let length = body.count + 2
        let file = try Self.withLateSegments(sample, [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + body)
        let meter = MemoryMeter()
        var options = DecodingOptions()
        options.memoryMeter = meter
        let image = try JPEGCoder().decode(ImageData(file), options: options)
        let info = try JPEGCoder().inspect(ImageData(file), options: .default)
        #expect(image.metadata.iccProfile?.count == 30_000)
        #expect(info.metadata == image.metadata)
        #expect(meter.peak <= (try MemoryAllowance(JPEGCoder(), file, .default).byteCount(holdsFrames: true)))
    }

    @Test(arguments: samples.filter { $0.name.contains("progressive") })
    func whatADecodeHasRoomForIsInspected(_ sample: MatrixFile) throws {
        let segment: [UInt8] = [0xFF, 0xEF, 0xFF, 0xFF] + Array(repeating: 0, count: 65_533)
        let file = ImageData(try Self.withLateSegments(sample, segment + segment))
        let needed = try JPEGCoder().inspect(file, options: .default).estimatedPeakByteCount
        for part in 1...7 {
            var options = DecodingOptions()
            options.limits.maxMemoryByteCount = needed * part / 8
            guard (try? JPEGCoder().decode(file, options: options)) != nil else { continue }
            #expect(throws: Never.self) { try JPEGCoder().inspect(file, options: options) }
        }
    }
}
