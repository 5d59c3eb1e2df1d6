import APNGCodec
import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import JPEGCodec
import PNGCodec
import WebPCodec

/// A small sound file that makes use of one feature of its format.
struct FeatureFile: Sendable, CustomStringConvertible {
    let description: String
    let coder: any IncrementalImageCoder
    let isAnimation: Bool
    private let make: @Sendable () throws -> [UInt8]

    private init(
        _ description: String, _ coder: any IncrementalImageCoder, isAnimation: Bool = false,
        _ make: @escaping @Sendable () throws -> [UInt8]
    ) {
        (self.description, self.coder, self.isAnimation, self.make) = (description, coder, isAnimation, make)
    }

    private init(fixture path: String, _ coder: any IncrementalImageCoder, isAnimation: Bool = false) {
        self.init(path, coder, isAnimation: isAnimation) { try FixtureBytes.read(path) }
    }

    func bytes() throws -> [UInt8] { try make() }

    static let all = png + apng + gif + jpeg + webp

    // MARK: PNG

    private static let png =
        [(0, 1), (0, 8), (0, 16), (2, 8), (2, 16), (3, 2), (3, 8), (4, 8), (4, 16), (6, 8), (6, 16)].map {
            colorType, depth in
            FeatureFile("PNG of color type \(colorType), depth \(depth)", PNGCoder()) {
                plainPNG(colorType: UInt8(colorType), depth: UInt8(depth))
            }
        } + [
            FeatureFile("interlaced PNG", PNGCoder()) {
                PNGBuilder.file(
                    width: 9, height: 9, depth: 16, colorType: 0, interlaced: true,
                    scanlines: adam7(width: 9, height: 9, bytesPerPixel: 2), isCompressed: true)
            },
            FeatureFile("PNG with metadata", PNGCoder()) { plainPNG(colorType: 6, depth: 8, chunks: describingChunks) },
        ]

    private static func plainPNG(
        colorType: UInt8, depth: UInt8, chunks: [(String, [UInt8])] = []
    ) -> [UInt8] {
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(colorType)] ?? 1
        let byteCount = (13 * channels * Int(depth) + 7) / 8
        var random = SeededRandom(seed: UInt64(colorType) << 8 | UInt64(depth))
        let lines = (0..<11).flatMap { [UInt8($0 % 5)] + random.bytes(byteCount) }
        var chunks = chunks
        if colorType == 3 {
            chunks += [("PLTE", random.bytes(3 << Int(depth))), ("tRNS", random.bytes(1 << Int(depth)))]
        } else if colorType == 0 {
            chunks.append(("tRNS", [0, 1]))
        }
        return PNGBuilder.file(
            width: 13, height: 11, depth: depth, colorType: colorType, chunks: chunks, scanlines: lines,
            isCompressed: true)
    }

    /// Filter type bytes and samples of all seven passes.
    private static func adam7(width: Int, height: Int, bytesPerPixel: Int) -> [UInt8] {
        var random = SeededRandom(seed: 7)
        var bytes: [UInt8] = []
        for (x, y, right, down) in [
            (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
        ] {
            let (columns, rows) = ((width - x + right - 1) / right, (height - y + down - 1) / down)
            for row in 0..<rows { bytes += [UInt8(row % 5)] + random.bytes(columns * bytesPerPixel) }
        }
        return bytes
    }

    /// Orientation 6 and nothing else.
    private static let exif: [UInt8] =
        Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]

    /// A profile, texts of all kinds, Exif data, a suggested palette.
    private static var describingChunks: [(String, [UInt8])] {
        let long = Array(String(repeating: "text ", count: 80).utf8)
        return [
            ("iCCP", Array("profile".utf8) + [0, 0] + PNGBuilder.deflated([UInt8](repeating: 3, count: 400))),
            ("gAMA", [0, 0, 0xB1, 0x8F]), ("eXIf", exif), ("tEXt", Array("Title".utf8) + [0] + long),
            ("zTXt", Array("Author".utf8) + [0, 0] + PNGBuilder.deflated(long)),
            (
                "iTXt",
                Array("Comment".utf8) + [0, 1, 0] + Array("en".utf8) + [0, 0xC3, 0xA9, 0] + PNGBuilder.deflated(long)
            ),
            ("sPLT", Array("palette".utf8) + [0, 8] + [UInt8](repeating: 1, count: 60)),
        ]
    }

    // MARK: Animations, GIF

    private static let apng = ["rgba-8", "palette-4", "adam7", "dispose-mixed", "default-outside", "gray-alpha-16"].map
    {
        FeatureFile(fixture: "apng/\($0).png", APNGCoder(), isAnimation: true)
    }

    private static let gif =
        ["still-transparent", "interlaced", "comment", "xmp", "local-table"].map {
            FeatureFile(fixture: "gif/\($0).gif", GIFCoder())
        }
        + ["restore-chain", "disposal-2", "small-first-frame", "partly-outside"].map {
            FeatureFile(fixture: "gif/\($0).gif", GIFCoder(), isAnimation: true)
        }

    // MARK: JPEG

    private static let jpeg =
        ["landscape-420", "landscape-gray-restart", "landscape-progressive", "cmyk", "cmyk-progressive"].map {
            FeatureFile(fixture: "jpeg/\($0).jpg", JPEGCoder())
        } + [
            FeatureFile("JPEG with metadata", JPEGCoder()) {
                let file = try FixtureBytes.read("jpeg/cmyk.jpg")
                let profile = Array("ICC_PROFILE".utf8) + [0, 1, 1] + [UInt8](repeating: 5, count: 300)
                let resources =
                    Array("Photoshop 3.0".utf8) + [0] + Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, 3, 28, 2, 5, 0]
                return Array(file.prefix(2)) + segment(0xE1, Array("Exif".utf8) + [0, 0] + exif)
                    + segment(0xE2, profile) + segment(0xED, resources) + segment(0xFE, Array("comment".utf8))
                    + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/".utf8) + [0] + Array("<x/>".utf8))
                    + file.dropFirst(2)
            }
        ]

    private static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
    }

    // MARK: WebP

    private static let webp =
        [
            "lossless", "lossless-alpha", "palette-16", "lossy", "lossy-alpha", "lossy-alpha-raw-gradient",
            "metadata-behind", "metadata-in-front", "lossy/eight-partitions", "lossless/groups",
        ].map { FeatureFile(fixture: "webp/\($0).webp", WebPCoder()) }
        + ["mixed-lossy", "blend-clear", "tiny-animation", "metadata-behind-frames"].map {
            FeatureFile(fixture: "webp/\($0).webp", WebPCoder(), isAnimation: true)
        }
}
