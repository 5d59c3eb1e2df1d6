import CodecTestSupport
import Foundation
import ImageCodecsCore
import Testing

/// Compares with pictures that Pillow scaled (Tests/Fixtures/scaling). Larger pictures: Scripts/check-thumbnail-quality.
@Suite struct PillowLikenessTests {
    private static let landscape = PixelSize(width: 96, height: 64)
    private static let badge = PixelSize(width: 64, height: 64)

    private func pixels(_ name: String, _ size: PixelSize) throws -> [UInt8] {
        let file = Fixture.folder("scaling").appendingPathComponent("\(name)-\(size).rgba")
        return [UInt8](try Data(contentsOf: file))
    }

    private func differences(_ name: String, _ source: PixelSize, _ target: PixelSize) throws -> [Int] {
        let ours = try scaled(try pixels(name, source), source, to: target, opaque: false)
        return zip(ours, try pixels(name, target)).map { Int($0) - Int($1) }
    }

    /// Peak signal-to-noise ratio of at least 44 dB, written as a bound of the mean square.
    private func isLike(_ differences: [Int]) -> Bool {
        let squares = differences.reduce(0) { $0 + $1 * $1 }
        return Double(squares) <= Double(differences.count) * 255 * 255 / 25119
    }

    @Test(arguments: [(24, 16), (41, 30), (95, 63), (96, 20), (30, 64)])
    func samplesDifferByOneAtMost(_ width: Int, _ height: Int) throws {
        let differences = try differences("landscape", Self.landscape, PixelSize(width: width, height: height))
        #expect(differences.allSatisfy { abs($0) <= 1 })
        #expect(differences.count { $0 != 0 } * 50 < differences.count)
    }

    // The box reducer takes part in the first two; in the third Pillow filters along y first.
    @Test(arguments: [(9, 6), (1, 1), (98, 30)])
    func pictureIsAlikeWhereStagesDiffer(_ width: Int, _ height: Int) throws {
        #expect(isLike(try differences("landscape", Self.landscape, PixelSize(width: width, height: height))))
    }

    @Test(arguments: [(24, 16), (41, 30), (70, 20), (6, 6)])
    func transparencyIsAlike(_ width: Int, _ height: Int) throws {
        #expect(isLike(try differences("badge", Self.badge, PixelSize(width: width, height: height))))
    }
}
