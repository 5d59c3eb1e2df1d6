// Options that change a picture while it is converted.

public import ArgumentParser
public import ImageCodecs
import JPEGCodec

/// A part of a picture as people write it: `640x480+10+20`, size and then position, as `PixelRect` describes itself.
struct CropRect: ExpressibleByArgument, Sendable {
    let rect: PixelRect

    init?(argument: String) {
        let parts = argument.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let sides = Self.numbers(parts[0].split(separator: "x", omittingEmptySubsequences: false)),
            let place = Self.numbers([parts[1], parts[2]]), sides.count == 2, sides[0] > 0, sides[1] > 0
        else { return nil }
        rect = PixelRect(x: place[0], y: place[1], width: sides[0], height: sides[1])
    }

    static func numbers(_ texts: some Collection<Substring>) -> [Int]? {
        let numbers = texts.compactMap { text in
            text.allSatisfy { ("0"..."9").contains($0) } ? Int(text) : nil
        }
        return numbers.count == texts.count ? numbers : nil
    }
}

/// Turns as people write them: degrees clockwise.
enum RotationChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case quarter = "90"
    case half = "180"
    case threeQuarters = "270"

    var rotation: RasterImage.Rotation {
        switch self {
        case .quarter: .clockwise
        case .half: .half
        case .threeQuarters: .counterclockwise
        }
    }
}

extension RasterImage.Flip: ExpressibleByArgument {}

/// What is changed about the pixels: first cut, then turned, then mirrored, then shrunk.
struct ChangeArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Keep this part: width, height, left and top in pixels.", valueName: "WxH+X+Y"))
    var crop: CropRect?

    @Option(help: "Turn clockwise, by degrees.")
    var rotate: RotationChoice?

    @Option(help: "Mirror: horizontal exchanges left and right.")
    var flip: RasterImage.Flip?

    @Option(help: ArgumentHelp("Write this frame of an animation alone, as a still picture; from 0.", valueName: "n"))
    var frame: Int?

    func validate() throws {
        if let frame, frame < 0 { throw ValidationError("--frame must not be negative") }
    }

    var change: PictureChange {
        PictureChange(crop: crop?.rect, rotation: rotate?.rotation, flip: flip, frame: frame)
    }
}

extension JPEGTransformation.Edges: ExpressibleByArgument {}

/// A file that is pasted, and where: `stamp.jpg+32+16`.
struct PastedFile: ExpressibleByArgument, Sendable {
    let path: String
    let x: Int
    let y: Int

    init?(argument: String) {
        let parts = argument.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count >= 3, let place = CropRect.numbers(parts.suffix(2)), place.count == 2 else { return nil }
        path = parts.dropLast(2).joined(separator: "+")
        guard !path.isEmpty else { return nil }
        (x, y) = (place[0], place[1])
    }

    /// Its bytes.
    func patch(_ limits: DecodingLimits) throws(ImageError) -> JPEGPatch {
        var reader = try FileReader(path, maxByteCount: limits.maxInputByteCount)
        return JPEGPatch(try reader.readToEnd(), x: x, y: y)
    }
}

/// What only files have that are changed without being decoded.
struct SurgeryArguments: ParsableArguments {
    @Option(
        help: """
            What is done with an incomplete last column or row of MCUs that would come first: perfect refuses, trim leaves it out, keep leaves \
            it where it is. (default: perfect)
            """)
    var edges: JPEGTransformation.Edges?

    @Flag(help: "Keep luma alone.")
    var gray = false

    @Option(
        help: ArgumentHelp(
            """
            Replace a part of the new picture by this JPEG file, from these pixels on, left and top: multiples of an MCU. Sampling and \
            quantization tables have to be the same. May be repeated.
            """, valueName: "file+X+Y"))
    var paste: [PastedFile] = []

    /// The options that were given.
    var given: [String] {
        [edges.map { _ in "--edges" }, gray ? "--gray" : nil, paste.isEmpty ? nil : "--paste"].compactMap { $0 }
    }

    var transformation: JPEGTransformation {
        var transformation = JPEGTransformation()
        transformation.edges = edges ?? .perfect
        transformation.isGray = gray
        return transformation
    }
}
