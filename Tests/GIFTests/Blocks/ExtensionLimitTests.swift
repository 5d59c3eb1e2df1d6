import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

/// Whether metadata are too much does not depend on how the bytes come.
@Suite struct ExtensionLimitTests {
    /// A picture of one pixel, and after it an extension.
    private func file(_ head: [UInt8], first: Int, subBlockCount: Int) -> [UInt8] {
        var file = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [UInt8](repeating: 90, count: 6)
        file += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]
        file += head + [UInt8(first)] + [UInt8](repeating: 97, count: first)
        let subBlock = [255] + [UInt8](repeating: 98, count: 255)
        file.reserveCapacity(file.count + subBlock.count * subBlockCount)
        for _ in 0..<subBlockCount { file += subBlock }
        return file + [0, 0x3B]
    }

    /// What is said of a file in one piece and in others.
    private func refusals(_ file: [UInt8], _ options: DecodingOptions) -> [ImageError?] {
        func refusal(_ decode: () throws(ImageError) -> RasterImage?) -> ImageError? {
            do throws(ImageError) {
                _ = try decode()
                return nil
            } catch {
                return error
            }
        }
        let whole = refusal { () throws(ImageError) in try GIFCoder().decode(ImageData(file), options: options) }
        return [whole]
            + [1000, 20_000, file.count].map { pieceSize in
                refusal { () throws(ImageError) in
                    try GIFCoder().decode(file, inPiecesOf: pieceSize, options: options)
                }
            }
    }

    private static let heads: [[UInt8]] = [
        [0x21, 0xFE], [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8), [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8),
    ]

    /// Runs of 16 KiB step over the largest item, if shorter ones stop before it.
    @Test(arguments: heads)
    func whatIsLargerThanAnyItemIsRefusedForAllCuts(_ head: [UInt8]) throws {
        let file = file(head, first: 100, subBlockCount: 9 << 12)
        for (limit, isRefused) in [(8_345_000, true), (MetadataBudget.largestItemByteCount, false)] {
            var options = DecodingOptions()
            options.limits.maxMetadataByteCount = limit
            let refusals = refusals(file, options)
            #expect(refusals.allSatisfy { $0 == refusals[0] && ($0 != nil) == isRefused }, "\(limit): \(refusals)")
        }
    }

    @Test(arguments: heads)
    func asMuchIsSaidToBeTooMuchForAllCuts(_ head: [UInt8]) {
        var options = DecodingOptions()
        options.limits.maxMetadataByteCount = 50_000
        let refusals = refusals(file(head, first: 100, subBlockCount: 400), options)
        #expect(refusals.allSatisfy { $0 == refusals[0] && $0 != nil }, "\(refusals)")
    }

    @Test func noLimitRefusesNothing() {
        var options = DecodingOptions()
        options.limits = .unlimited
        #expect(refusals(file([0x21, 0xFE], first: 100, subBlockCount: 400), options).allSatisfy { $0 == nil })
    }
}
