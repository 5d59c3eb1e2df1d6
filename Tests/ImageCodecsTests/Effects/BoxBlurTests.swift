import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct BoxBlurTests {
    private func point(side: Int) throws -> Bitmap {
        var bytes = [UInt8](repeating: 0, count: side * side)
        bytes[side / 2 * side + side / 2] = 255
        return try Bitmap(copying: bytes, size: PixelSize(width: side, height: side), format: .gray)
    }

    @Test func aPointBecomesABell() throws {
        // Gray of a white square of 21 pixels to a side, so that the bell is high enough to be measured.
        let (side, sigma) = (81, 6.0)
        var bytes = [UInt8](repeating: 0, count: side * side)
        for y in 30...50 { for x in 30...50 { bytes[y * side + x] = 255 } }
        let square = try Bitmap(copying: bytes, size: PixelSize(width: side, height: side), format: .gray)
        let blurred = try square.blurred(radius: sigma)
        // The exact Gaussian of an edge is an error function. Three boxes of 11 have a variance of 3 * (11 * 11 - 1) / 12.
        func share(_ x: Int) -> Double {
            let scale = (2 * 30.0).squareRoot()
            return (erf((50.5 - Double(x)) / scale) - erf((29.5 - Double(x)) / scale)) / 2
        }
        for y in 0..<side {
            blurred.withRow(y) { row in
                for x in 0..<side {
                    let expected = 255 * share(x) * share(y)
                    #expect(abs(Double(row[x]) - expected) < 4, "\(x), \(y): \(row[x]), \(expected)")
                }
            }
        }
    }

    @Test func theBellIsSymmetric() throws {
        for radius in [1.0, 1.5, 2, 2.7, 3] {
            let blurred = try point(side: 41).blurred(radius: radius)
            // Axes are rounded one after the other, so that the diagonals are none of symmetry.
            for turn in Orientation.allCases where !turn.swapsAxes {
                #expect(try blurred.oriented(turn) == blurred, "\(radius), \(turn)")
            }
        }
    }

    @Test(arguments: PixelFormat.all) func aPlainPictureStaysWhatItIs(_ format: PixelFormat) throws {
        // Luma of sixteen bits is finer than the eight bits that it passes through, unless red, green and blue are equal.
        let color: [UInt8] = format == .gray16 ? [90, 90, 90, 255] : [200, 90, 10, 255]
        let plain = try Bitmap(
            copying: (0..<70).flatMap { _ in color }, size: PixelSize(width: 10, height: 7), format: .rgba
        ).converted(to: format)
        for radius in [0.3, 1, 20, 500, 10_000] { #expect(try plain.blurred(radius: radius) == plain, "\(radius)") }
    }

    @Test func itIsTheMeanOfThreeBoxes() throws {
        // Radius 1: boxes of floor(1.88 + 0.5) = 2, 2 and 3 pixels. Their product, along a row: 1 3 4 3 1 of 12.
        let line = try Bitmap(
            copying: [0, 0, 0, 120, 0, 0, 0], size: PixelSize(width: 7, height: 1), format: .gray)
        #expect(try line.blurred(radius: 1).packedBytes() == [0, 10, 30, 40, 30, 10, 0])
        // At the sides the last pixel is repeated.
        let edge = try Bitmap(copying: [120, 0, 0, 0], size: PixelSize(width: 4, height: 1), format: .gray)
        #expect(try edge.blurred(radius: 1).packedBytes() == [80, 40, 10, 0])
    }

    @Test func noColourExceedsItsAlphaAndNoneLeaks() throws {
        var random = SeededRandom(seed: 3)
        let straight = try Bitmap(
            copying: random.bytes(4 * 40 * 30), size: PixelSize(width: 40, height: 30), format: .rgba)
        let blurred = try straight.converted(to: .bgraPremultiplied).blurred(radius: 2.4)
        for y in 0..<30 {
            blurred.withRow(y) { row in
                for x in 0..<40 {
                    for sample in 0..<3 { #expect(row[4 * x + sample] <= row[4 * x + 3]) }
                }
            }
        }
        // White beside transparent black: whatever is not transparent is white.
        let half = try Bitmap(
            copying: (0..<200).flatMap { $0 % 20 < 10 ? [255, 255, 255, 255] : [0, 0, 0, 0] as [UInt8] },
            size: PixelSize(width: 20, height: 10), format: .rgba)
        let soft = try half.blurred(radius: 3)
        for x in 0..<20 where soft[x, 5].alpha > 0 { #expect(soft[x, 5].rgba8[0] == 255) }
    }

    @Test func radiiThatAreNoneAreRefused() throws {
        let bitmap = try point(side: 3)
        for radius in [-1, 10_001, .nan, .infinity] {
            #expect(throws: ImageError.self) { try bitmap.blurred(radius: radius) }
        }
        #expect(try Bitmap.empty.blurred(radius: 5) == .empty)
    }
}
