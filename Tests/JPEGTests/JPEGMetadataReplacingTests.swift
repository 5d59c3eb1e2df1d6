import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct JPEGMetadataReplacingTests {
    private func fixture(_ name: String) throws -> ImageData { ImageData(try FixtureBytes.read("jpeg/\(name)")) }

    private func metadata(_ file: ImageData) throws -> ImageMetadata {
        try JPEGCoder().inspect(file, options: .default).metadata
    }

    /// Marker codes and bodies of the segments before the first scan.
    private func segments(_ file: ImageData) -> [(code: UInt8, body: [UInt8])] {
        file.withBytes { bytes in
            var (segments, position): ([(code: UInt8, body: [UInt8])], Int) = ([], 2)
            while position + 4 <= bytes.count, bytes[position + 1] != 0xDA {
                let end = position + 2 + Int(bytes.bigEndianUInt16(at: position + 2))
                segments.append((bytes[position + 1], bytes.bytes(in: position + 4..<end)))
                position = end
            }
            return segments
        }
    }

    private func bytes(_ file: ImageData) -> [UInt8] { file.withBytes { Array($0) } }

    private static let exif: [UInt8] = ExifBlock.bytes(nil, orientation: .left) ?? []

    @Test(arguments: ["landscape-420.jpg", "landscape-progressive.jpg", "landscape-gray-restart.jpg", "cmyk.jpg"])
    func everythingThatFitsIsWrittenAndNothingElseChanges(_ name: String) throws {
        let file = try fixture(name)
        var wanted = try metadata(file)
        wanted.exif = Self.exif
        wanted.orientation = .left
        // Longer than a segment, so that it becomes an extension.
        wanted.xmp = Array("<a>".utf8) + [UInt8](repeating: 0x20, count: 100_000)
        wanted.iptc = [UInt8](repeating: 7, count: 70_000)
        wanted.comments = ["one", "two"]
        let changed = try JPEGCoder().replacingMetadata(of: file, with: wanted, limits: .default)
        #expect(try metadata(changed) == wanted)
        var options = DecodingOptions()
        options.appliesOrientation = false
        #expect(
            try JPEGCoder().decode(changed, options: options).bitmap
                == JPEGCoder().decode(file, options: options).bitmap)
        let kept = { (file: ImageData) in segments(file).filter { ![0xE1, 0xED, 0xFE].contains($0.code) }.map(\.body) }
        #expect(kept(changed) == kept(file))
        let back = try JPEGCoder().replacingMetadata(of: changed, with: metadata(file), limits: .default)
        #expect(try metadata(back) == metadata(file))
        #expect(back.count == file.count)
    }

    @Test func exifFollowsTheHeadOfTheFile() throws {
        var wanted = try metadata(fixture("landscape-420.jpg"))
        wanted.exif = Self.exif
        wanted.orientation = .left
        wanted.xmp = Array("<a/>".utf8)
        let once = try JPEGCoder().replacingMetadata(of: fixture("landscape-420.jpg"), with: wanted, limits: .default)
        #expect(segments(once).prefix(3).map(\.code) == [0xE0, 0xE1, 0xE1])
        #expect(segments(once)[1].body.starts(with: Array("Exif".utf8)))
        wanted.xmp = Array("<b/>".utf8)
        let twice = try JPEGCoder().replacingMetadata(of: once, with: wanted, limits: .default)
        #expect(segments(twice)[1].body == segments(once)[1].body)
        #expect(segments(twice)[2].body.suffix(4) == Array("<b/>".utf8))
    }

    /// Bytes between a removed segment and the next marker would become coded data.
    @Test func strayBytesDoNotJoinTheCodedDataBeforeThem() throws {
        let late: [UInt8] = [0xFF, 0xE1, 0, 8] + Array("Exif\0\0".utf8)
        for name in ["landscape-420.jpg", "arithmetic.jpg"] {
            let plain = bytes(try fixture(name))
            let scan = try #require(JPEGBytes.segment([0xDA], in: plain))
            let coded = scan + 2 + Int(plain[scan + 2]) << 8 + Int(plain[scan + 3])
            let wanted = try metadata(ImageData(plain))
            // After coded data, and before what would be coded data without the segment.
            let end = Array(plain.dropLast(2))
            let after = try JPEGCoder().replacingMetadata(
                of: ImageData(end + late + [1, 2, 3, 0xFF, 0xD9]), with: wanted, limits: .default)
            #expect(bytes(after) == end + [0xFF, 0xD9])
            let before = try JPEGCoder().replacingMetadata(
                of: ImageData(plain[..<coded] + late + plain[coded...]), with: wanted, limits: .default)
            #expect(bytes(before) == Array(plain[..<coded]) + [0xFF, 0xD9])
            // The removed segment was the last, and its marker the only one after the coded data.
            let last = try JPEGCoder().replacingMetadata(of: ImageData(end + late), with: wanted, limits: .default)
            #expect(bytes(last) == end + [0xFF, 0xD9])
        }
    }

    @Test func unknownSegmentsAndWhatFollowsStay() throws {
        let plain = bytes(try fixture("landscape-420.jpg"))
        let unknown: [UInt8] = [0xFF, 0xE5, 0, 5, 1, 2, 3]
        let late: [UInt8] = [0xFF, 0xE1, 0, 8] + Array("Exif\0\0".utf8)
        // An EXIF segment after the scan, where it does not count, goes whether or not the EXIF data change.
        let file = ImageData(
            plain[..<2] + unknown + plain[2..<plain.count - 2] + late + [0xFF, 0xD9] + Array("second picture".utf8))
        var wanted = try metadata(file)
        let same = bytes(try JPEGCoder().replacingMetadata(of: file, with: wanted, limits: .default))
        var clean = Array(plain[..<2]) + unknown
        clean += plain[2...] + Array("second picture".utf8)
        #expect(same == clean)
        wanted.exif = Self.exif
        wanted.orientation = .left
        let changed = bytes(try JPEGCoder().replacingMetadata(of: file, with: wanted, limits: .default))
        #expect(changed.suffix(16) == [0xFF, 0xD9] + Array("second picture".utf8))
        #expect(changed.count == file.count - late.count + 10 + Self.exif.count)
        #expect(segments(ImageData(changed)).contains { $0.code == 0xE5 && $0.body == [1, 2, 3] })
        #expect(changed[changed.count - 18] != 0xFF)
    }

    private func segment(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let count = 2 + name.utf8.count + body.count
        return [0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 255)] + Array(name.utf8) + body
    }

    private func packet(_ text: String) -> [UInt8] {
        segment("http://ns.adobe.com/xap/1.0/\0", Array("<\(text)/>".utf8))
    }

    /// A part of an extended XMP packet.
    private func part(_ guid: String, of total: Int, at offset: Int, _ text: String) -> [UInt8] {
        let numbers = [total, offset].flatMap { [UInt8](repeating: 0, count: 3) + [UInt8($0)] }
        return segment("http://ns.adobe.com/xmp/extension/\0", Array(guid.utf8) + numbers + Array(text.utf8))
    }

    private static let guid = "0123456789ABCDEF0123456789ABCDEF"

    @Test func blocksThatReadersPassOverGoWithEveryChange() throws {
        let plain = bytes(try fixture("landscape-420.jpg"))
        let exif = { (bytes: [UInt8]) in segment("Exif\0\0", bytes) }
        let secret = Array("SECRET".utf8)
        let blocks: [[UInt8]] = [
            exif(secret), exif(Self.exif) + exif(secret), exif(secret) + exif(Self.exif),
            packet("a") + packet("SECRET"), part(Self.guid, of: 9, at: 0, "<SECRET/>"),
            packet("a") + part(Self.guid, of: 9, at: 0, "<SECRET/>"),
            packet("HasExtendedXMP='\(Self.guid)'") + part(Self.guid, of: 19, at: 10, "<SECRET/>"),
            packet("HasExtendedXMP='\(Self.guid)'") + part(Self.guid, of: 3, at: 0, "<b>")
                + part(Self.guid.lowercased(), of: 9, at: 0, "<SECRET/>"),
        ]
        for hidden in blocks {
            for place in [2, plain.count - 2] {
                let file = ImageData(plain[..<place] + hidden + plain[place...])
                var wanted = try metadata(file)
                if wanted.xmp.map({ contains($0, secret) }) == true { wanted.xmp = nil }
                if wanted.exif == secret { wanted.exif = nil }
                wanted.comments = ["changed"]
                let changed = try JPEGCoder().replacingMetadata(of: file, with: wanted)
                let staysHidden = contains(bytes(changed), secret)
                #expect(!staysHidden, "\(hidden) at \(place)")
                #expect(try metadata(changed) == wanted, "\(hidden) at \(place)")
            }
        }
    }

    @Test func blocksBehindDamageAfterAScanGo() throws {
        let plain = bytes(try fixture("landscape-420.jpg"))
        let end = plain.count - 2
        let damage: [UInt8] = [0xFF, 0xE5, 0, 1]
        var wanted = try metadata(ImageData(plain))
        wanted.comments = ["changed"]
        func changed(_ late: [UInt8]) throws -> [UInt8] {
            let file: [UInt8] = plain[..<end] + damage + late + [0xFF, 0xD9]
            return bytes(try JPEGCoder().replacingMetadata(of: ImageData(file), with: wanted))
        }
        // The length of the damaged segment is what stands before the next.
        #expect(try changed(packet("SECRET")) == changed([]).dropLast(4) + [0xFF, 0xD9])
        #expect(try changed(packet("SECRET") + [0xFF, 0xFE, 0, 3, 65]) == changed(packet("SECRET")))
    }

    /// What an inspection does not come to, because a second SOI ends it, goes too.
    @Test func whatIsBehindDamageGoes() throws {
        let plain = bytes(try fixture("landscape-420.jpg"))
        let end = plain.count - 2
        let resources = [0xFF, 0xED, 0, 22] + Array("Photoshop 3.0\0SECRET".utf8)
        for late in [resources, [0xFF, 0xFE, 0, 8] + Array("SECRET".utf8), packet("SECRET")] {
            let file = ImageData(plain[..<end] + [0xFF, 0xD8] + late + [0xFF, 0xD9])
            let wanted = try JPEGCoder().storedMetadata(of: file, limits: .default)
            let changed = bytes(try JPEGCoder().replacingMetadata(of: file, with: wanted))
            let staysHidden = contains(changed, Array("SECRET".utf8))
            #expect(!staysHidden, "\(late)")
        }
    }

    /// A main packet that only names its extension is not a part of what decoders put together: nothing else may stand in its place.
    @Test func noPacketHidesBehindAnExtension() throws {
        let plain = bytes(try fixture("landscape-420.jpg"))
        let text = String(repeating: "a", count: 20)
        let main = "HasExtendedXMP='not hexadecimal, 32 characters!!'"
        let file = ImageData(
            plain[..<2] + packet(main) + part("not hexadecimal, 32 characters!!", of: 20, at: 0, text)
                + packet("SECRET") + plain[2...])
        let wanted = try JPEGCoder().storedMetadata(of: file, limits: .default)
        #expect(try #require(wanted.xmp).suffix(20) == Array(text.utf8)[...])
        let changed = bytes(try JPEGCoder().replacingMetadata(of: file, with: wanted))
        let staysHidden = contains(changed, Array("SECRET".utf8))
        #expect(!staysHidden)
    }

    /// Each segment asks what differs; 40,000 of them did so in 23 seconds.
    @Test(.timeLimit(.minutes(1))) func manySegmentsAreWrittenInTime() throws {
        let plain = bytes(try fixture("landscape-420.jpg"))
        let comments = (0..<60_000).flatMap { _ in [0xFF, 0xFE, 0, 2] as [UInt8] }
        let file = ImageData(plain[..<2] + comments + plain[2...])
        let wanted = try JPEGCoder().storedMetadata(of: file, limits: .default)
        #expect(try bytes(JPEGCoder().replacingMetadata(of: file, with: wanted)) == bytes(file))
    }

    @Test func extendedPacketsStayWhereTheyAre() throws {
        let plain = bytes(try fixture("landscape-420.jpg"))
        let rest = "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">more</x:xmpmeta>"
        func xmp(_ guid: String) -> [UInt8] {
            segment(
                "http://ns.adobe.com/xap/1.0/\0",
                Array("<?xpacket begin=''?><x:xmpmeta>HasExtendedXMP='\(guid)'</x:xmpmeta><?xpacket end='w'?>".utf8))
                + part(guid, of: rest.utf8.count, at: 0, String(rest.prefix(9)))
                + part(guid, of: rest.utf8.count, at: 9, String(rest.dropFirst(9)))
        }
        let end = plain.count - 2
        // A name that is no digest of the extension is as good.
        for guid in [MD5Digest(of: Array(rest.utf8)).hexadecimal, Self.guid] {
            let file = ImageData(plain[..<end] + xmp(guid) + plain[end...])
            var wanted = try JPEGCoder().decode(file, options: .default).metadata
            #expect(try #require(wanted.xmp).suffix(rest.utf8.count) == Array(rest.utf8)[...])
            #expect(bytes(try JPEGCoder().replacingMetadata(of: file, with: wanted)) == bytes(file))
            // Written anew, the name is the digest.
            wanted.xmp?.append(0x20)
            let changed = try JPEGCoder().replacingMetadata(of: file, with: wanted)
            let digest = MD5Digest(of: Array((rest + " ").utf8)).hexadecimal
            let expected = Array(
                String(decoding: try #require(wanted.xmp), as: UTF8.self).replacing(guid, with: digest).utf8)
            #expect(try JPEGCoder().decode(changed, options: .default).metadata.xmp == expected)
        }
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    @Test func theDensityIsChangedInPlace() throws {
        let file = try fixture("landscape-420.jpg")
        var wanted = try metadata(file)
        wanted.density = PixelDensity(x: 300, y: 200, unit: .inch)
        let changed = try JPEGCoder().replacingMetadata(of: file, with: wanted, limits: .default)
        #expect(try metadata(changed).density == wanted.density && changed.count == file.count)
        #expect(segments(changed).first?.code == 0xE0)
    }

    @Test func whatCannotBeIsRefused() throws {
        let file = try fixture("landscape-420.jpg")
        var wanted = try metadata(file)
        var editor = ExifEditor()
        try editor.set(.imageDescription, to: .ascii(String(repeating: "a", count: 65_600)))
        wanted.exif = try editor.bytes()
        #expect(throws: ImageError.self) { try JPEGCoder().replacingMetadata(of: file, with: wanted, limits: .default) }
        for bytes: [UInt8] in [[], [0xFF, 0xD8, 0xFF], bytes(file).dropLast(file.count - 100).map { $0 }] {
            #expect(throws: ImageError.self) {
                try JPEGCoder().replacingMetadata(of: ImageData(bytes), with: wanted, limits: .default)
            }
        }
    }

    @Test func everyPrefixEndsWithAFileOrAnError() throws {
        let all = bytes(ImageData(try FixtureBytes.read("metadata/photo.jpg")))
        for count in stride(from: 0, to: all.count, by: 7) {
            let file = ImageData(all[..<count])
            guard let changed = try? JPEGCoder().replacingMetadata(of: file, with: ImageMetadata(), limits: .default)
            else { continue }
            #expect(changed.count < count)
        }
    }
}
