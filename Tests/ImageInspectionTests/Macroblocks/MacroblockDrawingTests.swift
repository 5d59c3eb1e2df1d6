import CodecTestSupport
import Foundation
import ImageCodecs
import ImageInspection
import Testing

/// `MacroblockPicture` as a library has it; what it draws is tested through the tool.
@Suite struct MacroblockDrawingTests {
    private func file(_ name: String) throws -> ImageData {
        try ImageData(contentsOfFile: Fixture.folder("webp").appendingPathComponent(name).path)
    }

    @Test func aLossyPictureIsDrawnMagnified() throws {
        let picture = try MacroblockPicture(file("lossy/several-macroblocks.webp"), scale: 2)
        // Seven macroblocks of 32 pixels and twelve pixels on each side are narrower than the legend.
        #expect(picture.damage == nil && picture.bitmap.format == .rgb && picture.bitmap.width == 784)
        let larger = try MacroblockPicture(file("lossy/several-macroblocks.webp"), scale: 9)
        #expect(larger.bitmap.width == 7 * 16 * 9 + 24)
    }

    @Test func oneLayerLeavesTheOthersOut() throws {
        let file = try file("lossy/four-segments.webp")
        let all = try MacroblockPicture(file).bitmap
        let modes = try MacroblockPicture(file, layers: [.modes]).bitmap
        #expect(all != modes && modes.height < all.height)
    }

    @Test(arguments: [-1, 0, 17, Int.max])
    func scalesOutsideOneToSixteenAreRefused(_ scale: Int) throws {
        let error = #expect(throws: ImageError.self) {
            try MacroblockPicture(file("lossy/one-pixel.webp"), scale: scale)
        }
        #expect(error?.code == "invalidArgument")
    }

    @Test func otherFilesAreRefused() throws {
        #expect(throws: ImageError.unknownFormat) { try MacroblockPicture(ImageData(Array("no picture".utf8))) }
        let png = try ImageData(contentsOfFile: Fixture.folder("png").appendingPathComponent("landscape.png").path)
        #expect(throws: ImageError.unsupported(.png, feature: "drawing its macroblocks")) { try MacroblockPicture(png) }
    }

    @Test func aCutOffPictureIsDrawnAsFarAsItGoes() throws {
        let whole = try file("lossy/several-macroblocks.webp")
        let cut = whole.withBytes { bytes in ImageData(copying: bytes.extracting(first: bytes.count * 3 / 4)) }
        let picture = try MacroblockPicture(cut)
        #expect(picture.damage?.isDamage == true)
        #expect(try picture.bitmap.size == MacroblockPicture(whole).bitmap.size)
    }
}
