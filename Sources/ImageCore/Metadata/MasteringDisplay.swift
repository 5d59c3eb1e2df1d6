// What pictures of high dynamic range say about brightness.

/// The display on which a picture was mastered (PNG 3rd ed. §11.3.2.7 "mDCV Mastering Display Color Volume").
public struct MasteringDisplay: Hashable, Sendable {
    /// White point and primaries. Files have them in steps of 0.00002.
    public var chromaticities: Chromaticities
    /// The brightest that it shows, in 1/10000 of a candela per square metre.
    public var maxLuminance: UInt32
    /// The darkest, in the same steps.
    public var minLuminance: UInt32

    /// Creates a description of a display.
    public init(chromaticities: Chromaticities, maxLuminance: UInt32, minLuminance: UInt32) {
        self.chromaticities = chromaticities
        self.maxLuminance = maxLuminance
        self.minLuminance = minLuminance
    }
}

/// How bright a picture gets, in 1/10000 of a candela per square metre (PNG 3rd ed. §11.3.2.8 "cLLI Content Light Level
/// Information").
public struct ContentLightLevel: Hashable, Sendable {
    /// The brightest pixel of all frames.
    public var maximum: UInt32
    /// The largest mean of a frame.
    public var maximumFrameAverage: UInt32

    /// Creates a description.
    public init(maximum: UInt32, maximumFrameAverage: UInt32) {
        self.maximum = maximum
        self.maximumFrameAverage = maximumFrameAverage
    }
}
