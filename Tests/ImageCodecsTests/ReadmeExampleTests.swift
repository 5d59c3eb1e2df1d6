import CodecTestSupport
import Foundation
import Testing

// snippet: usage
import ImageCodecs

func makePreviews(of path: String, in folder: String) throws {
    let image = try RasterImage(contentsOfFile: path)  // premultiplied BGRA, upright
    let thumbnail = try RasterImage(contentsOfFile: path, options: .thumbnail(width: 400, height: 300))
    let small = try RasterImage(contentsOfFile: path, options: .atMost(byteCount: 1 << 20))
    try thumbnail.write(toFile: folder + "/thumbnail.jpg")  // the extension says which format
    try small.write(toFile: folder + "/small.png")
    image.bitmap.withRow(0) { row in print("\(image.size), \(row.count) bytes a row") }
}
// end of snippet

// snippet: writing
func answer(_ image: RasterImage, to body: EncodedBytesSink) throws(ImageError) {
    var options = EncodingOptions()
    options.quality = 0.85  // how much may be lost: what libjpeg's 85 means
    options.effort = .best  // how much time a small file may take
    options.maxFileByteCount = 100_000  // met by quality first, then by a smaller picture
    options.metadata = .colors  // no camera, no place
    options.jpeg.subsampling = .yCbCr444
    try CoderRegistry.shared.encode(image, to: .jpeg, options: options, body)
}
// end of snippet

// snippet: incremental
func show(_ chunks: some AsyncSequence<[UInt8], any Error>, on display: (Bitmap) -> Void) async throws {
    var decoder = CoderRegistry.shared.makeIncrementalDecoder(options: .default)
    for try await chunk in chunks {
        // Cheap after every piece, as long as `display` keeps the newest picture only.
        if try decoder.append(chunk).changedRect != nil, let partial = try decoder.image() {
            display(partial.bitmap)
        }
    }
    if try decoder.finish().changedRect != nil, let last = try decoder.image() { display(last.bitmap) }
}
// end of snippet

// snippet: animation
import ImagePlayback

func play(_ path: String, on display: (Bitmap) -> Void) async throws {
    let movie = try AnimatedImage(contentsOfFile: path)
    print("\(movie.count) frames, the first for \(movie[0].duration)")
    for try await shown in try AnimationPlayer(movie) {  // each frame when its time has come
        display(shown.frame.bitmap)
    }
}
// end of snippet

// snippet: untrusted
func thumbnail(ofUpload bytes: [UInt8]) throws(ImageError) -> RasterImage {
    var options = DecodingOptions.thumbnail(width: 400, height: 300)
    options.limits = .untrusted
    options.limits.maxTime = .seconds(2)
    return try RasterImage(bytes, options: options)
}
// end of snippet

/// The code shown in README.md runs and does what the text beside it says.
@Suite struct ReadmeExampleTests {
    private static let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path

    @Test func previewsFitTheirBoxes() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("previews-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try makePreviews(of: Self.landscape, in: folder.path)
        let thumbnail = try ImageInfo(contentsOfFile: folder.appendingPathComponent("thumbnail.jpg").path)
        #expect(thumbnail.format == .jpeg && thumbnail.size == PixelSize(width: 240, height: 160))
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("small.png").path))
    }

    @Test func anAnswerIsAPictureOfBoundedLength() throws {
        var image = try RasterImage(contentsOfFile: Self.landscape)
        image.metadata.comments = ["from a camera"]
        var file: [UInt8] = []
        try answer(image) { piece in file.append(contentsOf: piece) }
        let info = try ImageInfo(ImageData(file))
        #expect(info.format == .jpeg && info.size == image.size && file.count <= 100_000)
        #expect(info.colorDescription == "Y'CbCr 4:4:4" && info.metadata.comments.isEmpty)
    }

    @Test func aPictureIsShownWhileItArrives() async throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: Self.landscape))
        let pieces = AsyncThrowingStream<[UInt8], any Error> { continuation in
            for start in stride(from: 0, to: bytes.count, by: 1000) {
                continuation.yield([UInt8](bytes[start..<min(start + 1000, bytes.count)]))
            }
            continuation.finish()
        }
        let shown = ShownPictures()
        try await show(pieces) { shown.bitmaps.append($0) }
        #expect(shown.bitmaps.count > 1)
        #expect(shown.bitmaps.last == (try RasterImage(contentsOfFile: Self.landscape).bitmap))
    }

    @Test func anAnimationIsPlayed() async throws {
        // Two frames, played once: a file without a loop extension.
        let url = Fixture.folder("gif").appendingPathComponent("two-frames-no-loop.gif")
        let shown = ShownPictures()
        try await play(url.path) { shown.bitmaps.append($0) }
        let frames = try RasterImage(contentsOfFile: url.path).frames
        #expect(frames.count == 2 && shown.bitmaps == frames.map(\.bitmap))
    }

    @Test func uploadsAreBounded() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.landscape)))
        #expect(try thumbnail(ofUpload: bytes).size == PixelSize(width: 240, height: 160))
    }
}

/// What a display was given.
private final class ShownPictures {
    var bitmaps: [Bitmap] = []
}
