// Options of the picture that `imagetool inspect` draws of a lossy WebP file.

public import ArgumentParser
public import ImageInspection

extension MacroblockLayer: ExpressibleByArgument {}

/// A pixel as people write it: `120,64`, column and row from 0.
struct PixelPlace: ExpressibleByArgument, Sendable {
    let pixel: (x: Int, y: Int)

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let x = numbers[0], let y = numbers[1], x >= 0, y >= 0 else { return nil }
        pixel = (x, y)
    }
}

/// The picture that `imagetool inspect --picture` draws.
struct MacroblockArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Draw the macroblocks of a lossy WebP picture over it, with a legend, or what --map names, instead of listing parts; - is standard output.",
            valueName: "out"))
    var picture: String?

    @Option(
        name: .customLong("layer"), parsing: .singleValue,
        help: "What to draw; given again, that too. (default: everything)")
    var layers: [MacroblockLayer] = []

    @Option(
        help: ArgumentHelp(
            "Draw this property of the coding as a picture of any format: bits, source, filter ... (the layers of --html and --coding); patterns: one JPEG block, see --block.",
            valueName: "layer"))
    var map: String?

    @Option(
        help: ArgumentHelp(
            "The JPEG block that this pixel is in is taken apart. (default: the one that takes the most bits)",
            valueName: "x,y"))
    var block: PixelPlace?

    @Option(help: "The frame of an animation, from 0. (default: the first lossy one)")
    var frame: Int?

    @Option(
        help: ArgumentHelp(
            "Pixels for each pixel of the picture. (default: as many as fit into 1600, at most 8)", valueName: "1-16"))
    var scale: Int?

    func validate() throws {
        if let scale, !MacroblockPicture.scales.contains(scale) {
            throw ValidationError("--scale must be from 1 to 16")
        }
        if let frame, frame < 0 { throw ValidationError("--frame must not be negative") }
        if map != nil, let option = macroblockOptions.first {
            throw ValidationError("\(option) is for macroblocks, not for --map")
        }
        if picture == nil {
            let given = [
                ("--map", map != nil),
                ("--layer", !layers.isEmpty), ("--frame", frame != nil), ("--scale", scale != nil),
            ]
            if let option = given.first(where: \.1)?.0 { throw ValidationError("\(option) goes with --picture") }
        }
    }

    /// Options given that say how macroblocks are drawn.
    private var macroblockOptions: [String] {
        [("--layer", !layers.isEmpty), ("--frame", frame != nil), ("--scale", scale != nil)].filter(\.1).map(\.0)
    }

    /// What is drawn.
    var chosenLayers: Set<MacroblockLayer> { layers.isEmpty ? MacroblockLayer.all : Set(layers) }
}
