import ImageCodecs
import ImageProxyURL
import Testing
import ThumbnailServer

/// Expected sizes are computed by hand.
@Suite struct PicturePlanTests {
    private func plan(_ width: Int, _ height: Int, _ options: String) throws -> PicturePlan {
        let signatures = try #require(URLSignatures(keys: [], salts: []))
        let url = try ProxyURL(path: "/_/\(options)/plain/a", signatures: signatures, now: 0)
        return PicturePlan(PixelSize(width: width, height: height), url.options)
    }

    @Test(arguments: [
        ("rs:fit:300:300", 300, 200, 300, 200), ("w:300", 300, 200, 300, 200), ("h:100", 150, 100, 150, 100),
        ("rs:fill:300:300", 450, 300, 300, 300), ("rs:force:50:70", 50, 70, 50, 70),
        ("rs:auto:300:290", 435, 290, 300, 290),
        ("rs:auto:290:300", 290, 193, 290, 193), ("w:2000", 900, 600, 900, 600),
        ("w:1800/el:1", 1_800, 1_200, 1_800, 1_200),
        ("rs:fill:2000:1000", 900, 600, 900, 600), ("rs:fill-down:2000:1000", 900, 600, 900, 450),
        ("rs:force:1800:300", 900, 150, 900, 150), ("w:90/dpr:2", 180, 120, 180, 120), ("dpr:2", 900, 600, 900, 600),
        ("z:0.5", 450, 300, 450, 300), ("w:90/mh:120", 180, 120, 90, 120),
    ])
    func picturesAreScaledAndCut(options: String, width: Int, height: Int, resultWidth: Int, resultHeight: Int) throws {
        let plan = try plan(900, 600, options)
        #expect(plan.scaled == PixelSize(width: width, height: height))
        #expect(plan.result == PixelSize(width: resultWidth, height: resultHeight))
    }

    @Test func cropsAreOfThePictureBeforeScaling() throws {
        let half = try plan(900, 600, "c:0.5:300:nowe/w:90")
        #expect(half.scaled == PixelSize(width: 180, height: 120))
        #expect(half.part == PixelSize(width: 90, height: 60))
        #expect(try plan(900, 600, "c:5000:0").part == PixelSize(width: 900, height: 600))
    }

    @Test func canvasesGrowToTheBoxOrItsProportions() throws {
        #expect(try plan(900, 600, "rs:fit:300:300/ex:1").canvas == PixelSize(width: 300, height: 300))
        #expect(try plan(90, 60, "rs:fit:300:300/ex:1").canvas == PixelSize(width: 300, height: 300))
        #expect(try plan(90, 60, "rs:fit:300:300/exar:1").canvas == PixelSize(width: 90, height: 90))
        #expect(try plan(90, 60, "rs:fit:300:300").canvas == PixelSize(width: 90, height: 60))
    }

    @Test func noPictureIsScaledToNothing() throws {
        #expect(try plan(10_000, 1, "w:10").scaled == PixelSize(width: 10, height: 1))
    }
}
