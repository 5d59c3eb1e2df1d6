import Foundation
import ImageCodecsCore
import ImageColor
import Testing

/// The numbers of the article, computed again: by the formulas of the standards, and by the module.
@Suite struct FromDeviceNumbersToColoursTests {
    private static let bytes: [UInt8] = [255, 128, 64]
    private static let numbers = SIMD4(1, 128.0 / 255, 64.0 / 255, 0)
    private static let light = [1, 0.21586, 0.05127]
    private static let tristimulus = [0.58620, 0.39403, 0.04819]
    private static let lightOfSRGB = [1.17638, 0.18288, 0.01970]
    private static let shown = [255, 118.52, 38.35]

    private func isNear(_ value: SIMD4<Double>, _ expected: [Double], within limit: Double) -> Bool {
        (0..<3).allSatisfy { abs(value[$0] - expected[$0]) <= limit }
    }

    @Test func curvesAreThoseOfTheStandard() {
        let light = [1, 128.0 / 255, 64.0 / 255].map { pow(($0 + 0.055) / 1.055, 2.4) }
        #expect(isNear(SIMD4(light[0], light[1], light[2], 0), Self.light, within: 0.000_005))
        // A table of the article, row by row.
        let matrix = [
            [0.51512, 0.29198, 0.15710], [0.24119, 0.69224, 0.06657], [-0.00105, 0.04188, 0.78407],
        ]
        for (row, expected) in zip(matrix, Self.tristimulus) {
            #expect(abs(zip(row, light).map { $0 * $1 }.reduce(0, +) - expected) < 0.00002)
        }
    }

    @Test func stagesOfTheModuleHaveTheSameNumbers() {
        let profile = StandardColorSpace.displayP3.profile
        #expect(
            isNear(
                profile.tristimulus(Self.numbers, intent: .relativeColorimetric), Self.tristimulus, within: 0.000_005))
        let mapping = ColorMapping(
            from: profile, to: .sRGB, intent: .relativeColorimetric, compensatesBlackPoint: true)
        #expect(isNear(mapping.light(Self.numbers), Self.lightOfSRGB, within: 0.000_005))
        #expect(isNear(mapping(Self.numbers) * 255, Self.shown, within: 0.005))
    }

    @Test func tablesOfTheKernelHaveTheSameNumbers() throws {
        let profile = StandardColorSpace.displayP3.profile
        let mapping = ColorMapping(
            from: profile, to: .sRGB, intent: .relativeColorimetric, compensatesBlackPoint: true)
        let curve = ToneCurve.parametric(
            ParametricCurve(
                exponent: 2.4, scale: 1 / 1.055, offset: 0.055 / 1.055, slope: 1 / 12.92, threshold: 0.04045))
        let tables = MatrixColorTables(mapping, [curve, curve, curve])
        let parts = [tables.contributions[255], tables.contributions[256 + 128], tables.contributions[512 + 64]]
        // The first has 4 more, with which sums begin, and half of a step, with which they are rounded.
        let start: Int64 = 4 << 18 + 1 << 3
        let expected: [[Int64]] = [[321_111, -11025, -5148], [-12729, 58966, -4450], [0, 0, 14761]]
        for (index, numbers) in expected.enumerated() {
            let first = index == 0 ? start : 0
            let packed = MatrixColorTables.packed(numbers[0] + first, numbers[1] + first, numbers[2] + first)
            #expect(parts[index] == packed)
        }
        let sum = parts.reduce(0, &+)
        for (channel, light) in [19274, 2996, 323].enumerated() {
            #expect(sum >> (21 * channel + 4) & 0x1FFFF == 4 << 14 + Int64(light))
        }
        var pixel = try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgb)
        try pixel.withMutableBytes { bytes in
            for (place, byte) in Self.bytes.enumerated() {
                bytes.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
            }
        }
        let shown = try ColorTransform(from: profile, to: .sRGB).converted(pixel).packedBytes()
        #expect(zip(shown, [255, 119, 38]).allSatisfy { abs(Int($0) - $1) <= 1 })
    }
}
