import ImageCodecs
import Testing
import ThumbnailServer

/// RFC 9110 §12.5.1 "Accept".
@Suite struct AcceptedFormatsTests {
    @Test(arguments: [
        (nil, ImageFormat.jpeg, ImageFormat.webP),
        ("*/*", .jpeg, .webP),
        ("image/*", .jpeg, .webP),
        ("image/png", .png, .png),
        ("image/jpeg", .jpeg, .jpeg),
        ("image/webp", .webP, .webP),
        ("IMAGE/PNG", .png, .png),
        ("image/jpeg;q=0.5, image/png", .png, .png),
        ("image/png ; q=0.5 , image/webp;q=0.9", .webP, .webP),
        ("image/jpeg;q=0, */*", .webP, .webP),
        ("*/*, image/webp;q=0.1", .jpeg, .png),
        ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", .jpeg, .webP),
        ("text/html, image/png;q=0.001", .png, .png),
        ("image/jpeg;q=many, image/png;q=0.1", .png, .png),
    ])
    func theHeaderChoosesTheFormat(header: String?, opaque: ImageFormat, transparent: ImageFormat) {
        let formats = ThumbnailFormats(AcceptedFormats(header))
        #expect(formats?.opaque == opaque)
        #expect(formats?.transparent == transparent)
    }

    @Test(arguments: [
        "", ",;,;q=1", "text/html", "image/gif", "image/png;q=0", "*/*;q=0", "image/*;q=0, */*", "image/png;q=nan",
        "image/png;q=-1",
    ])
    func nothingFits(header: String) {
        #expect(ThumbnailFormats(AcceptedFormats(header)) == nil)
    }
}
