// What files say about the place of a picture, and of two pictures in one.

/// Where a picture lies, from the left and the top of a page or a screen (Extensions to the PNG 1.2 Specification 1.4.0, §2.1
/// "oFFs Image offset").
public struct PicturePlacement: Hashable, Sendable {
    /// What the numbers count.
    public enum Unit: UInt8, Hashable, Sendable {
        case pixel, micrometer
    }

    /// To the right.
    public var x: Int32
    /// Down.
    public var y: Int32
    /// The unit.
    public var unit: Unit

    /// Creates a place.
    public init(x: Int32, y: Int32, unit: Unit) {
        self.x = x
        self.y = y
        self.unit = unit
    }
}

/// How two pictures for two eyes lie beside each other in one (Extensions to the PNG 1.2 Specification 1.4.0, §2.6 "sTER
/// Indicator of Stereo Image").
public enum StereoLayout: UInt8, Hashable, Sendable {
    /// That of the right eye is at the left.
    case crossFused
    /// That of the left eye is at the left.
    case divergingFused
}
