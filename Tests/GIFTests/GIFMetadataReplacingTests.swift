import GIFCodec
import ImageCodecsCore
import ImagePhotoMetadata
import Testing

@Suite struct GIFMetadataReplacingTests {
    private let comment: [UInt8] = [0x21, 0xFE, 3] + Array("old".utf8) + [0]
    private let loop: [UInt8] = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    private let other: [UInt8] = [0x21, 0xFF, 11] + Array("SOMEBODY1.0".utf8) + [2, 7, 7, 0]
    private let control: [UInt8] = [0x21, 0xF9, 4, 0, 20, 0, 0, 0]
    /// Two pixels, black and white.
    private let image: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2, 0x44, 0x0A, 0]

    private func screen(_ version: String = "GIF89a") -> [UInt8] {
        Array(version.utf8) + [2, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    }

    private func edited(
        _ file: [UInt8], _ change: (inout ImageMetadata) -> Void
    ) throws -> [UInt8] {
        let coder = GIFCoder()
        // Also what stands after the first image: what is not read would be removed.
        var metadata = try coder.inspect(ImageData(file), options: .allMetadata(.default)).metadata
        change(&metadata)
        return try coder.replacingMetadata(of: ImageData(file), with: metadata).withBytes { Array($0) }
    }

    @Test func onlyCommentsGoIfOnlyTheyAreRemoved() throws {
        let file = screen() + loop + comment + other + control + image + comment + [0x3B, 1, 2]
        #expect(try edited(file) { $0.comments = [] } == screen() + loop + other + control + image + [0x3B, 1, 2])
        #expect(try edited(file) { _ in } == file)
    }

    @Test func newCommentsStandBeforeTheFirstImage() throws {
        let new: [UInt8] = [0x21, 0xFE, 3] + Array("new".utf8) + [0]
        let file = screen() + loop + comment + control + image + [0x3B]
        #expect(try edited(file) { $0.comments = ["new"] } == screen() + loop + new + control + image + [0x3B])
        // Version 87a has no extensions.
        let plain = screen("GIF87a") + image + [0x3B]
        #expect(try edited(plain) { $0.comments = ["new"] } == screen() + new + image + [0x3B])
    }

    @Test func packetsComeAndGo() throws {
        let packet = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'></x:xmpmeta>".utf8)
        let file = screen() + image + [0x3B]
        let with = try edited(file) { $0.xmp = packet }
        #expect(try GIFCoder().inspect(ImageData(with), options: .default).metadata.xmp == packet)
        #expect(try edited(with) { $0.xmp = nil } == file)
    }

    @Test func whatHasNoPlaceIsRefused() throws {
        let file = screen() + image + [0x3B]
        let error = #expect(throws: ImageError.self) { try edited(file) { $0.exif = [1] } }
        #expect(error == .invalidArgument("GIF files have no place for EXIF data"))
        #expect(throws: ImageError.self) { try edited(file) { $0.orientation = .left } }
    }

    @Test func everyPrefixEnds() throws {
        let file = screen() + loop + comment + control + image + [0x3B]
        for count in 0..<file.count {
            let data = ImageData(Array(file.prefix(count)))
            _ = try? GIFCoder().replacingMetadata(of: data, with: ImageMetadata(), limits: .untrusted)
        }
    }
}
