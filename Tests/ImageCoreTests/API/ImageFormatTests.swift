import ImageCodecsCore
import Testing

@Suite struct ImageFormatTests {
    @Test func mediaTypesAreThoseRegistered() {
        #expect(ImageFormat.png.mimeType == "image/png")
        #expect(ImageFormat.apng.mimeType == "image/apng")
        #expect(ImageFormat.jpeg.mimeType == "image/jpeg")
        #expect(ImageFormat.gif.mimeType == "image/gif")
        #expect(ImageFormat.webP.mimeType == "image/webp")
        #expect(ImageFormat.svg.mimeType == "image/svg+xml")
        #expect(ImageFormat(rawValue: "org.example.own").mimeType == "application/octet-stream")
    }

    @Test(arguments: [
        ("png", ImageFormat.png), ("PNG", .png), ("apng", .apng), ("jpg", .jpeg), ("jpeg", .jpeg), ("JFIF", .jpeg),
        ("gif", .gif), ("webp", .webP), ("tif", .tiff), ("dib", .bmp), ("heic", .heic), ("avif", .avif),
        ("jxl", .jpegXL), ("svg", .svg), ("pdf", .pdf),
    ])
    func extensionsLeadToTheirFormat(_ fileExtension: String, _ format: ImageFormat) {
        #expect(ImageFormat(fileExtension: fileExtension) == format)
    }

    @Test func everyFormatIsFoundByItsFirstExtension() {
        for format in ImageFormat.all { #expect(ImageFormat(fileExtension: format.fileExtensions[0]) == format) }
        #expect(ImageFormat(fileExtension: "txt") == nil)
        #expect(ImageFormat(fileExtension: "") == nil)
    }

    @Test func foreignFormatsAreTheirIdentifier() {
        let own = ImageFormat(rawValue: "org.example.own")
        #expect(own.name == "org.example.own")
        #expect(own.fileExtensions.isEmpty)
        #expect(own == ImageFormat(rawValue: "org.example.own"))
    }

    @Test func aFormatFromOutsideIsKnownByItsDescription() {
        let format = ImageFormat(rawValue: "test.described")
        #expect(format.name == "test.described" && format.fileExtensions == [])
        ImageFormat.describe(
            format, as: ImageFormat.Description(name: "Described", fileExtensions: ["DSC"], mimeType: "image/described")
        )
        #expect(format.name == "Described" && format.mimeType == "image/described")
        #expect(ImageFormat(fileExtension: "dsc") == format)
        #expect(ImageFormat.all.filter { $0 == format }.count == 1)
    }

    @Test func formatsOfThisPackageKeepTheirNames() {
        ImageFormat.describe(.png, as: ImageFormat.Description(name: "x", fileExtensions: ["x-png"], mimeType: "x/x"))
        #expect(ImageFormat.png.name == "PNG" && ImageFormat(fileExtension: "x-png") == nil)
        #expect(ImageFormat.all.filter { $0 == .png }.count == 1)
    }
}
