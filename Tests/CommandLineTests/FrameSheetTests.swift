import ImageCodecsCore
import ImageInspection
import Testing
import imagetool

/// Frames with the given descriptions, all with the same pixels.
private struct StubAnimation: AnimatedImageProvider {
    let info: ImageInfo
    let frames: [FrameInfo]
    let bitmap: Bitmap
    /// The frame that cannot be decoded.
    var damagedIndex: Int?

    /// - Parameter pixels: straight red, green, blue, alpha.
    init(_ size: PixelSize, _ frames: [FrameInfo], pixels: [SIMD4<UInt8>]) throws {
        bitmap = try Bitmap(
            copying: pixels.flatMap { [$0.x, $0.y, $0.z, $0.w] }, size: size, format: .rgba,
            bytesPerRow: 4 * size.width)
        info = ImageInfo(
            format: .gif, size: size, animation: ImageInfo.Animation(frameCount: frames.count, loopCount: 0),
            hasAlpha: true, bitDepth: 8, colorDescription: "palette", decodedSize: size, decodedFormat: .rgba,
            estimatedPeakByteCount: 0)
        self.frames = frames
    }

    var frameCount: Int { frames.count }

    func duration(at index: Int) throws(ImageError) -> Duration { try frameInfo(at: index).duration }

    func frameInfo(at index: Int) throws(ImageError) -> FrameInfo {
        try check(frameAt: index)
        return frames[index]
    }

    func frame(at index: Int) throws(ImageError) -> ImageFrame {
        if index == damagedIndex { throw .truncated(.gif, offset: 7) }
        return ImageFrame(bitmap: bitmap, duration: try duration(at: index))
    }
}

@Suite struct FrameSheetTests {
    private let red = PixelColor(rgba8: SIMD4(255, 0, 0, 255))
    private let white = PixelColor(rgba8: SIMD4(255, 255, 255, 255))
    private let gray = PixelColor(rgba8: SIMD4(204, 204, 204, 255))
    private let background = PixelColor(rgba8: SIMD4(32, 32, 32, 255))
    private let text = PixelColor(rgba8: SIMD4(224, 224, 224, 255))
    private let outline = PixelColor(rgba8: SIMD4(255, 0, 128, 255))

    private func frame(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> FrameInfo {
        FrameInfo(rect: PixelRect(x: x, y: y, width: width, height: height), duration: .milliseconds(120))
    }

    /// 4x2 pixels, the left half of them red and the right half transparent.
    private func animation(_ frames: [FrameInfo]) throws -> StubAnimation {
        let row = [SIMD4<UInt8>](repeating: SIMD4(255, 0, 0, 255), count: 2) + [SIMD4(9, 9, 9, 0), SIMD4(9, 9, 9, 0)]
        return try StubAnimation(PixelSize(width: 4, height: 2), frames, pixels: row + row)
    }

    private func sheet(
        _ animation: StubAnimation, _ frames: Range<Int>, cell: Int = 40, limits: DecodingLimits = .default
    ) throws -> FrameSheet {
        try FrameSheet(
            animation, frames: frames, cell: PixelSize(width: cell, height: cell), columns: 2, limits: limits)
    }

    @Test func smallFramesAreMagnifiedOverACheckerboard() throws {
        var sheet = try sheet(animation([frame(0, 0, 4, 2)]), 0..<1)
        #expect(try sheet.draw(frameAt: 0) == nil)
        let bitmap = sheet.bitmap
        // One cell of 40 pixels and three lines of ten below it, with a gap of eight around and of four between.
        #expect(bitmap.size == PixelSize(width: 56, height: 8 + 40 + 4 + 30 + 8))
        // Ten times as large, 40x20 in the middle of the cell.
        #expect(bitmap[8, 18] == red && bitmap[27, 37] == red)
        #expect(bitmap[28, 18] == white || bitmap[28, 18] == gray)
        #expect(bitmap[32, 18] != bitmap[31, 18])
        #expect(bitmap[8, 16] == background && bitmap[8, 39] == background)
    }

    @Test func theRectangleOfAFrameIsOutlinedFromOutside() throws {
        var sheet = try sheet(animation([frame(1, 0, 2, 1)]), 0..<1)
        _ = try sheet.draw(frameAt: 0)
        let bitmap = sheet.bitmap
        // Columns 18 ..< 38 and rows 18 ..< 28 of the sheet.
        for (x, y) in [(17, 17), (17, 28), (38, 17), (38, 28), (17, 20), (38, 20), (30, 17), (30, 28)] {
            #expect(bitmap[x, y] == outline, "\(x),\(y)")
        }
        #expect(bitmap[18, 18] == red && bitmap[37, 27] != outline && bitmap[16, 17] == background)
    }

    @Test func noOutlineIsDrawnWhereAFrameLeavesTheCanvas() throws {
        let far = Int.max / 2
        let frames = [frame(-1, -1, 9, 2), frame(far, far, far, far), frame(-far, -far, 3, 3), frame(2, 1, 0, 0)]
        var sheet = try sheet(animation(frames), 0..<4)
        for index in 0..<4 { _ = try sheet.draw(frameAt: index) }
        let bitmap = sheet.bitmap
        // Only the lower side of the first is on the canvas.
        #expect(bitmap[8, 28] == outline && bitmap[47, 28] == outline)
        var count = 0
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width where bitmap[x, y] == outline { count += 1 }
        }
        #expect(count == 42)
    }

