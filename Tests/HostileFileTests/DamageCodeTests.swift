import APNGCodec
import CodecTestSupport
import Foundation
import GIFCodec
import HostileFiles
import ImageCodecsCore
import ImageColor
import JPEGBaselineCodec
import JPEGCodec
import PNGCodec
import Testing
import WebPCodec
import WebPLosslessCodec
import WebPLossyCodec

/// Codes of damage: documented, and told of files that have it.
@Suite struct DamageCodeTests {
    /// What decodes of generated files say is wrong with them, strict ones and tolerant ones in turn.
    private func codes(_ coder: some ImageCoder, _ file: (DecisionSource) -> [UInt8]) -> Set<DamageCode> {
        var options = DecodingOptions()
        options.limits.maxPixelCount = 1 << 16
        var found: Set<DamageCode> = []
        for seed in 0..<6000 as Range<UInt64> {
            options.strictness = seed % 2 == 0 ? .strict : .tolerant
            do throws(ImageError) {
                let image = try coder.decode(ImageData(file(DecisionSource(seed: seed))), options: options)
                if let code = image.partial?.cause?.damageCode { found.insert(code) }
            } catch {
                if let code = error.damageCode { found.insert(code) }
            }
        }
        return found
    }

    @Test func everyCodeOfPNGIsMetInGeneratedFiles() {
        #expect(Set(DamageCode.allPNG).subtracting(codes(PNGCoder(), HostilePNG.file)) == [])
    }

    @Test func everyCodeOfJPEGIsMetInGeneratedFiles() {
        #expect(Set(DamageCode.allJPEG).subtracting(codes(JPEGCoder(), HostileJPEG.file)) == [])
    }

    @Test func everyCodeOfGIFIsMetInGeneratedFiles() {
        #expect(Set(DamageCode.allGIF).subtracting(codes(GIFCoder(), HostileGIF.file)) == [])
    }

    @Test func everyCodeOfAPNGIsMetInGeneratedFiles() {
        #expect(Set(DamageCode.allAPNG).subtracting(codes(APNGCoder(), HostileAPNG.file)) == [])
    }

    @Test func everyCodeOfWebPIsMetInGeneratedFiles() {
        let codes = Set(DamageCode.allWebP + DamageCode.allVP8L + DamageCode.allVP8)
        #expect(codes.subtracting(self.codes(WebPCoder(), HostileWebP.file)) == [])
    }

    @Test func theDocumentationListsEveryCodeAndNoOther() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = package.appending(path: "Sources/ImageCore/ImageCodecsCore.docc/DamageCodes.md")
        let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
        let listed = lines.compactMap { line -> String? in
            guard line.hasPrefix("| `") else { return nil }
            return line.dropFirst(3).split(separator: "`").first.map(String.init)
        }
        let codes =
            DamageCode.allPNG + DamageCode.allAPNG + DamageCode.allGIF + DamageCode.allJPEG + DamageCode.allWebP
            + DamageCode.allVP8L + DamageCode.allVP8
        let profileCodes = ICCProfileError.Code.allCases.map { "icc.\($0.rawValue)" }
        #expect(listed == codes.map(\.rawValue) + profileCodes)
        #expect(Set(listed).count == listed.count)
    }
}
