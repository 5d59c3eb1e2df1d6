import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLossyCodec

/// Chroma fitted to how decoders enlarge it, and luma that makes up for what is lost.
@Suite struct ColorFittingTests {
    // MARK: Kernels

    @Test(arguments: [0, 1, 7, 8, 9, 40]) func storingSamplesEqualsItsTwin(count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let words = (0..<count).flatMap { _ in
            let word = Int16(Int(random.next() % 4600) - 2300)
            return [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
        }
        var (found, expected) = ([UInt8](repeating: 0, count: 100), [UInt8](repeating: 0, count: 100))
        words.withRawSpan { (words: RawSpan) in
            found.withMutableBytes { plane in
                SampleStoringKernels.luma(words, at: 0, count: count, into: &plane, at: 3)
                SampleStoringKernels.chroma(words, at: 0, count: count, into: &plane, at: 53)
            }
            expected.withMutableBytes { plane in
                SampleStoringReference.luma(words, at: 0, count: count, into: &plane, at: 3)
                SampleStoringReference.chroma(words, at: 0, count: count, into: &plane, at: 53)
            }
        }
        #expect(found == expected)
    }

    @Test func repairingMacroblocksEqualsItsTwin() {
        typealias Kernels = MacroblockRepairKernels
        typealias Twin = MacroblockRepairReference
        var random = SeededRandom(seed: 5)
        for _ in 0..<50 {
            let memory = random.bytes(2048)
            let block = random.bytes(16).reduce(into: (BlockSamples(), 0)) {
                $0.0[$0.1] = $1; $0.1 += 1
            }.0
            var (found, expected) = (memory, memory)
            found.withMutableBytes { workspace in
                Kernels.enlarge(7, into: 300, in: &workspace)
                Kernels.store(block, at: 1000, in: &workspace)
            }
            expected.withMutableBytes { workspace in
                Twin.enlarge(7, into: 300, in: &workspace)
                Twin.store(block, at: 1000, in: &workspace)
            }
            #expect(found == expected)
            // Differences are those of a repair, at most 640.
            for place in stride(from: 1100, to: 1164, by: 2) { (found[place], found[place + 1]) = (memory[place], 1) }
            found.withRawSpan { (workspace: RawSpan) in
                #expect(
                    Kernels.changed(block, from: 1100, to: 1132, in: workspace)
                        == Twin.changed(block, from: 1100, to: 1132, in: workspace))
            }
        }
    }

    // MARK: What decoders show

    private func encoded(
        _ bitmap: Bitmap, quality: Double, fitsColors: Bool, _ effort: EncodingOptions.Effort = .default
    ) throws -> [UInt8] {
        var settings = VP8Encoder.Settings(quality: quality, effort: effort)
        settings.fitsColors = fitsColors
        var encoder = VP8Encoder(bitmap.size, settings, meter: nil)
        var work = WorkGuard.unlimited
        for y in 0..<bitmap.height {
            try bitmap.withRowBytes(y) { (row) throws(ImageError) in try encoder.add(row, &work) }
        }
        return try encoder.finish(&work)
    }

    private func shown(_ bytes: [UInt8]) throws -> Bitmap {
        var decoder = VP8Decoder(byteCount: bytes.count)
        try bytes.withSpan { (bytes) throws(ImageError) in try decoder.append(bytes) }
        try decoder.finish()
        return try decoder.picture.converted(to: .rgba)
    }

    private func color(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> SIMD3<Double> {
        bitmap.withRowBytes(y) { row in
            SIMD3(Double(row.byte(at: 4 * x)), Double(row.byte(at: 4 * x + 1)), Double(row.byte(at: 4 * x + 2)))
        }
    }

    /// Squared errors of blue and red differences, and of relative luminance.
    private func errors(of shown: Bitmap, to bitmap: Bitmap) -> (chroma: Double, luminance: Double) {
        func chroma(_ c: SIMD3<Double>) -> SIMD2<Double> {
            let y = 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]
            return SIMD2(c[2] - y, c[0] - y)
        }
        // The square is near enough to the transfer curve of sRGB.
        func luminance(_ c: SIMD3<Double>) -> Double {
            let linear = c * c / 65025
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        }
        var sums = (chroma: 0.0, luminance: 0.0)
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width {
                let (a, b) = (color(bitmap, x, y), color(shown, x, y))
                let (difference, change) = (chroma(a) - chroma(b), luminance(a) - luminance(b))
                sums.chroma += (difference * difference).sum()
                sums.luminance += change * change
            }
        }
        return sums
    }

    /// Discs of red, green and blue on gray, with edges of a pixel or two.
    private func discs(_ width: Int, _ height: Int) throws -> Bitmap {
        var bytes: [UInt8] = []
        let colors: [SIMD3<Double>] = [SIMD3(230, 20, 30), SIMD3(20, 160, 40), SIMD3(30, 40, 220)]
        for y in 0..<height {
            for x in 0..<width {
                var color = SIMD3<Double>(repeating: 120)
                for index in 0..<3 {
                    let (dx, dy) = (Double(x - 12 - 20 * index), Double(y - 16 - 6 * index))
                    let share = min(max(10 - (dx * dx + dy * dy).squareRoot(), 0), 1)
                    color = color * (1 - share) + colors[index] * share
                }
                bytes += (0..<3).map { UInt8(color[$0].rounded()) } + [255]
            }
        }
        return try Bitmap(packed: bytes, size: PixelSize(width: width, height: height), format: .rgba)
    }

    @Test(arguments: [60.0, 80, 95]) func coloredEdgesAreNearerThanWithMeans(quality: Double) throws {
        let bitmap = try discs(64, 48)
        let plain = errors(of: try shown(encoded(bitmap, quality: quality, fitsColors: false)), to: bitmap)
        let fitted = errors(of: try shown(encoded(bitmap, quality: quality, fitsColors: true)), to: bitmap)
        #expect(fitted.chroma < 0.97 * plain.chroma)
        #expect(fitted.luminance < 0.8 * plain.luminance)
    }

    /// Gray has no chroma to lose.
    @Test func grayPicturesAreWrittenAsWithoutFitting() throws {
        let bitmap = try EncoderPicture(.scene, size: PixelSize(width: 70, height: 50), format: .gray, seed: 1).bitmap
            .converted(to: .rgba)
        for quality in [10.0, 60, 100] {
            #expect(
                try encoded(bitmap, quality: quality, fitsColors: true)
                    == encoded(bitmap, quality: quality, fitsColors: false))
        }
    }

    /// Edges of the picture are repeated beyond it: a flat picture of any size stays flat.
    @Test(arguments: [1, 2, 15, 16, 17, 33]) func flatColorsStayFlat(side: Int) throws {
        let pixel: [UInt8] = [200, 90, 40, 255]
        let bytes = (0..<side * 3).flatMap { _ in pixel }
        let bitmap = try Bitmap(packed: bytes, size: PixelSize(width: side, height: 3), format: .rgba)
        let picture = try shown(encoded(bitmap, quality: 95, fitsColors: true))
        let first: SIMD3<Double> = color(picture, 0, 0)
        for y in 0..<3 { for x in 0..<side { #expect(color(picture, x, y) == first) } }
        let difference: SIMD3<Double> = first - SIMD3(200, 90, 40)
        #expect((difference * difference).max() <= 9)
    }
}
