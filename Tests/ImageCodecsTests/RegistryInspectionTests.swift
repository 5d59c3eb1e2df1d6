import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

/// An inspection in pieces, as files too long to be held are inspected, says what one of the whole file says.
@Suite struct RegistryInspectionTests {
    private static let files: [Fixture] = ["png", "jpeg"].flatMap(Fixture.all)

    private func description(_ inspect: () throws(ImageError) -> ImageInfo) -> Result<ImageInfo, ImageError> {
        Result { () throws(ImageError) in try inspect() }
    }

    private func check(_ file: [UInt8], _ options: DecodingOptions, _ name: String) {
        let registry = CoderRegistry.shared
        let expected = description { () throws(ImageError) in
            try registry.inspect(ImageData(file), options: options)
        }
        for pieceSize in [1, 7, 4096] {
            let read = description { () throws(ImageError) in
                var inspector = registry.makeInspector(options: options, inputByteCount: file.count)
                for start in stride(from: 0, to: file.count, by: pieceSize) {
                    try inspector.append(file.span.extracting(start..<min(file.count, start + pieceSize)))
                }
                return try inspector.finish()
            }
            #expect(read == expected, "\(name) in pieces of \(pieceSize)")
        }
    }

    @Test(arguments: files)
    func piecesTellWhatTheWholeTells(_ fixture: Fixture) throws {
        let file = [UInt8](try Data(contentsOf: fixture.url))
        var thumbnail = DecodingOptions.thumbnail(width: 40, height: 30)
        thumbnail.limits = .untrusted
        thumbnail.limits.maxTime = nil
        for options in [DecodingOptions.default, thumbnail] { check(file, options, fixture.name) }
        for count in [0, 1, 2, 3, 8, 60, file.count / 2] {
            check(Array(file.prefix(count)), .default, "\(count) bytes of \(fixture.name)")
        }
        check(file + [1, 2, 3, 4, 5], .default, "\(fixture.name) and more")
    }

    @Test(arguments: [1, 1000])
    func aLongInputIsRefusedInPieces(_ pieceSize: Int) throws {
        let fixture = try #require(Self.files.first { $0.name == "landscape.png" })
        let file = [UInt8](try Data(contentsOf: fixture.url))
        var options = DecodingOptions()
        options.limits.maxInputByteCount = file.count - 1
        var inspector = CoderRegistry.shared.makeInspector(options: options, inputByteCount: .max)
        #expect {
            for start in stride(from: 0, to: file.count, by: pieceSize) {
                try inspector.append(file.span.extracting(start..<min(file.count, start + pieceSize)))
            }
        } throws: {
            guard case .limitExceeded(.input, _, _)? = $0 as? ImageError else { return false }
            return true
        }
    }
}
