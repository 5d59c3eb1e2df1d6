// The symbols of the five prefix codes in one numbering, and what copies are in them.

import ImageCodecsCore

/// Where the symbols of each code of a group begin, in tables that have them all.
///
/// Green's alphabet is in two parts: values and lengths first, then, after all others, places of the color cache.
enum PixelSymbols {
    static let green = 0
    static let length = PrefixAlphabet.literalCount
    static let red = length + PrefixAlphabet.lengthCount
    static let blue = red + PrefixAlphabet.literalCount
    static let alpha = blue + PrefixAlphabet.literalCount
    static let distance = alpha + PrefixAlphabet.literalCount
    static let cache = distance + PrefixAlphabet.distanceCount

    /// The symbols of a pixel's channels.
    @inline(__always) static func green(of pixel: UInt32) -> Int { green &+ Int(pixel &>> 8 & 255) }
    @inline(__always) static func red(of pixel: UInt32) -> Int { red &+ Int(pixel &>> 16 & 255) }
    @inline(__always) static func blue(of pixel: UInt32) -> Int { blue &+ Int(pixel & 255) }
    @inline(__always) static func alpha(of pixel: UInt32) -> Int { alpha &+ Int(pixel &>> 24) }

    /// How many symbols there are.
    static func count(cacheBits: Int) -> Int { cache + (cacheBits > 0 ? 1 << cacheBits : 0) }

    /// The symbols of each of the five codes, in their order; those of green's second part follow its first.
    static func ranges(cacheBits: Int) -> [[Range<Int>]] {
        [
            [green..<red, cache..<count(cacheBits: cacheBits)], [red..<blue], [blue..<alpha], [alpha..<distance],
            [distance..<cache],
        ]
    }

    /// The prefix code of a length or of a distance code, and its extra bits.
    ///
    /// - Parameter value: at least 1.
    /// - Source: RFC 9649 section 3.6.2.2 "LZ77 Backward Reference".
    @inline(__always)
    static func prefix(_ value: Int) -> (symbol: Int, extraCount: Int, extra: Int) {
        let rest = value &- 1
        guard rest > 3 else { return (rest, 0, 0) }
        let exponent = Int.bitWidth &- 1 &- rest.leadingZeroBitCount
        let extraCount = exponent &- 1
        return (2 &* exponent &+ (rest &>> extraCount) & 1, extraCount, rest & (1 &<< extraCount &- 1))
    }
}

/// Distance codes by distance, for pictures of one width.
struct DistanceCodes: Sendable {
    /// The codes of short distances, 0 for those that have no near place.
    private var near: [UInt8]

    init(width: Int) {
        let distances = BackwardReferences.nearDistances(width: width)
        near = Array(repeating: 0, count: Int(distances.max() ?? 0) + 1)
        for code in distances.indices.reversed() { near[Int(distances[code])] = UInt8(code + 1) }
    }

    /// Distances below this may have a near place.
    var nearCount: Int { near.count }

    /// The code, at least 1.
    func code(_ distance: Int) -> Int {
        if distance < near.count, near[distance] > 0 { return Int(near[distance]) }
        return distance + BackwardReferences.nearCount
    }
}
