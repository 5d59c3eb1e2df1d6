// What is made of a picture: the values of all options of an address.

/// How a picture is fitted into a box.
package enum ResizingType: String, Hashable, Sendable, CaseIterable {
    /// As large as possible inside the box.
    case fit
    /// As small as possible while covering the box; what stands out is cut off.
    case fill
    /// As `fill`; a picture that is smaller than the box gets the box's proportions.
    case fillDown = "fill-down"
    /// Exactly the box, whatever that does to the proportions.
    case force
    /// `fill` if picture and box are both upright or both lie, else `fit`.
    case auto
}

/// Which part of a picture matters, or where something is put.
package struct Gravity: Hashable, Sendable {
    /// A side, a corner, a place.
    package enum Kind: Hashable, Sendable {
        /// 0 is the left or upper end, 0.5 the middle, 1 the right or lower end.
        case place(x: Double, y: Double)
        /// The middle of what is kept, in parts of width and height.
        case focus(x: Double, y: Double)
        /// Where there is most to see.
        case smart
    }

    /// The part.
    package var kind: Kind
    /// How far from there, towards the middle, in pixels; below 1 in parts of the side.
    package var x, y: Double

    /// Creates a gravity.
    package init(_ kind: Kind, x: Double = 0, y: Double = 0) { (self.kind, self.x, self.y) = (kind, x, y) }

    /// The middle.
    package static let center = Gravity(.place(x: 0.5, y: 0.5))
}

/// A format that pictures are written in.
package enum OutputFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg, png, apng, gif, webp

    /// The format of a file name extension; `nil` if it is not written.
    package init?(fileExtension: String) {
        guard let format = Self(rawValue: fileExtension == "jpg" ? "jpeg" : fileExtension) else { return nil }
        self = format
    }
}

/// A mark that is laid over a picture.
package struct Watermark: Hashable, Sendable {
    /// 0 (not seen) ... 1.
    package var opacity: Double
    /// Where it is.
    package var gravity = Gravity.center
    /// Whether it is repeated all over the picture.
    package var isRepeated = false
    /// Its size in parts of the picture; 0 leaves it as it is.
    package var scale = 0.0

    /// Creates a mark.
    package init(opacity: Double, gravity: Gravity = .center, scale: Double = 0) {
        (self.opacity, self.gravity, self.scale) = (opacity, gravity, scale)
    }
}

/// Everything that an address says about the picture it asks for.
package struct ProcessingOptions: Hashable, Sendable {
    package var resizing = ResizingType.fit
    /// The box; 0 does not bind.
    package var width = 0
    package var height = 0
    /// The result is at least as large, before it is cut to the box.
    package var minWidth = 0
    package var minHeight = 0
    /// Factors for width and height, beside ``dpr``.
    package var zoomX = 1.0
    package var zoomY = 1.0
    /// Pixels per pixel of the box.
    package var dpr = 1.0
    /// Whether small pictures are enlarged.
    package var enlarges = false
    /// Whether a smaller picture is put on a canvas as large as the box, and where; `nil` for no.
    package var extend: Gravity?
    /// Whether it is put on a canvas of the box's proportions.
    package var extendAspectRatio: Gravity?
    /// What is kept when something is cut off.
    package var gravity = Gravity.center
    /// The part of the picture that is used, in pixels, below 1 in parts of the picture; 0 is all.
    package var cropWidth = 0.0
    package var cropHeight = 0.0
    /// Where that part is; `nil` is ``gravity``.
    package var cropGravity: Gravity?
    /// Above, right, below, left.
    package var padding = [0, 0, 0, 0]
    /// Quarters clockwise.
    package var quarterTurns = 0
    /// Whether the orientation that the file states is applied.
    package var turnsUpright = true
    /// Red, green, blue of what is transparent; `nil` leaves it so.
    package var background: (SIMD3<UInt8>)?
    /// Standard deviations in pixels; 0 for none.
    package var blur = 0.0
    package var sharpen = 0.0
    package var watermark: Watermark?
    package var stripsMetadata = true
    package var stripsColorProfile = true
    /// 1...100; 0 is the server's choice.
    package var quality = 0
    /// The same for one format.
    package var formatQuality: [OutputFormat: Int] = [:]
    /// The most bytes of the result; 0 for any number.
    package var maxByteCount = 0
    /// `nil` is what the client accepts and the source is.
    package var format: OutputFormat?
    /// Does nothing but make another address.
    package var cacheBuster = ""
    /// Seconds since 1970 after which the address is not answered; 0 for never.
    package var expires = 0
    /// The name under which a browser saves the picture, without extension.
    package var fileName = ""
    /// Whether a browser saves the picture in place of showing it.
    package var isAttachment = false

    /// Options that change nothing but metadata and colours.
    package init() {}

    /// The options that decide on the bytes of the result, as text: equal for equal results from one source.
    ///
    /// What is at its default is left out, so that addresses that differ in their spelling alone share a cache entry.
    package var key: String {
        var parts: [String] = []
        func add<Value: Equatable>(_ name: String, _ path: KeyPath<ProcessingOptions, Value>) {
            let value = self[keyPath: path]
            if value != Self.defaults[keyPath: path] { parts.append("\(name)=\(value)") }
        }
        add("type", \.resizing.rawValue)
        add("w", \.width)
        add("h", \.height)
        add("mw", \.minWidth)
        add("mh", \.minHeight)
        add("zx", \.zoomX)
        add("zy", \.zoomY)
        add("dpr", \.dpr)
        add("enlarge", \.enlarges)
        add("extend", \.extend)
        add("ratio", \.extendAspectRatio)
        add("gravity", \.gravity)
        add("cw", \.cropWidth)
        add("ch", \.cropHeight)
        add("cg", \.cropGravity)
        add("padding", \.padding)
        add("turns", \.quarterTurns)
        add("upright", \.turnsUpright)
        add("background", \.background)
        add("blur", \.blur)
        add("sharpen", \.sharpen)
        add("mark", \.watermark)
        add("strip", \.stripsMetadata)
        add("profile", \.stripsColorProfile)
        add("q", \.quality)
        for (format, quality) in formatQuality.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            parts.append("\(format.rawValue)=\(quality)")
        }
        add("bytes", \.maxByteCount)
        add("format", \.format)
        add("buster", \.cacheBuster)
        return parts.joined(separator: ";")
    }

    private static let defaults = ProcessingOptions()
}
