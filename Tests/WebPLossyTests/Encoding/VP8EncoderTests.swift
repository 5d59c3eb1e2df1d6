import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLossyCodec

@Suite struct VP8EncoderTests {
    private typealias Effort = EncodingOptions.Effort

    private func encoded(
        _ bitmap: Bitmap, quality: Double = 75, _ effort: Effort = .default, filterStrength: Int? = nil,
        partitionCount: Int = 1, fitsColors: Bool = true
    ) throws -> (bytes: [UInt8], squaredError: Int) {
        var settings = VP8Encoder.Settings(quality: quality, effort: effort)
        settings.partitionCount = partitionCount
        settings.fitsColors = fitsColors
        if let filterStrength { settings.tuning.filterStrength = filterStrength }
        var encoder = VP8Encoder(bitmap.size, settings, meter: nil)
        var work = WorkGuard.unlimited
        let rows = try bitmap.converted(to: .rgba)
        for y in 0..<rows.height {
            try rows.withRowBytes(y) { (row) throws(ImageError) in try encoder.add(row, &work) }
        }
        let bytes = try encoder.finish(&work)
        return (bytes, encoder.squaredError)
    }

    private func decoded(_ bytes: [UInt8]) throws -> VP8Decoder {
        var decoder = VP8Decoder(byteCount: bytes.count, keepsPlanes: true, keepsMacroblocks: true)
        try bytes.withSpan { (bytes) throws(ImageError) in try decoder.append(bytes) }
        try decoder.finish()
        return decoder
    }

    private func picture(
        _ content: EncoderPicture.Content, _ width: Int, _ height: Int, seed: UInt64 = 1
    ) throws -> Bitmap {
        try EncoderPicture(content, size: PixelSize(width: width, height: height), format: .rgba, seed: seed).bitmap
    }

    @Test(arguments: EncoderPicture.Content.allCases, EncodingOptions.Effort.allCases)
    func everySizeIsDecoded(_ content: EncoderPicture.Content, _ effort: EncodingOptions.Effort) throws {
        for size in EncoderPicture.sizes {
            let bitmap = try picture(content, size.width, size.height)
            for quality in [0.0, 40, 100] {
                let bytes = try encoded(bitmap, quality: quality, effort).bytes
                let decoder = try decoded(bytes)
                #expect(decoder.isComplete && decoder.picture.size == size)
            }
        }
    }

    /// What frame headers can say is said in some frame. Never written are the other colour space, samples that need no clamping, the
    /// simple loop filter (it looks worse for the same bytes), deltas of its levels by mode, differences to y2 dc, y2 ac and uv ac (they
    /// gain nothing), segments without a map or with relative values, and probabilities that stay for a further frame, which a WebP file
    /// has not.
    @Test func everyPartOfTheHeaderIsUsed() throws {
        var infos: [VP8FrameInfo] = []
        for content in EncoderPicture.Content.allCases {
            for (quality, count) in [(10.0, 1), (60, 2), (90, 4), (100, 8)] {
                for side in [16, 144] {
                    let bytes = try encoded(picture(content, side, side), quality: quality, partitionCount: count).bytes
                    infos.append(try #require(decoded(bytes).frameInfo))
                }
            }
        }
        #expect(Set(infos.map(\.partitionCount)) == [1, 2, 4, 8])
        #expect(infos.contains { $0.hasSegmentMap } && infos.contains { !$0.hasSegmentMap })
        #expect(Set(infos.map(\.filterKind)) == [.none, .normal] && infos.contains { $0.filterSharpness > 0 })
        #expect(infos.contains { $0.skipProbability != nil } && infos.contains { $0.skipProbability == nil })
        #expect(infos.contains { $0.probabilityUpdateCount > 0 })
        #expect(infos.allSatisfy { $0.quantizerDeltas[0] != 0 && $0.quantizerDeltas[3] != 0 })
        #expect(
            infos.allSatisfy { $0.colorSpace == 0 && !$0.needsNoClamping && $0.filterDeltas.allSatisfy { $0 == 0 } })
    }

