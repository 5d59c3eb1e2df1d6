// How the numbers of one channel become light: the curves of profiles and of the spaces that standards define.

import ImageCodecsCore

/// A function of 0...1 to about 0...1.
///
/// - Source: ICC.1:2022 §10.6 "curveType", §10.18 "parametricCurveType".
public enum ToneCurve: Hashable, Sendable {
    /// The number itself.
    case identity
    /// The number to this power.
    case gamma(Double)
    /// Values at equal distances, 0 at 0 and 65535 at 1, with straight lines between them; two at least.
    case table([UInt16])
    /// A power and a line.
    case parametric(ParametricCurve)
    /// The perceptual quantizer, brought to the range of a display; see `HighDynamicRange`.
    case perceptualQuantizer
    /// Hybrid log-gamma, brought to the range of a display; see `HighDynamicRange`.
    case hybridLogGamma

    /// The value at `x`; below 0 and above 1 that at the end, but for powers, which go on above 1.
    public func callAsFunction(_ x: Double) -> Double {
        switch self {
        case .identity: x
        case .gamma(let exponent): ReproduciblePowers.power(max(0, x), exponent)
        case .table(let values): Self.interpolated(values, at: x)
        case .parametric(let curve): curve(x)
        case .perceptualQuantizer: HighDynamicRange.lightOfPerceptualQuantizer(min(1, max(0, x)))
        case .hybridLogGamma: HighDynamicRange.lightOfHybridLogGamma(min(1, max(0, x)))
        }
    }

    /// Bytes of its values.
    var byteCount: Int { if case .table(let values) = self { 2 * values.count } else { 0 } }

    private static func interpolated(_ values: [UInt16], at x: Double) -> Double {
        guard x > 0 else { return Double(values[0]) / 65535 }
        guard x < 1 else { return Double(values[values.count - 1]) / 65535 }
        let place = x * Double(values.count - 1)
        let index = min(Int(place), values.count - 2)
        let (low, high) = (Double(values[index]), Double(values[index + 1]))
        return (low + (high - low) * (place - Double(index))) / 65535
    }
}

/// The parametric curve of all forms that profiles have: a power from `threshold` on, a line before.
///
///     y = (scale * x + offset) ^ exponent + shift      if x >= threshold
///     y = slope * x + floor                            if x < threshold
///
/// sRGB: exponent 2.4, scale 1/1.055, offset 0.055/1.055, slope 1/12.92, threshold 0.04045.
public struct ParametricCurve: Hashable, Sendable {
    /// The power.
    public var exponent: Double
    /// Factor of the number before the power.
    public var scale: Double
    /// What is added to it before the power.
    public var offset: Double
    /// What is added after the power.
    public var shift: Double
    /// The slope of the line.
    public var slope: Double
    /// Where the line begins.
    public var floor: Double
    /// Where the power takes over.
    public var threshold: Double

    /// Creates a curve; whatever is left out is that of a plain power.
    public init(
        exponent: Double, scale: Double = 1, offset: Double = 0, shift: Double = 0, slope: Double = 0,
        floor: Double = 0, threshold: Double = 0
    ) {
        self.exponent = exponent
        self.scale = scale
        self.offset = offset
        self.shift = shift
        self.slope = slope
        self.floor = floor
        self.threshold = threshold
    }

    /// The value at `x`.
    public func callAsFunction(_ x: Double) -> Double {
        guard x >= threshold else { return slope * x + floor }
        return ReproduciblePowers.power(max(0, scale * x + offset), exponent) + shift
    }

    /// The number whose value is `y`, for curves that rise and have no gap at the threshold.
    func inverse(_ y: Double) -> Double {
        let atThreshold = self(threshold)
        if y < atThreshold { return slope > 0 ? (y - floor) / slope : threshold }
        guard scale > 0, exponent > 0 else { return threshold }
        return (ReproduciblePowers.power(max(0, y - shift), 1 / exponent) - offset) / scale
    }
}
