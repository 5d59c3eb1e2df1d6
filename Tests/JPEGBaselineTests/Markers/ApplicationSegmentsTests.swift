import ImageCodecsCore
import JPEGBaselineCodec
import Testing

/// How metadata that comes in several segments is put together.
@Suite struct ApplicationSegmentsTests {
    private struct Reader {
        var segments: ApplicationSegments
        var work = WorkGuard.unlimited

        init(_ purpose: DecodingPurpose = .oneShot, meter: MemoryMeter? = nil) {
            var options = DecodingOptions()
            options.memoryMeter = meter
            segments = ApplicationSegments(DecodingRequest(options: options, purpose: purpose))
        }

        mutating func read(_ marker: Marker, _ body: [UInt8], isLate: Bool = false) throws {
            try segments.read(body.span, marker: marker, isLate: isLate)
        }

        mutating func assembled() throws -> ImageMetadata {
            try segments.assemble(work: &work)
            return segments.metadata
        }
    }

    private func profile(_ number: UInt8, of total: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        Array("ICC_PROFILE\0".utf8) + [number, total] + bytes
    }

    private func photoshop(_ bytes: [UInt8]) -> [UInt8] { Array("Photoshop 3.0\0".utf8) + bytes }

    private static let guid = Array(repeating: UInt8(ascii: "7"), count: 32)

    private func xmp(_ bytes: [UInt8]) -> [UInt8] { Array("http://ns.adobe.com/xap/1.0/\0".utf8) + bytes }

    private func extended(_ offset: UInt8, _ bytes: [UInt8], guid: [UInt8] = guid) -> [UInt8] {
        Array("http://ns.adobe.com/xmp/extension/\0".utf8) + guid + [0, 0, 0, 9, 0, 0, 0, offset] + bytes
    }

    @Test(arguments: [[1, 2, 3], [3, 2, 1], [2, 3, 1]] as [[UInt8]])
    func piecesOfAProfileComeInAnyOrder(_ order: [UInt8]) throws {
        var reader = Reader()
        for (index, number) in order.enumerated() {
            #expect(try reader.assembled().iccProfile == nil, "\(index) pieces")
            try reader.read(.app2, profile(number, of: 3, [number, 10 * number]))
        }
        #expect(try reader.assembled().iccProfile == [1, 10, 2, 20, 3, 30])
    }

    @Test func aProfileIsReadOnce() throws {
        var reader = Reader()
        try reader.read(.app2, profile(1, of: 2, [1]))
        // Another piece of the number, another total, numbers that cannot be: none of them belongs to it.
        for odd in [profile(1, of: 2, [9]), profile(2, of: 3, [9]), profile(0, of: 2, [9]), profile(3, of: 2, [9])] {
            try reader.read(.app2, odd)
        }
        try reader.read(.app2, profile(2, of: 2, [2]))
        #expect(try reader.assembled().iccProfile == [1, 2])
        try reader.read(.app2, profile(1, of: 1, [7]))
        #expect(try reader.assembled().iccProfile == [1, 2])
    }

    @Test func resourcesFollowOneAnother() throws {
        var reader = Reader()
        try reader.read(.app13, photoshop([1, 2]))
        try reader.read(.app13, Array("Photoshop 2.5\0".utf8) + [9])
        try reader.read(.app13, photoshop([3]))
        #expect(try reader.assembled().iptc == [1, 2, 3])
        // Those after the first scan too, whatever was put together before.
        try reader.read(.app13, photoshop([4, 5]), isLate: true)
        #expect(try reader.assembled().iptc == [1, 2, 3, 4, 5])
        #expect(try reader.assembled().iptc == [1, 2, 3, 4, 5])
    }

    @Test(arguments: [[0, 2, 5], [5, 0, 2], [2, 5, 0]] as [[UInt8]])
    func partsOfAPacketComeInAnyOrder(_ order: [UInt8]) throws {
        let main = Array("<x>".utf8) + Self.guid
        let parts: [UInt8: [UInt8]] = [0: [1, 2], 2: [3, 4, 5], 5: [6]]
        for mainIsFirst in [true, false] {
            var reader = Reader()
            if mainIsFirst { try reader.read(.app1, xmp(main)) }
            for offset in order { try reader.read(.app1, extended(offset, parts[offset] ?? [])) }
            if !mainIsFirst { try reader.read(.app1, xmp(main)) }
            #expect(try reader.assembled().xmp == main + [1, 2, 3, 4, 5, 6])
            #expect(try reader.assembled().xmp == main + [1, 2, 3, 4, 5, 6])
        }
    }

    @Test func aPacketWithMissingPartsStandsAlone() throws {
        let main = Array("<x>".utf8) + Self.guid
        var reader = Reader()
        try reader.read(.app1, xmp(main))
        try reader.read(.app1, extended(2, [3, 4]))
        #expect(try reader.assembled().xmp == main)
        // The missing one may still come.
        try reader.read(.app1, extended(0, [1, 2]))
        #expect(try reader.assembled().xmp == main + [1, 2, 3, 4])
    }

    @Test func anExtensionThatTheMainPacketDoesNotNameIsLeftOut() throws {
        var reader = Reader()
        let other = Array(repeating: UInt8(ascii: "8"), count: 32)
        let main = Array("<x>".utf8) + Self.guid
        try reader.read(.app1, xmp(main))
        try reader.read(.app1, extended(0, [1, 2], guid: other))
        try reader.read(.app1, extended(0, [5, 6]))
        #expect(try reader.assembled().xmp == main)
        // Nor is one without a main packet shown.
        var alone = Reader()
        try alone.read(.app1, extended(0, [1, 2]))
        #expect(try alone.assembled().xmp == nil)
    }

    @Test func exifCountsInFrontOfTheFirstScanOnly() throws {
        let block: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        let exif = Array("Exif\0\0".utf8) + block
        var late = Reader()
        try late.read(.app1, exif, isLate: true)
        #expect(late.segments.metadata == ImageMetadata())
        var early = Reader()
        try early.read(.app1, exif)
        try early.read(.app1, Array("Exif\0\0".utf8) + [9, 9])
        #expect(early.segments.metadata.exif == block)
        #expect(early.segments.metadata.orientation == .right)
    }

    @Test func joiningHoldsOneItemTwiceAtMost() throws {
        let piece = [UInt8](repeating: 3, count: 60_000)
        let meter = MemoryMeter()
        do {
            var reader = Reader(meter: meter)
            for number in 1...20 { try reader.read(.app2, profile(UInt8(number), of: 20, piece)) }
            for _ in 0..<20 { try reader.read(.app13, photoshop(piece)) }
            try reader.read(.app1, xmp(Self.guid))
            for number in 0..<4 { try reader.read(.app1, extended(UInt8(number), [UInt8(number)])) }
            let metadata = try reader.assembled()
            #expect(metadata.iccProfile?.count == 1_200_000 && metadata.iptc?.count == 1_200_000)
            #expect(metadata.xmp == Self.guid + [0, 1, 2, 3])
            // The pieces and what they are joined to, one after the other.
            #expect(meter.peak <= 2 * 1_200_000 + 1_200_000 + 100_000)
        }
        #expect(meter.current == 0)
    }
}
