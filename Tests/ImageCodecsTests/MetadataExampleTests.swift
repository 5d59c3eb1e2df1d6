import CodecTestSupport
import Foundation
import Testing

// snippet: reading
import ImageCodecs

func caption(of path: String) throws -> String {
    let metadata = try ImageInfo(contentsOfFile: path).metadata  // no pixel is decoded
    let (photo, packet) = (metadata.photo, metadata.xmpPacket)
    let title = packet?.title ?? photo?.imageDescription ?? "Untitled"
    let date = photo?.originalDate?.description ?? packet?.createDate ?? "some day"
    let artist = photo?.artist ?? packet?.creators.first ?? "somebody"
    return "\(title), by \(artist), \(date)"
}
// end of snippet

// snippet: tags
func tags(of exif: [UInt8]) -> [String] {
    guard let block = ExifBlock(exif) else { return [] }
    return block.directories.flatMap { block.fields(in: $0) }.map { field in
        let name = field.tag.name ?? "\(field.tag.number)"
        let value = block.value(of: field, maxCount: 16)  // nil if the block does not have it
        return "\(field.tag.directory) \(name): \(value.map { "\($0)" } ?? "nothing")"
    }
}
// end of snippet

// snippet: editing
func publish(_ path: String, to target: String, by artist: String) throws {
    let file = try ImageData(contentsOfFile: path)
    let edited = try CoderRegistry.shared.editingMetadata(of: file) { (metadata) throws(ImageError) in
        metadata.removeLocation()
        try metadata.editExif { (exif) throws(ImageError) in
            try exif.set(.artist, to: .ascii(artist))
            exif.remove(.thumbnail)
        }
    }
    try edited.write(toFile: target)
}
// end of snippet

/// The code shown in the article about metadata does what the text beside it says.
@Suite struct MetadataExampleTests {
    private func path(_ name: String) -> String { Fixture.folder("metadata").appendingPathComponent(name).path }

    @Test func captionsAreMadeOfBothKinds() throws {
        #expect(try caption(of: path("photo.webp")) == "Hills & \"water\", by Ada, 2024-05-31T18:04:59.25+09:00")
    }

    @Test func tagsAreListed() throws {
        let lines = tags(of: try #require(try ImageInfo(contentsOfFile: path("photo.jpg")).metadata.exif))
        #expect(lines.contains("exif PhotographicSensitivity: short([400])"))
    }

    @Test func publishedFilesDoNotTellThePlace() throws {
        let target = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jpg").path
        defer { try? FileManager.default.removeItem(atPath: target) }
        try publish(path("photo.jpg"), to: target, by: "Ben")
        let photo = try #require(try ImageInfo(contentsOfFile: target).metadata.photo)
        #expect(photo.location == nil && photo.artist == "Ben" && photo.thumbnailRange == nil && photo.iso == 400)
        #expect(try RasterImage(contentsOfFile: target).bitmap == RasterImage(contentsOfFile: path("photo.jpg")).bitmap)
    }
}