    /// A macroblock is left out if nothing of it has to change, and never if it must be coded.
    @Test func macroblocksAreLeftOutAsErrorsSay() throws {
        let bitmap = try picture(.scene, 64, 48)
        var encoder = VP8Encoder(bitmap.size, VP8Encoder.Settings(quality: 60, effort: .default), meter: nil)
        var work = WorkGuard.unlimited
        for y in 0..<48 {
            try bitmap.withRowBytes(y) { (row) throws(ImageError) in
                try encoder.add(row.extracting(0..<4 * 64), &work)
            }
        }
        let errors: [UInt32] = (0..<12).map { $0 % 3 == 0 ? 0 : $0 % 3 == 1 ? MacroblockErrors.unbearable : 3_000_000 }
        let bytes = try encoder.finish(shownErrors: errors, &work)
        #expect(encoder.leftOut == errors.map { $0 == 0 })
        #expect(try decoded(bytes).isComplete)
    }

    @Test func errorsOfMacroblocksAreSquaredDifferences() throws {
        var work = WorkGuard.unlimited
        let gray = try Bitmap(size: PixelSize(width: 40, height: 20), format: .rgba)
        var other = gray
        for y in 0..<20 {
            other.withMutableRowBytes(y) { row in
                for x in 16..<40 { for channel in 0..<3 { row.setByte(70, at: 4 * x + channel) } }
            }
        }
        let errors = try MacroblockErrors.errors(of: gray, from: other, meter: nil, work: &work)
        // Y' of a gray of 70 is 16 + 219 / 255 * 70, that of black 16 (BT.601).
        #expect(errors.count == 6 && errors[0] == 0 && errors[3] == 0)
        #expect(errors[1] == 256 * 60 * 60 && errors[2] == errors[1] && errors[4] == errors[1])
    }

    @Test func thinPicturesAreDecoded() throws {
        for (width, height) in [(16383, 1), (1, 16383), (16383, 17)] {
            let bitmap = try picture(.scene, width, height)
            #expect(try decoded(encoded(bitmap, .fast).bytes).picture.size == bitmap.size)
        }
    }

    /// Without the loop filter the decoder's planes are as far from the picture's as the encoder says: it predicted from the same.
    @Test(arguments: EncoderPicture.Content.allCases, EncodingOptions.Effort.allCases)
    func decodersHaveTheEncodersSamples(_ content: EncoderPicture.Content, _ effort: EncodingOptions.Effort) throws {
        for quality in [5.0, 50, 90, 100] {
            let bitmap = try picture(content, 80, 64)
            let (bytes, squaredError) = try encoded(
                bitmap, quality: quality, effort, filterStrength: 0, fitsColors: false)
            let planes = try decoded(bytes).planes()
            #expect(try error(of: planes, to: bitmap, mayOvershoot: effort != .fast) == squaredError)
        }
    }

