import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

/// Every decoder scales in linear light if it is asked to, from all pixels.
@Suite struct LinearScalingTests {
    @Test(arguments: ["png", "jpeg", "gif", "webp"])
    func decodersScaleAsBitmapsAreScaled(_ format: String) throws {
        let fixtures = Fixture.sound(format)
        #expect(fixtures.count > 3)
        var options = DecodingOptions()
        options.appliesOrientation = false
        options.firstFrameOnly = true
        for fixture in fixtures {
            let data = try ImageData(contentsOfFile: fixture.url.path)
            options.size = .full
            let whole = try RasterImage(data, options: options)
            guard whole.size.width > 8, whole.size.height > 8 else { continue }
            options.size = .fitting(PixelSize(width: 8, height: 8), .stretch)
            options.scaling = .linear
            let linear = try RasterImage(data, options: options)
            options.scaling = .asStored
            let target = PixelSize(width: 8, height: 8)
            #expect(try linear.bitmap == whole.bitmap.scaled(to: target, scaling: .linear), "\(fixture)")
        }
    }

    @Test func framesAreScaledInLinearLight() throws {
        let data = try ImageData(contentsOfFile: Fixture.folder("gif").appendingPathComponent("restore-chain.gif").path)
        var options = DecodingOptions()
        let whole = try CoderRegistry.shared.makeAnimation(from: data, options: options)
        options.scaling = .linear
        options.size = .fitting(PixelSize(width: 7, height: 5), .stretch)
        let small = try CoderRegistry.shared.makeAnimation(from: data, options: options)
        for index in 0..<whole.frameCount {
            let expected = try whole.frame(at: index).bitmap.scaled(
                to: PixelSize(width: 7, height: 5), scaling: .linear)
            #expect(try small.frame(at: index).bitmap == expected, "frame \(index)")
        }
    }
}
