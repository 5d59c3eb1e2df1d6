import CodecTestSupport
import Foundation
import Testing

import ImageCodecs

// snippet: slices
func pictures(in archive: [UInt8], _ first: Range<Int>, _ second: Range<Int>) throws -> [RasterImage?] {
    let copied = try RasterImage(archive[first])
    var decoder = CoderRegistry.shared.makeIncrementalDecoder(options: .default)
    _ = try decoder.append(archive.span.extracting(second))
    _ = try decoder.finish()
    return [copied, try decoder.image()]
}
// end of snippet

// snippet: colours
func shown(_ path: String) throws -> RasterImage {
    var options = DecodingOptions()
    options.color = .converted(to: .sRGB)  // the profile goes; colorReport says what was done
    return try RasterImage(contentsOfFile: path, options: options)
}
// end of snippet

// snippet: chained
func avatar(of path: String) throws -> [UInt8] {
    try RasterImage(contentsOfFile: path)
        .scaled(toFit: PixelSize(width: 96, height: 96))
        .rotated(.clockwise)
        .encoded(as: .jpeg, quality: 0.85)
}
// end of snippet

// snippet: registering
func register(_ coder: some ImageCoder, of format: ImageFormat) -> CoderRegistry.Token {
    let description = ImageFormat.Description(name: "QOI", fileExtensions: ["qoi"], mimeType: "image/qoi")
    return CoderRegistry.shared.add(coder, describing: [format: description])  // asked before all others from now on
}
// end of snippet

/// The code shown in Documentation/using.md runs and does what the text beside it says.
@Suite struct UsingExampleTests {
    private static let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path

    @Test func slicesAndSpansAreRead() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.landscape)))
        let archive = [1, 2, 3] + bytes + [4] + bytes
        let ranges = (3..<3 + bytes.count, 4 + bytes.count..<archive.count)
        let expected = try RasterImage(contentsOfFile: Self.landscape).bitmap
        #expect(try pictures(in: archive, ranges.0, ranges.1).map { $0?.bitmap } == [expected, expected])
    }

    @Test func coloursAreConverted() throws {
        #expect(try shown(Self.landscape).metadata.iccProfile == nil)
    }

    @Test func callsAreChained() throws {
        let info = try ImageInfo(avatar(of: Self.landscape))
        #expect(info.format == .jpeg && info.size == PixelSize(width: 64, height: 96))
    }

    @Test func aCoderIsRegistered() {
        let format = ImageFormat(rawValue: "example.using")
        let token = register(PNGCoder(), of: format)
        defer { CoderRegistry.shared.remove(token) }
        #expect(format.name == "QOI" && ImageFormat(fileExtension: "qoi") == format)
    }
}
