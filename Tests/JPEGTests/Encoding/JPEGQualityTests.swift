import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import Testing

/// What a higher quality gives: less distortion.
@Suite struct JPEGQualityTests {
    /// Pictures of 64x64 pixels.
    enum Kind: String, CaseIterable, Sendable {
        case text, checks, stripes, gradient, noise, gray, photograph

        /// How much more distortion a quality may have than the best of all below it; `nil` if nothing is said.
        ///
        /// Where a picture has few amplitudes, a step may divide them by chance: of checks and stripes libjpeg's distortion rises
        /// from nothing to that of gray there, and to half as much again of the gradient.
        var tolerance: Double? {
            switch self {
            case .checks, .stripes: nil
            case .gradient: 2.2
            case .photograph: 1.2
            case .text, .noise, .gray: 1.02
            }
        }

        var format: PixelFormat { self == .gray ? .gray : .rgb }

        func bitmap() throws -> Bitmap {
            var random = SeededRandom(seed: 46)
            let pixels = (0..<64 * 64).flatMap { place in
                color(place % 64, place / 64, random.bytes(3).map { Int($0) }).map { UInt8(clamping: $0) }
            }
            return try Bitmap(copying: pixels, size: PixelSize(width: 64, height: 64), format: .rgb)
                .converted(to: format)
        }

        private func color(_ x: Int, _ y: Int, _ noise: [Int]) -> [Int] {
            switch self {
            case .text:
                let isStroke = y % 12 < 9 && (x * (y / 12 + 3) / 4 % 7 < 2 || (y % 12 == 4 && x % 17 < 9))
                return !isStroke ? [255, 255, 255] : y < 24 ? [20, 20, 30] : y < 44 ? [200, 16, 24] : [10, 60, 220]
            case .checks: return (x + y) % 2 == 0 ? [255, 0, 0] : [0, 0, 255]
            case .stripes: return [20 + x % 2 * 200, 20 + x % 2 * 200, 20 + x % 2 * 200]
            case .gradient: return [2 * x, 3 * y, x + y]
            case .noise: return noise
            case .gray: return [noise[0], noise[0], noise[0]]
            case .photograph:
                let hill = ((x - 30) * (x - 30) + (y - 40) * (y - 40)) / 16
                let leaf = x * y / 16 % 9 < 3 ? 0 : 40
                let light = [180 - hill, 70 + y, 60 + x]
                return zip(light, noise).map { $0 + $1 / 16 + leaf }
            }
        }
    }

    /// Mean squared error of the samples, of the qualities 0...100.
    private func errors(_ kind: Kind, _ effort: EncodingOptions.Effort) throws -> [Double] {
        let bitmap = try kind.bitmap()
        let source = bitmap.packedBytes()
        var (encoding, decoding) = (EncodingOptions(), DecodingOptions())
        encoding.effort = effort
        decoding.pixelFormat = kind.format
        return try (0...100).map { quality in
            encoding.quality = Double(quality) / 100
            let file = try JPEGCoder().encode(RasterImage(bitmap: bitmap), to: .jpeg, options: encoding)
            return source.meanSquaredError(
                try JPEGCoder().decode(ImageData(file), options: decoding).bitmap.packedBytes())
        }
    }

    @Test(arguments: EncodingOptions.Effort.allCases, Kind.allCases)
    func aHigherQualityLosesNoMoreAndTheHighestLeast(_ effort: EncodingOptions.Effort, _ kind: Kind) throws {
        let errors = try errors(kind, effort)
        #expect(errors[100] == errors.min())
        guard let tolerance = kind.tolerance else { return }
        var least = errors[0]
        for (quality, error) in errors.enumerated() {
            #expect(error <= tolerance * least, "quality \(quality)")
            least = min(least, error)
        }
    }
}
