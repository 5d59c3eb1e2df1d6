import ImageCodecsCore
import Testing

@Suite struct OutputPlanTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    private func plan(
        _ size: PixelSize, _ options: DecodingOptions = .default, hasAlpha: Bool = true,
        orientation: Orientation = .up
    ) throws -> OutputPlan {
        try OutputPlan(
            size: size, hasAlpha: hasAlpha, nearestFormat: .gray, orientation: orientation, options: options)
    }

    @Test func opaquePicturesNeedNoAlpha() throws {
        #expect(try plan(size(3, 2)).format == .bgraPremultiplied)
        #expect(try plan(size(3, 2), hasAlpha: false).format == .bgrx)
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        #expect(try plan(size(3, 2), options, hasAlpha: false).format == .rgba)
        options.pixelFormat = nil
        #expect(try plan(size(3, 2), options).format == .gray)
    }

    @Test(arguments: Orientation.allCases)
    func theBoxIsFittedAfterRotation(_ orientation: Orientation) throws {
        // Seen upright or lying: 4000x3000 into 400x300 is 400x300, 3000x4000 is 225x300.
        let turned = try plan(size(4000, 3000), .thumbnail(width: 400, height: 300), orientation: orientation)
        let swaps = orientation.rawValue >= 5
        #expect(turned.resultSize == (swaps ? size(225, 300) : size(400, 300)))
        #expect(turned.targetSize == (swaps ? size(300, 225) : size(400, 300)))
        #expect(turned.isScaled)
        var options = DecodingOptions.thumbnail(width: 400, height: 300)
        options.appliesOrientation = false
        let stored = try plan(size(4000, 3000), options, orientation: orientation)
        #expect(stored.resultSize == size(400, 300))
        #expect(stored.orientation == .up)
    }

    @Test func aByteLimitCountsBytesOfTheResult() throws {
        var options = DecodingOptions.atMost(byteCount: 60 << 20)
        #expect(try plan(size(5250, 3450), options).targetSize == size(4892, 3214))
        // Pixels of one byte leave room for more of them.
        options.pixelFormat = .gray
        #expect(try plan(size(5250, 3450), options).targetSize == size(5250, 3450))
    }

    @Test func emptyBoxesMakeNoSense() {
        #expect(throws: ImageError.invalidArgument("a thumbnail cannot be 0x0 pixels")) {
            try plan(size(5, 5), .thumbnail(width: 0, height: 0))
        }
        #expect(throws: ImageError.self) { try plan(size(5, 5), .thumbnail(width: -1, height: 0)) }
    }

    @Test func limitsComeFirst() {
        var options = DecodingOptions.thumbnail(width: 1, height: 1)
        options.limits.maxDimension = 99
        #expect(throws: ImageError.limitExceeded(.dimension, requested: 100, allowed: 99)) {
            try plan(size(100, 1), options)
        }
        options.limits.maxDimension = 100
        options.limits.maxPixelCount = 9999
        #expect(throws: ImageError.limitExceeded(.pixels, requested: 10_000, allowed: 9999)) {
            try plan(size(100, 100), options)
        }
        options.limits = .unlimited
        #expect(throws: ImageError.limitExceeded(.pixels, requested: .max, allowed: .max)) {
            try plan(size(.max, .max), options)
        }
    }

    @Test func promisesSaturate() throws {
        var options = DecodingOptions()
        options.limits = .unlimited
        options.pixelFormat = .rgba16
        let huge = try plan(size(1 << 31, 1 << 31), options, orientation: .left)
        #expect(huge.decodedByteCount == .max)
        #expect(huge.peakByteCount() == .max)
    }

    /// Every pixel of the rows, and no other, lies in the rectangle: compared with turning a picture of row numbers.
    @Test(arguments: Orientation.allCases)
    func rowsLieWhereTheyAreSeen(_ orientation: Orientation) throws {
        let (width, height) = (5, 7)
        let plan = try plan(size(width, height), orientation: orientation)
        var stored = try Bitmap(size: size(width, height), format: .gray)
        for y in 0..<height {
            stored.withMutableRowBytes(y) { row in
                for x in 0..<width { row.storeBytes(of: UInt8(y), toByteOffset: x, as: UInt8.self) }
            }
        }
        let seen = try stored.oriented(orientation)
        let pixels = seen.packedBytes()
        for first in 0..<height {
            for end in first + 1...height {
                let rect = plan.resultRect(ofRows: first..<end)
                for y in 0..<seen.height {
                    for x in 0..<seen.width {
                        let isInside =
                            x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height
                        #expect(isInside == (first..<end).contains(Int(pixels[y * seen.width + x])))
                    }
                }
            }
        }
    }
}
