// How a picture gets into a box, and which part of it stays where the box is of another shape.

import ArgumentParser
import ImageCodecs

/// What `--fit` takes.
enum FitChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// Inside the box.
    case fit
    /// Covers the box; what is outside is cut off.
    case fill
    /// Covers the box; nothing is cut off.
    case outside
    /// Exactly the box.
    case stretch

    /// What the decoder is asked for; cutting is done after it.
    var decoding: DecodingOptions.Fit {
        switch self {
        case .fit: .fit
        case .fill, .outside: .fill
        case .stretch: .stretch
        }
    }
}

/// Which part of a picture stays when it is cut.
enum Gravity: String, CaseIterable, ExpressibleByArgument, Sendable {
    case center, north, northeast, east, southeast, south, southwest, west, northwest

    /// The part of `size` that is in a box at this place; a side of the box of 0 or less does not bind.
    func rect(of box: PixelSize, in size: PixelSize) -> PixelRect {
        let width = box.width > 0 ? min(box.width, size.width) : size.width
        let height = box.height > 0 ? min(box.height, size.height) : size.height
        return PixelRect(
            x: (size.width - width) * horizontal / 2, y: (size.height - height) * vertical / 2, width: width,
            height: height)
    }

    /// Halves of the room at the left: 0, 1 or 2.
    private var horizontal: Int {
        switch self {
        case .west, .northwest, .southwest: 0
        case .center, .north, .south: 1
        case .east, .northeast, .southeast: 2
        }
    }

    /// Halves of the room at the top.
    private var vertical: Int {
        switch self {
        case .north, .northeast, .northwest: 0
        case .center, .east, .west: 1
        case .south, .southeast, .southwest: 2
        }
    }
}
