import CodecTestSupport
import ImageCodecsCore
import ImageColor
import Testing

@Suite struct ICCProfileReaderTests {
    private static func code(_ bytes: [UInt8]) -> ICCProfileError.Code? {
        do {
            _ = try ColorProfile(icc: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    private static let gammaOf2 = sampledCurve([0x200])

    /// The primaries of sRGB with a gamma of 2, as version 2 writes them.
    private static let rgb = profileBytes(rgbTags)
    private static let rgbTags = [
        ("rXYZ", tristimulus(0.4361, 0.2225, 0.0139)), ("gXYZ", tristimulus(0.3851, 0.7169, 0.0971)),
        ("bXYZ", tristimulus(0.1431, 0.0606, 0.7141)), ("rTRC", gammaOf2), ("gTRC", gammaOf2), ("bTRC", gammaOf2),
    ]

    @Test func curvesAndPrimariesAreRead() throws {
        let profile = try ColorProfile(icc: Self.rgb)
        #expect(profile.channels == .rgb)
        // Half of the number is a quarter of the light, which sRGB writes as 0.5371: 1.055 * 0.25^(1/2.4) - 0.055.
        let gray = try ColorTransform(from: profile, to: .sRGB).converted(Self.pixel(128, 128, 128))
        #expect(gray.packedBytes().allSatisfy { abs(Int($0) - 137) <= 1 })
    }

    private static func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgb)
        bitmap.withMutableRowBytes(0) { row in
            for (place, value) in [red, green, blue].enumerated() { row.setByte(value, at: place) }
        }
        return bitmap
    }

    /// What Little CMS 2.19 gives for 255, 255, 255 and 200, 100, 50: absolute, paper and what was scanned keep their white.
    @Test(arguments: [
        ("scnr", true, [237, 237, 223, 189, 102, 45]), ("prtr", true, [237, 237, 223, 189, 102, 45]),
        ("mntr", true, [255, 255, 255, 206, 109, 55]), ("scnr", false, [255, 255, 255, 206, 109, 55]),
    ])
    func theWhiteOfTheMediumCountsInAbsoluteColorimetry(
        deviceClass: String, isAbsolute: Bool, expected: [Int]
    ) throws {
        for version: UInt8 in [2, 4] {
            let bytes = profileBytes(
                deviceClass: deviceClass, version: version, Self.rgbTags + [("wtpt", tristimulus(0.8, 0.84, 0.62))])
            let transform = ColorTransform(
                from: try ColorProfile(icc: bytes), to: .sRGB,
                intent: isAbsolute ? .absoluteColorimetric : .relativeColorimetric)
            let shown = try [Self.pixel(255, 255, 255), Self.pixel(200, 100, 50)].flatMap {
                try transform.converted($0).packedBytes()
            }
            #expect(zip(shown, expected).allSatisfy { abs(Int($0) - $1) <= 1 })
        }
    }

    /// The matrix of ICC.1:2022 annex E from D65 to D50; and others that are none, or too short.
    @Test func theWhiteOfTheDeviceIsNamed() throws {
        func white(_ element: [UInt8]) throws -> String? {
            ColorWords(try ColorProfile(icc: profileBytes(version: 4, Self.rgbTags + [("chad", element)]))).white
        }
        func adaptation(_ numbers: [Double]) -> [UInt8] { Array("sf32".utf8) + word(0) + numbers.flatMap(fixed) }
        let bradford = [1.04790, 0.02293, -0.05014, 0.02960, 0.99046, -0.01706, -0.00925, 0.01506, 0.75179]
        #expect(try white(adaptation(bradford)) == "D65")
        #expect(try white(adaptation([1, 0, 0, 0, 1, 0, 0, 0, 1])) == "D50")
        #expect(try white(adaptation([1, 0, 0, 0, 1, 0, 0, 0, 0.5])) == "0.267, 0.277")
        #expect(try white(adaptation(Array(repeating: 1, count: 9))) == nil)
        #expect(try white(adaptation(Array(bradford.dropLast()))) == nil)
        #expect(try white(tristimulus(1, 1, 1)) == nil)
        #expect(ColorWords(try ColorProfile(icc: StandardColorSpace.displayP3.iccProfile)).white == "D65")
        #expect(ColorWords(try ColorProfile(icc: Self.rgb)).white == nil)
    }

    @Test func whatIsMissingIsNamed() {
        #expect(Self.code(profileBytes([("rTRC", Self.gammaOf2)])) == .missingTag)
        #expect(Self.code(profileBytes(channels: "CMYK", [])) == .missingTag)
        #expect(Self.code(profileBytes(channels: "GRAY", [])) == .missingTag)
        #expect(Self.code(profileBytes(deviceClass: "link", [])) == .unsupportedClass)
        #expect(Self.code(profileBytes(channels: "HSV ", [])) == .unsupportedColorSpace)
        #expect(Self.code(profileBytes(connection: "Luv ", [])) == .unsupportedConnectionSpace)
        #expect(Self.code([1, 2, 3]) == .truncated)
        #expect(Self.code(Array(repeating: 0, count: 200)) == .notAProfile)
    }

    @Test func sizesAreCheckedBeforeTheyAreUsed() {
        var manyTags = profileBytes([])
        manyTags.replaceSubrange(128..<132, with: word(1000))
        #expect(Self.code(manyTags) == .tooLarge)
        let curve = Array("curv".utf8) + word(0) + word(1 << 30)
        #expect(Self.code(profileBytes(channels: "GRAY", [("kTRC", curve)])) == .tooLarge)
        let grid = table16(channels: 4, points: 255, [0, 0, 0])
        #expect(Self.code(profileBytes(channels: "CMYK", connection: "Lab ", [("A2B0", grid)])) == .truncated)
        let onePoint = table16(channels: 3, points: 1, [0, 0, 0])
        #expect(Self.code(profileBytes(connection: "Lab ", [("A2B0", onePoint)])) == .invalidTag)
        let parametric = Array("para".utf8) + word(0) + half(9) + half(0) + fixed(1)
        #expect(Self.code(profileBytes(channels: "GRAY", [("kTRC", parametric)])) == .invalidTag)
    }

    @Test func everyPrefixEndsAndEveryFlippedByteGivesColoursOrAnError() throws {
        let grid = table16(channels: 3, points: 2, (0..<24).map { $0 * 2700 })
        let tables = profileBytes(connection: "Lab ", [("A2B0", grid), ("A2B1", grid)])
        for whole in [Self.rgb, tables, StandardColorSpace.displayP3.iccProfile] {
            for count in stride(from: 0, to: whole.count, by: 3) { _ = Self.code(Array(whole[..<count])) }
            var random = SeededRandom(seed: 7)
            for _ in 0..<400 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = random.bytes(1)[0]
                }
                guard let profile = try? ColorProfile(icc: bytes), profile.channels == .rgb else { continue }
                let shown = try ColorTransform(from: profile, to: .sRGB).converted(Self.pixel(200, 100, 50))
                #expect(shown.size == PixelSize(width: 1, height: 1))
            }
        }
    }

    /// A print whose white is paper and whose black is gray: black point compensation makes it black.
    @Test func theDarkestInkBecomesBlack() throws {
        // L of version 2: 100 is 0xFF00. Points by cyan, magenta, yellow, black; black varies fastest.
        let values = (0..<16).flatMap { $0 == 0 ? [0xFF00, 0x8000, 0x8000] : [0xFF00 / 5, 0x8000, 0x8000] }
        let bytes = profileBytes(
            deviceClass: "prtr", channels: "CMYK", connection: "Lab ",
            [("A2B0", table16(channels: 4, points: 2, values))])
        let profile = try ColorProfile(icc: bytes)
        var picture = try Bitmap(size: PixelSize(width: 2, height: 1), format: .cmyk)
        picture.withMutableRowBytes(0) { for at in 0..<4 { $0.setByte(255, at: at) } }
        let shown = try ColorTransform(from: profile, to: .sRGB).converted(picture)
        #expect(shown.format == .bgrx)
        #expect(shown.packedBytes() == [255, 255, 255, 255, 0, 0, 0, 255])
        let plain = try ColorTransform(from: profile, to: .sRGB, compensatesBlackPoint: false).converted(picture)
        // L of 20 is 48 in sRGB.
        #expect(abs(Int(plain.packedBytes()[4]) - 48) <= 1)
    }

    /// Tables that print black 0, 0, 0 with black alone, and everything else with no ink.
    private static let printing: [(name: String, element: [UInt8])] = {
        // Three points of L, two of a and b, so that a and b of 0 lie between points; b varies fastest.
        let bytes = (0..<27).flatMap { $0 < 9 ? [0, 0, 0, 255] : [0, 0, 0, 0] as [UInt8] }
        let words = bytes.map { Int($0) * 257 }
        let straight = sampledCurve([])
        // L is turned around, and the grid with it.
        let turned = [-1.0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0]
        let (less, more) = (bytes[..<36], bytes[36...])
        return [
            ("lut8", table8(channels: 3, outputs: 4, points: 3, bytes)),
            ("lut16", table16(channels: 3, outputs: 4, points: 3, words)),
            (
                "mBA",
                curvesAndGridToDevice(
                    outputs: 4, curve: straight, matrix: turned, pointCounts: [3, 3, 3],
                    Array(more) + Array(less))
            ),
        ]
    }()

    /// Relative colorimetric, the darkest that a printer prints becomes black, not all of its inks.
    @Test(arguments: printing) func whatIsPrintedForBlackBecomesBlack(table: (name: String, element: [UInt8])) throws {
        // Black alone is L 20, and all inks are darker still: black varies fastest.
        let lightness = (0..<16).map { $0 == 0 ? 0xFF00 : $0 == 1 ? 0xFF00 / 5 : 0 }
        let colors = table16(channels: 4, points: 2, lightness.flatMap { [$0, 0x8000, 0x8000] })
        func black(_ tags: [(name: String, element: [UInt8])]) throws -> UInt8 {
            let profile = try ColorProfile(
                icc: profileBytes(deviceClass: "prtr", channels: "CMYK", connection: "Lab ", tags))
            var picture = try Bitmap(size: PixelSize(width: 1, height: 1), format: .cmyk)
            // As Adobe stores it: paper of cyan, magenta and yellow, none of black.
            picture.withMutableRowBytes(0) { for at in 0..<3 { $0.setByte(255, at: at) } }
            return try ColorTransform(from: profile, to: .sRGB, intent: .relativeColorimetric).converted(picture)
                .packedBytes()[0]
        }
        // L of 20 is 48 in sRGB. Without a table what is printed for black is not known.
        #expect(abs(Int(try black([("A2B1", colors)])) - 48) <= 1)
        #expect(try black([("A2B1", colors), ("B2A0", table.element)]) == 0)
    }

    @Test(arguments: printing) func tablesToTheDeviceAreReadWhole(table: (name: String, element: [UInt8])) {
        let colors = table16(channels: 4, points: 2, Array(repeating: 0x8000, count: 48))
        func code(_ element: [UInt8], deviceClass: String = "prtr") -> ICCProfileError.Code? {
            Self.code(
                profileBytes(
                    deviceClass: deviceClass, channels: "CMYK", connection: "Lab ",
                    [("A2B0", colors), ("B2A0", element)]))
        }
        #expect(code(table.element) == nil)
        for count in stride(from: 8, to: table.element.count - 3, by: 7) {
            #expect(code(Array(table.element[..<count])) == .truncated)
            #expect(code(Array(table.element[..<count]), deviceClass: "scnr") == nil)
        }
        var other = table.element
        other[9] = 3
        #expect(code(other) == .invalidTag)
        #expect(code(colors) == .invalidTag)
    }
}
