import CodecTestSupport
import Foundation
import Testing

// snippet: service
import ImageCodecs
import ImagePipeline

struct ThumbnailService {
    /// Half of the memory that the process may use.
    let budget = DecodingBudget(byteCount: 256 << 20)

    func thumbnail(ofUpload bytes: [UInt8]) async throws(ImageError) -> [UInt8] {
        var options = DecodingOptions.thumbnail(width: 400, height: 300)
        options.limits = .untrusted
        options.limits.maxTime = .seconds(2)
        options.limits.maxMemoryByteCount = budget.byteCount
        let image = try await RasterImage.decoded(from: bytes, options: options, budget: budget)
        return try await image.encoded(as: .png, budget: budget)
    }
}
// end of snippet

// snippet: changed
func avatar(_ photo: RasterImage) async throws(ImageError) -> RasterImage {
    try await photo.changed { (photo) throws(ImageError) in
        let square = PixelSize(width: 96, height: 96)
        return try photo.scaled(toFill: square).croppedToCenter(square).roundingCorners(radius: 48)
    }
}
// end of snippet

/// Stands for the buffer of a network library, which has the same function.
struct ByteBuffer: Sendable {
    let data: Data

    func withUnsafeReadableBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe data.withUnsafeBytes(body)
    }
}

// snippet: borrowing
func imageData(_ buffer: ByteBuffer) -> ImageData {
    ImageData(borrowing: buffer) { buffer, body in
        unsafe buffer.withUnsafeReadableBytes { bytes in
            unsafe body(Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
        }
    }
}
// end of snippet

// snippet: answer
func status(for error: ImageError) -> Int {
    switch error {
    case .unknownFormat, .unsupported: 415  // not a picture, or not one that we read
    case .corrupt, .truncated: 422
    case .limitExceeded(.time, _, _): 503
    case .limitExceeded: 413
    case .cancelled: 499  // nobody waits for an answer
    case .invalidArgument, .inputOutput: 500
    }
}
// end of snippet

// snippet: partial
func preview(
    _ body: some AsyncSequence<ArraySlice<UInt8>, any Error>, budget: DecodingBudget, show: (RasterImage) -> Void
) async throws {
    for try await image in body.partialImages(options: .thumbnail(400), budget: budget) { show(image) }
}
// end of snippet

/// The code shown in the article "Decoding on a server" does what the text beside it says.
@Suite struct ServerExampleTests {
    private let landscape = Fixture.folder("png").appendingPathComponent("landscape.png")

    @Test func uploadsBecomeThumbnails() async throws {
        let service = ThumbnailService()
        let bytes = Array(try Data(contentsOf: landscape))
        let thumbnail = try await service.thumbnail(ofUpload: bytes)
        #expect(try ImageInfo(ImageData(thumbnail)).size == PixelSize(width: 240, height: 160))
        #expect(service.budget.bytesInUse == 0)
    }

    @Test func buffersAreDecodedWhereTheyAre() throws {
        let data = imageData(ByteBuffer(data: try Data(contentsOf: landscape)))
        #expect(try RasterImage(data).bitmap == RasterImage(contentsOfFile: landscape.path).bitmap)
    }

    @Test func avatarsAreRound() async throws {
        let avatar = try await avatar(RasterImage(contentsOfFile: landscape.path))
        #expect(avatar.size == PixelSize(width: 96, height: 96))
        #expect(avatar.bitmap[0, 0].alpha == 0)
        #expect(avatar.bitmap[48, 0].alpha > 60_000)
    }

    @Test func errorsHaveAStatus() async throws {
        let service = ThumbnailService()
        for (bytes, expected) in [
            (Array("hello".utf8), 415),
            (Array(try Data(contentsOf: landscape)).prefix(5000).map { $0 }, 422),
        ] {
            let error = await #expect(throws: ImageError.self) { try await service.thumbnail(ofUpload: bytes) }
            #expect(error.map(status(for:)) == expected)
        }
    }

    @Test func previewsSharpen() async throws {
        let bytes = Array(try Data(contentsOf: landscape))
        let (body, continuation) = AsyncThrowingStream.makeStream(of: ArraySlice<UInt8>.self)
        for start in stride(from: 0, to: bytes.count, by: 4000) {
            continuation.yield(bytes[start..<min(start + 4000, bytes.count)])
        }
        continuation.finish()
        var shown: [Bool] = []
        try await preview(body, budget: DecodingBudget(byteCount: 1 << 24)) { shown.append($0.isPartial) }
        #expect(shown.count > 2 && shown.last == false)
    }
}
