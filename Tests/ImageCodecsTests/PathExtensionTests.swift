import ImageCodecs
import Testing

@Suite struct PathExtensionTests {
    @Test(arguments: [
        ("cat.png", ImageFormat.png), ("out/cat.PNG", .png), ("a.b/cat.jpeg", .jpeg), ("x.gif.webp", .webP),
        ("movie.apng", .apng),
    ])
    func theExtensionNamesTheFormat(_ path: String, _ format: ImageFormat) {
        #expect(ImageFormat(pathExtensionOf: path) == format)
    }

    @Test(arguments: ["", "cat", "folder.png/cat", ".png", "cat.", "cat.xyz"])
    func noExtensionNamesNoFormat(_ path: String) {
        #expect(ImageFormat(pathExtensionOf: path) == nil)
    }
}
