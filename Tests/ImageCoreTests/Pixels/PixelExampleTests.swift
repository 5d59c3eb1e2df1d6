import CodecTestSupport
import Testing

// snippet: pixel
import ImageCodecsCore

func describeCentre(of bitmap: Bitmap) -> String {
    let color = bitmap[bitmap.width / 2, bitmap.height / 2]
    return "\(color), \(color.rgba8[0]) of 255 red"
}
// end of snippet

// snippet: rows
func darkestSample(of picture: Bitmap) throws(ImageError) -> UInt8 {
    let gray = try picture.converted(to: .gray)
    var darkest = UInt8.max
    for y in 0..<gray.height {
        gray.withRow(y) { row in
            for x in row.indices { darkest = min(darkest, row[x]) }
        }
    }
    return darkest
}
// end of snippet

// snippet: deep
func brighten(_ heights: inout Bitmap) throws(ImageError) {
    heights = try heights.converted(to: .gray16)
    for y in 0..<heights.height {
        try heights.withMutableRow16(y) { row in
            for x in row.indices { row[x] = row[x] / 2 + 0x8000 }
        }
    }
}
// end of snippet

// snippet: copying
func picture(from frame: [UInt8], width: Int, height: Int, bytesPerRow: Int) throws(ImageError) -> Bitmap {
    let size = PixelSize(width: width, height: height)
    let whole = try Bitmap(copying: frame, size: size, format: .rgba, bytesPerRow: bytesPerRow)
    return try whole.cropped(to: PixelRect(x: 0, y: 0, width: width / 2, height: height))
}
// end of snippet

// snippet: memory
func byteCountNeeded(for file: ImageData, _ options: DecodingOptions, _ registry: CoderRegistry) throws(ImageError)
    -> Int
{
    let info = try registry.inspect(file, options: options)
    return try PixelLayout(of: info).byteCount
}

func fill(
    _ texture: inout MutableRawSpan, of size: PixelSize, bytesPerRow: Int, with file: ImageData,
    _ registry: CoderRegistry
) throws(ImageError) -> PartialReport? {
    var options = DecodingOptions.thumbnail(width: size.width, height: size.height)
    options.pixelFormat = .rgba
    return try registry.decode(file, into: &texture, bytesPerRow: bytesPerRow, options: options)
}
// end of snippet

/// The code shown in the article "Bitmaps and pixels" does what the text beside it says.
@Suite struct PixelExampleTests {
    @Test func aPixelIsDescribed() throws {
        let bitmap = try Bitmap(copying: [0, 128, 255, 255], size: PixelSize(width: 1, height: 1), format: .bgrx)
        #expect(describeCentre(of: bitmap) == "#ff8000, 255 of 255 red")
    }

    @Test func theDarkestSampleIsFound() throws {
        let bitmap = try Bitmap(copying: [9, 4, 200, 7], size: PixelSize(width: 2, height: 2), format: .gray)
        #expect(try darkestSample(of: bitmap) == 4)
    }

    @Test func heightsAreBrightened() throws {
        var bitmap = try Bitmap(copying: [0, 255], size: PixelSize(width: 2, height: 1), format: .gray)
        try brighten(&bitmap)
        #expect(bitmap.withRow16(0) { [$0[0], $0[1]] } == [0x8000, 0xffff])
    }

    @Test func aFrameIsCopiedAndCut() throws {
        let frame: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 9, 10, 11, 12, 13, 14, 15, 16]
        let left = try picture(from: frame, width: 2, height: 2, bytesPerRow: 10)
        #expect(left.packedBytes() == [1, 2, 3, 4, 9, 10, 11, 12])
    }

    @Test func aTextureIsFilled() throws {
        let registry = CoderRegistry([GraymapCoder()])
        let file = ImageData(Array("P5\n2 2\n255\n".utf8) + [1, 2, 3, 4])
        #expect(try byteCountNeeded(for: file, .default, registry) == 16)
        var texture = [UInt8](repeating: 77, count: 18)
        let partial = try texture.withMutableRawSpan { memory in
            Result { () throws(ImageError) in
                try fill(&memory, of: PixelSize(width: 2, height: 5), bytesPerRow: 10, with: file, registry)
            }
        }.get()
        #expect(partial == nil)
        #expect(texture == [1, 1, 1, 255, 2, 2, 2, 255, 77, 77, 3, 3, 3, 255, 4, 4, 4, 255])
    }
}
