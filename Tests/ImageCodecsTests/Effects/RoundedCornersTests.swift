import ImageCodecs
import Testing

@Suite struct RoundedCornersTests {
    private func alphas(_ bitmap: Bitmap) throws -> [[UInt8]] {
        let bitmap = try bitmap.converted(to: .grayAlpha)
        return (0..<bitmap.height).map { y in bitmap.withRow(y) { row in (0..<bitmap.width).map { row[2 * $0 + 1] } } }
    }

    private func white(_ width: Int, _ height: Int, _ format: PixelFormat = .bgrx) throws -> Bitmap {
        try Bitmap(
            copying: [UInt8](repeating: 255, count: width * height * format.bytesPerPixel),
            size: PixelSize(width: width, height: height), format: format)
    }

    @Test func aCircleCoversPiQuartersOfItsSquare() throws {
        for side in [10, 11, 64] {
            let alphas = try alphas(white(side, side).roundingCorners(radius: .infinity)).joined()
            let share = Double(alphas.reduce(0) { $0 + Int($1) }) / Double(255 * side * side)
            #expect(abs(share - Double.pi / 4) < 0.002, "\(side): \(share)")
        }
    }

    @Test func theCutIsTheSameInEveryCorner() throws {
        let rows = try alphas(white(20, 12).roundingCorners(radius: 4.5))
        #expect(rows.map { Array($0.reversed()) } == rows)
        #expect(Array(rows.reversed()) == rows)
        #expect(rows[0][0] == 0)
        #expect(rows[5] == Array(repeating: 255, count: 20))
        // The circle around (4.5, 4.5) passes column 1 of row 1: half a pixel and a bit of it are inside.
        #expect(rows[1][1] > 128 && rows[1][1] < 255)
    }

    @Test func onlyTheNamedCornersAreCut() throws {
        let rows = try alphas(white(8, 8).roundingCorners(radius: 3, [.topLeft, .bottomRight]))
        #expect(rows[0][0] < 255)
        #expect(rows[0][7] == 255)
        #expect(rows[7][0] == 255)
        #expect(rows[7][7] == rows[0][0])
        #expect(try alphas(white(8, 8).roundingCorners(radius: 3, [])).joined().allSatisfy { $0 == 255 })
    }

    @Test func everyFormatGetsAlphaAndKeepsItsColour() throws {
        let results: [(PixelFormat, PixelFormat)] = [
            (.bgraPremultiplied, .bgraPremultiplied), (.bgrx, .bgraPremultiplied), (.rgba, .rgba),
            (.rgbaPremultiplied, .rgbaPremultiplied), (.rgb, .rgba), (.gray, .grayAlpha), (.grayAlpha, .grayAlpha),
            (.rgba16, .rgba16), (.gray16, .rgba16), (.cmyk, .rgba),
        ]
        #expect(results.map(\.0) == PixelFormat.all)
        for (format, expected) in results {
            let result = try white(9, 9, format).roundingCorners(radius: 4)
            #expect(result.format == expected)
            #expect(result[4, 4] == PixelColor(rgba8: SIMD4(255, 255, 255, 255)))
            #expect(result[0, 0].alpha == 0)
            // On the circle white stays white, whatever its alpha.
            #expect(result[1, 1].rgba8[0] == 255)
            #expect(result[1, 1].alpha > 0 && result[1, 1].alpha < .max)
        }
    }

    @Test func noColourExceedsItsAlpha() throws {
        let bitmap = try white(30, 30, .bgraPremultiplied).roundingCorners(radius: 12)
        for y in 0..<30 {
            bitmap.withRow(y) { row in
                for x in 0..<30 { #expect(row[4 * x] == row[4 * x + 3]) }
            }
        }
    }

    @Test func aRadiusThatIsNoneIsRefused() throws {
        let bitmap = try white(4, 4)
        #expect(throws: ImageError.self) { try bitmap.roundingCorners(radius: -1) }
        #expect(throws: ImageError.self) { try bitmap.roundingCorners(radius: .nan) }
        #expect(try bitmap.roundingCorners(radius: 0) == bitmap.converted(to: .bgraPremultiplied))
        #expect(try Bitmap.empty.roundingCorners(radius: 5) == .empty)
    }
}
