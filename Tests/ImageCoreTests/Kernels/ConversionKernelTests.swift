import CodecTestSupport
import Testing

import ImageCodecsCore

/// Every kernel against its plain twin, at every length of tail and at odd addresses.
@Suite struct ConversionKernelTests {
    static let steps: [ConversionStep] = {
        var steps: [ConversionStep] = [
            .exchangeRedBlue, .grayToFour, .grayAlphaToFour, .grayAlphaToOpaqueFour, .premultiplyGrayAlpha,
            .grayToRGB, .grayToGrayAlpha, .grayAlphaToGray, .grayAlphaToRGB, .rgbaToGrayAlpha, .rgbToGray,
            .rgbToGrayAlpha, .gray16ToRGBA16, .deepGrayAlphaToRGBA16, .rgbaToGray16, .rgba16ToGray16,
            .deepGrayToRGBA16(key: nil), .deepGrayToRGBA16(key: 0xFF00), .keyedDeepGrayToRGBA(key: 0x00FF),
            .deepRGBToRGBA16(key: nil), .deepRGBToRGBA16(key: 0xFFFF_0000_FFFF), .keyedDeepRGBToRGBA(key: 0xFF00),
        ]
        for redBlue in [RedBlue.kept, .exchanged] {
            steps += [
                .fourToOpaqueFour(redBlue), .premultiply(redBlue), .unpremultiply(redBlue),
                .unpremultiplyToOpaque(redBlue), .cmykToFour(redBlue), .rgbToFour(redBlue),
                .fourToRGB(redBlue), .fourToGray(redBlue),
                .keyedRGBToFour(redBlue, key: 0xFF00FF, .straight),
                .keyedRGBToFour(redBlue, key: 0x0000FF, .premultiplied),
            ]
        }
        for samples in 1...4 {
            steps += [
                .copy(bytesPerPixel: samples), .reduceBigEndian(samplesPerPixel: samples),
                .reduceNative(samplesPerPixel: samples), .widen(samplesPerPixel: samples),
                .swapBytes(samplesPerPixel: samples),
            ]
        }
        let rgba = (0..<256).map { UInt32($0) &* 0x9E37_79B1 }
        for bits in [1, 2, 4, 8] {
            steps += [
                .lookUp(PixelTable(bits: bits, rgba: rgba, .fourToGray(.kept), bytesPerPixel: 1)),
                .lookUp(PixelTable(bits: bits, rgba: rgba, .rgbaToGrayAlpha, bytesPerPixel: 2)),
                .lookUp(PixelTable(bits: bits, rgba: rgba, .fourToRGB(.exchanged), bytesPerPixel: 3)),
                .lookUp(PixelTable(bits: bits, rgba: rgba, .exchangeRedBlue, bytesPerPixel: 4)),
            ]
        }
        return steps
    }()

    /// Runs `step` from and to odd places of larger buffers; both rows end where their memory does.
    static func run(_ step: ConversionStep, _ source: [UInt8], count: Int, width: Int, offset: Int) -> [UInt8] {
        let source = [UInt8](repeating: 0xA5, count: offset) + source
        var destination = [UInt8](repeating: 0x5A, count: offset + count + 40)
        unsafe source.withUnsafeBytes { source in
            unsafe destination.withUnsafeMutableBytes { destination in
                let row = unsafe UnsafeRawBufferPointer(rebasing: source[offset...]).bytes
                let place = offset..<offset + count
                var part = unsafe UnsafeMutableRawBufferPointer(rebasing: destination[place]).mutableBytes
                step.run(row, into: &part, width: width)
            }
        }
        #expect(destination.prefix(offset).allSatisfy { $0 == 0x5A }, "wrote before the row")
        #expect(destination.suffix(40).allSatisfy { $0 == 0x5A }, "wrote after the row")
        return Array(destination[offset..<offset + count])
    }

    @Test(arguments: steps.indices)
    func kernelEqualsItsReference(stepIndex: Int) {
        let step = Self.steps[stepIndex]
        var random = SeededRandom(seed: 17)
        for width in 0...67 {
            for offset in 0...3 {
                // Whole stretches of 0 and 255, single ones, and anything.
                let kind = random.next() % 4
                let source = random.bytes((width * step.sourceBitsPerPixel + 7) / 8).map { byte -> UInt8 in
                    switch kind {
                    case 0: byte
                    case 1: byte & 1 == 0 ? 0 : 255
                    case 2: byte < 250 ? 255 : byte
                    default: byte < 250 ? 0 : byte
                    }
                }
                var expected = [UInt8](repeating: 0, count: width * step.destinationByteCount)
                source.withRawSpan { source in
                    expected.withMutableRawSpan { step.runReference(source, into: &$0, width: width) }
                }
                let result = Self.run(step, source, count: expected.count, width: width, offset: offset)
                guard result != expected else { continue }
                Issue.record("\(step), width \(width), offset \(offset)")
                return
            }
        }
    }

    @Test func premultiplyingEqualsTheRuleForEveryColourAndAlpha() {
        var straight: [UInt8] = []
        var expected: [UInt8] = []
        for alpha in 0..<256 {
            for color in 0..<256 {
                let t = color * alpha + 128
                let product = UInt8((t + (t >> 8)) >> 8)
                straight += [UInt8(color), UInt8(255 - color), UInt8(color), UInt8(alpha)]
                expected += [product, 0, product, UInt8(alpha)]
            }
        }
        var result = Self.run(.premultiply(.kept), straight, count: straight.count, width: 65536, offset: 0)
        for x in 0..<65536 { result[4 * x + 1] = 0 }
        #expect(result == expected)
    }

    @Test func unpremultiplyingIsTheWholeNumberedDivisionForEveryColourAndAlpha() {
        var premultiplied: [UInt8] = []
        var expected: [UInt8] = []
        for alpha in 0..<256 {
            for color in 0..<256 {
                let quotient = alpha == 0 ? 0 : UInt8(min(255, (color * 255 + alpha / 2) / alpha))
                premultiplied += [UInt8(color), UInt8(color), UInt8(color), UInt8(alpha)]
                expected += [quotient, quotient, quotient, UInt8(alpha)]
            }
        }
        let count = premultiplied.count
        #expect(Self.run(.unpremultiply(.kept), premultiplied, count: count, width: 65536, offset: 0) == expected)
        // One at a time: the code for what is left of a row.
        for x in stride(from: 0, to: count, by: 4) {
            let pixel = Array(premultiplied[x..<x + 4])
            let result = Self.run(.unpremultiply(.exchanged), pixel, count: 4, width: 1, offset: 0)
            if result[...] != expected[x..<x + 4] {
                Issue.record("\(pixel) gives \(result)")
                return
            }
        }
    }

    @Test func reducingRoundsEverySampleToTheNearest() {
        let bytes = (0..<65536).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let expected = (0..<65536).map { UInt8(($0 * 255 + 32895) >> 16) }
        #expect(
            Self.run(.reduceBigEndian(samplesPerPixel: 1), bytes, count: 65536, width: 65536, offset: 0) == expected)
    }
}