    @Test func linesBelowSayWhatTheFileSays() throws {
        let animation = try animation([frame(0, 0, 4, 2), frame(0, 0, 4, 2)])
        var sheet = try sheet(animation, 1..<2, cell: 120)
        _ = try sheet.draw(frameAt: 1)
        for (number, line) in ["frame 1: 120 ms", "over, then keep", "from frame 0"].enumerated() {
            let top = 8 + 120 + 4 + 10 * number
            var expected = Set<[Int]>()
            BitmapFont.forEachPixel(of: line) { x, y in expected.insert([8 + x, top + y]) }
            var found = Set<[Int]>()
            for y in top..<top + BitmapFont.height {
                for x in 0..<sheet.bitmap.width where sheet.bitmap[x, y] == text { found.insert([x, y]) }
            }
            #expect(found == expected, "\(line)")
        }
    }

    @Test func aFrameThatFailsStillHasItsLines() throws {
        var animation = try animation([frame(0, 0, 4, 2)])
        animation.damagedIndex = 0
        var sheet = try sheet(animation, 0..<1)
        #expect(throws: ImageError.truncated(.gif, offset: 7)) { try sheet.draw(frameAt: 0) }
        let bitmap = sheet.bitmap
        #expect((0..<bitmap.width).contains { bitmap[$0, 53] == text })
        #expect(bitmap[20, 20] == background)
    }

    @Test func largeFramesAreMadeSmaller() throws {
        var sheet = try sheet(animation([frame(0, 0, 2, 2)]), 0..<1, cell: 2)
        _ = try sheet.draw(frameAt: 0)
        // Two pixels of one row: the first is what the file has, the second is beside it.
        // The filter overshoots a little.
        let pixel = sheet.bitmap[8, 8].rgba8
        #expect(pixel.x == 255 && pixel.y < 32 && pixel.z == pixel.y)
        #expect(sheet.bitmap[9, 8] == outline)
    }

    @Test func limitsCountForTheSheet() throws {
        var limits = DecodingLimits.default
        limits.maxPixelCount = 1000
        let animation = try animation([frame(0, 0, 4, 2)])
        #expect(throws: ImageError.self) { try sheet(animation, 0..<1, limits: limits) }
        #expect(throws: ImageError.self) { try sheet(animation, 0..<1, cell: .max, limits: .unlimited) }
    }

    @Test func everyCharacterLooksDifferent() {
        var pictures = Set<[Int]>()
        let characters = "0123456789abcdefghijklmnopqrstuvwxyz.,:-+/ ?"
        for character in characters {
            var pixels: [Int] = []
            BitmapFont.forEachPixel(of: String(character)) { x, y in
                #expect(x < BitmapFont.width && y < BitmapFont.height)
                pixels.append(y * BitmapFont.width + x)
            }
            pictures.insert(pixels)
        }
        #expect(pictures.count == characters.count)
    }
}
