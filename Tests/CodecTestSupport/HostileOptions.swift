// Options of every kind, sensible or not, for files of every kind.

package import ImageCodecsCore

extension DecodingOptions {
    /// Options drawn from decisions: every pixel format, boxes with extreme numbers, byte limits, both strictnesses,
    /// odd thread counts, each set of limits.
    ///
    /// No time limit is among them: whether it is hit would not be the same each time.
    package static func hostile(_ source: inout DecisionSource) -> DecodingOptions {
        var options = DecodingOptions()
        options.limits = hostileLimits(&source)
        options.strictness = source.pick(Strictness.allCases)
        options.appliesOrientation = !source.oneIn(4)
        let format = source.below(PixelFormat.all.count + 3)
        options.pixelFormat = format == 0 ? nil : format <= 2 ? .bgraPremultiplied : PixelFormat.all[format - 3]
        let extremes = [0, -1, 1, 5, 1 << 20, 1 << 40, .max, .min]
        var box: PixelSize?
        switch source.below(6) {
        case 0: box = PixelSize(width: 1 + source.below(70), height: 1 + source.below(70))
        case 1: options.size = .atMost(byteCount: 1 + source.below(20_000))
        case 2 where source.oneIn(2):
            box = PixelSize(width: source.pick(extremes), height: source.pick(extremes))
        case 3 where source.oneIn(3): options.size = .atMost(byteCount: source.pick(extremes))
        default: break
        }
        if let box { options.size = .fitting(box, source.pick(Fit.allCases)) }
        if source.oneIn(3) { options.thumbnailQuality = .fast }
        options.maxThreadCount = source.pick([1, 1, 1, 2, 0, -5, 100, .max, .min])
        options.scaleFactor = source.pick([1, 1, 2, 0, -1, .nan, .infinity, -.infinity, .greatestFiniteMagnitude])
        if source.oneIn(8) { options.formatHint = source.pick([.png, .jpeg, .gif]) }
        options.firstFrameOnly = source.oneIn(6)
        return options
    }

    private static func hostileLimits(_ source: inout DecisionSource) -> DecodingLimits {
        var limits: DecodingLimits
        switch source.below(3) {
        case 0: limits = .untrusted
        case 1: limits = .unlimited
        default:
            limits = .default
            limits.maxPixelCount = 1 << 20
            limits.maxMemoryByteCount = 64 << 20
            limits.maxScanCount = 40
            limits.maxMetadataByteCount = 1 << 18
        }
        limits.maxTime = nil
        return limits
    }
}