    /// The squared error of planes; the picture's are computed here.
    ///
    /// - Parameter mayOvershoot: whether samples beyond white and black count as those, in macroblocks that have others too.
    private func error(of planes: [Bitmap], to bitmap: Bitmap, mayOvershoot: Bool) throws -> Int {
        func color(_ x: Int, _ y: Int) -> SIMD3<Int> {
            bitmap.withRowBytes(y) { row in
                SIMD3(Int(row.byte(at: 4 * x)), Int(row.byte(at: 4 * x + 1)), Int(row.byte(at: 4 * x + 2)))
            }
        }
        func sample(_ plane: Int, _ x: Int, _ y: Int) -> Int {
            planes[plane].withRowBytes(y) { Int($0.byte(at: x)) }
        }
        func luma(_ x: Int, _ y: Int) -> Int {
            let c = color(x, y)
            return (16839 * c[0] + 33059 * c[1] + 6420 * c[2] + 1_081_344) >> 16
        }
        var sum = 0
        for macroblock in 0..<bitmap.width / 16 * (bitmap.height / 16) {
            let (left, top) = (macroblock % (bitmap.width / 16) * 16, macroblock / (bitmap.width / 16) * 16)
            let places = (0..<256).map { (left + $0 % 16, top + $0 / 16) }
            let count = places.count { luma($0, $1) >= 235 || luma($0, $1) <= 16 }
            let isFree = mayOvershoot && count > 0 && count < 256
            for (x, y) in places {
                let (wanted, found) = (luma(x, y), sample(0, x, y))
                if isFree, wanted >= 235 && found > wanted || wanted <= 16 && found < wanted { continue }
                sum += (wanted - found) * (wanted - found)
            }
        }
        for y in 0..<bitmap.height / 2 {
            for x in 0..<bitmap.width / 2 {
                let c =
                    color(2 * x, 2 * y) &+ color(2 * x + 1, 2 * y) &+ color(2 * x, 2 * y + 1)
                    &+ color(2 * x + 1, 2 * y + 1)
                let u = (28800 * c[2] - 9719 * c[0] - 19081 * c[1] + 33_685_504) >> 18
                let v = (28800 * c[0] - 24116 * c[1] - 4684 * c[2] + 33_685_504) >> 18
                sum += (u - sample(1, x, y)) * (u - sample(1, x, y)) + (v - sample(2, x, y)) * (v - sample(2, x, y))
            }
        }
        return sum
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func moreQualityTakesMoreBytesAndLosesLess(_ effort: EncodingOptions.Effort) throws {
        let bitmap = try picture(.scene, 160, 120)
        var (byteCount, error) = (0, Int.max)
        for quality in stride(from: 0.0, through: 100, by: 10) {
            let file = try encoded(bitmap, quality: quality, effort)
            #expect(file.bytes.count >= byteCount && file.squaredError <= error)
            (byteCount, error) = (file.bytes.count, file.squaredError)
        }
    }

    @Test func theSamePictureGivesTheSameBytes() throws {
        let bitmap = try picture(.scene, 100, 90)
        for effort in Effort.allCases { #expect(try encoded(bitmap, effort).bytes == encoded(bitmap, effort).bytes) }
    }

    /// Four strips of gray noise, each some octaves stronger than the one above.
    private func strips(_ side: Int) throws -> Bitmap {
        var random = SeededRandom(seed: 4)
        var bytes: [UInt8] = []
        for y in 0..<side {
            let range = UInt64([1, 9, 41, 161][4 * y / side])
            for _ in 0..<side {
                let gray = UInt8(UInt64(128) - range / 2 + random.next() % range)
                bytes += [gray, gray, gray, 255]
            }
        }
        return try Bitmap(packed: bytes, size: PixelSize(width: side, height: side), format: .rgba)
    }

    /// Every mode, every segment and skipping are written for some picture.
    @Test func everySyntaxElementIsUsed() throws {
        var luma = Set<VP8Macroblock.Mode>()
        var chroma = Set<VP8Macroblock.Mode>()
        var subblocks = Set<VP8Macroblock.SubblockMode>()
        var segments = Set<Int>()
        var skippedCount = 0
        let pictures =
            try EncoderPicture.Content.allCases.map { try picture($0, 160, 160, seed: 3) } + [strips(160)]
        for bitmap in pictures {
            for quality in [10.0, 75, 100] {
                let bytes = try encoded(bitmap, quality: quality).bytes
                let decoder = try decoded(bytes)
                let grid = decoder.macroblockGrid
                for row in 0..<grid.height {
                    for column in 0..<grid.width {
                        let block = try #require(decoder.macroblock(column: column, row: row))
                        chroma.insert(block.chroma)
                        segments.insert(block.segment)
                        if block.isSkipped { skippedCount += 1 }
                        switch block.luma {
                        case .whole(let mode): luma.insert(mode)
                        case .subblocks(let modes): subblocks.formUnion(modes)
                        }
                    }
                }
            }
        }
        #expect(luma.count == 4 && chroma.count == 4 && subblocks.count == 10 && segments.count == 4)
        #expect(skippedCount > 0)
    }
}
