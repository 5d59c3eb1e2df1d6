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

    private static func numbers(_ texts: [Substring]) -> [Int]? {
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

    /// The options that were given.
    var given: [String] { [edges.map { _ in "--edges" }, gray ? "--gray" : nil].compactMap { $0 } }

    var transformation: JPEGTransformation {
        var transformation = JPEGTransformation()
        transformation.edges = edges ?? .perfect
        transformation.isGray = gray
        return transformation
    }
}
