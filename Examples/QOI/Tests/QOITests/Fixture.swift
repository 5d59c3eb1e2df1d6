import Foundation
import ImageCodecs

/// A file of the reference encoder with the pixels that went into it.
struct Fixture: Sendable, CustomStringConvertible {
    let name: String
    let size: PixelSize
    let format: PixelFormat
    let file: [UInt8]
    /// Straight bytes, row by row.
    let pixels: [UInt8]

    var description: String { name }

    init(_ name: String, _ width: Int, _ height: Int, _ format: PixelFormat) {
        self.name = name
        size = PixelSize(width: width, height: height)
        self.format = format
        file = Self.bytes(name + ".qoi")
        pixels = Self.bytes(name + (format.hasAlpha ? ".rgba" : ".rgb"))
    }

    static let soft = Fixture("soft-61x47", 61, 47, .rgb)
    static let softAlpha = Fixture("soft-40x53", 40, 53, .rgba)
    static let dot = Fixture("dot-1x1", 1, 1, .rgba)
    static let all = [soft, softAlpha, dot]

    private static func bytes(_ name: String) -> [UInt8] {
        let folder = Bundle.module.resourceURL?.appending(path: "Fixtures")
        return (try? folder.map { try Data(contentsOf: $0.appending(path: name)) }).flatMap { $0.map { Array($0) } }
            ?? []
    }
}

extension DecodingOptions {
    /// Pixels as they are in the file.
    static func exact(_ format: PixelFormat?) -> DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = format
        return options
    }
}
