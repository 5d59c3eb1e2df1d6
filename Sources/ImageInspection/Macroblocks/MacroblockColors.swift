// The colours of what is drawn over a lossy picture.

/// Colours of segments, filter levels and signs.
enum MacroblockColors {
    static let background = SIMD3<UInt8>(repeating: 32)
    static let text = SIMD3<UInt8>(repeating: 224)
    /// The colour of headings in the legend.
    static let faint = SIMD3<UInt8>(repeating: 144)
    static let unfiltered = SIMD3<UInt8>(repeating: 72)
    /// What macroblocks have beyond the picture's edge, and what was not decoded.
    static let outside = SIMD3<UInt8>(repeating: 16)
    static let luma = SIMD3<UInt8>(repeating: 255)
    static let chroma = SIMD3<UInt8>(112, 240, 255)
    /// The disc on which the sign of chroma is drawn.
    static let disc = SIMD3<UInt8>(24, 24, 40)
    /// Colours of the segments, by segment number.
    static let segments: [SIMD3<UInt8>] = [
        SIMD3(72, 120, 255), SIMD3(48, 200, 96), SIMD3(255, 176, 32), SIMD3(240, 64, 144),
    ]

    /// The colour of a filter level: from green over yellow to red, all of them bright.
    static func filter(level: Int) -> SIMD3<UInt8> {
        guard level > 0 else { return unfiltered }
        let stops: [SIMD3<Double>] = [
            SIMD3(64, 224, 128), SIMD3(224, 240, 64), SIMD3(255, 160, 32), SIMD3(255, 48, 32),
        ]
        // Most levels are small: the square root spreads them.
        let place = (Double(min(level, 63)) / 63).squareRoot() * Double(stops.count - 1)
        let first = min(Int(place), stops.count - 2)
        let color = stops[first] + (stops[first + 1] - stops[first]) * (place - Double(first))
        return SIMD3(UInt8(color.x), UInt8(color.y), UInt8(color.z))
    }
}
