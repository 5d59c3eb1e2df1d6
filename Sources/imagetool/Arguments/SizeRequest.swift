// Sizes as people write them: a box, one side of it, or a share of the picture.

import ArgumentParser
import ImageCodecs

/// What `--size` asks for.
///
///     300       a box of 300x300
///     400x300   a box
///     300x      300 wide, however high
///     x300      300 high, however wide
///     50%       half as wide and half as high
enum SizeRequest: Hashable, Sendable {
    /// A side of 0 does not bind.
    case box(PixelSize)
    /// Above 0, at most 100.
    case percent(Double)

    /// `nil` for anything but the forms above, each side at least 1.
    init?(_ text: String) {
        if text.hasSuffix("%") {
            let digits = text.dropLast()
            guard digits.allSatisfy({ ("0"..."9").contains($0) || $0 == "." }), let share = Double(digits),
                share > 0, share <= 100
            else { return nil }
            self = .percent(share)
            return
        }
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        switch sides.count {
        case 1:
            guard let side = Self.side(sides[0]) else { return nil }
            self = .box(PixelSize(width: side, height: side))
        case 2 where sides.contains { !$0.isEmpty }:
            guard let width = sides[0].isEmpty ? 0 : Self.side(sides[0]),
                let height = sides[1].isEmpty ? 0 : Self.side(sides[1])
            else { return nil }
            self = .box(PixelSize(width: width, height: height))
        default: return nil
        }
    }

    private static func side(_ text: Substring) -> Int? {
        guard let side = Int(text), side > 0, text.first != "+" else { return nil }
        return side
    }

    /// The forms, for help and messages.
    static let forms = "W, WxH, Wx, xH or P%"
}

extension SizeRequest: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }

    /// As it would be written.
    var defaultValueDescription: String {
        switch self {
        case .box(let box): "\(box.width)x\(box.height)"
        case .percent(let share): "\(share)%"
        }
    }
}
