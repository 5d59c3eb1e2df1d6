// How far back a copy reaches: near pixels have numbers of their own.
//
//    38  29  19  15  13  16  20  30  39
//    33  21  11   7   5   8  12  22  34          the distance codes around the pixel that is decoded, X
//    27  17   9   3   1   4  10  18  28
//    24  14   6   2   X
//
// The first 120 distance codes are places near X, in the rows above it and to its left, from near to far; those after them
// are distances in scan order, less 120.

import ImageCodecsCore

/// Distances of copies.
///
/// Source: RFC 9649 section 3.6.2.2 "LZ77 Backward Reference", "Distance Mapping".
package enum BackwardReferences {
    /// The most pixels that a copy has: the last of 24 length symbols, with ten extra bits.
    package static let longestLength = 1 << 12
    /// No copy reaches farther back: the last of 40 distance symbols with eighteen extra bits is 2^20, less the near places.
    package static let farthestDistance = 1 << 20
    /// Distance codes that are places.
    package static let nearCount = 120

    /// The distance in pixels of each near place, for an image `width` pixels wide; at least 1.
    package static func nearDistances(width: Int) -> [UInt32] {
        nearPlaces.withSpan { places in (0..<nearCount).map { distance($0, places, width: width) } }
    }

    /// Sets the first ``nearCount`` numbers to the distances of the near places.
    static func fill(_ distances: inout MutableSpan<UInt32>, width: Int) {
        nearPlaces.withSpan { places in
            for code in 0..<nearCount { distances[code] = distance(code, places, width: width) }
        }
    }

    /// - Parameter width: below 2^24, so that a distance is below 8 + 7 * 2^24.
    @inline(__always)
    private static func distance(_ code: Int, _ places: Span<Int8>, width: Int) -> UInt32 {
        let (left, up) = (Int32(places[2 &* code]), Int32(places[2 &* code &+ 1]))
        return UInt32(truncatingIfNeeded: max(1, left &+ up &* Int32(truncatingIfNeeded: width)))
    }

    /// For each code, how many columns to the left, negative to the right, and how many rows up.
    private static let nearPlaces: [Int8] = [
        0, 1, 1, 0, 1, 1, -1, 1, 0, 2, 2, 0, 1, 2, -1, 2,
        2, 1, -2, 1, 2, 2, -2, 2, 0, 3, 3, 0, 1, 3, -1, 3,
        3, 1, -3, 1, 2, 3, -2, 3, 3, 2, -3, 2, 0, 4, 4, 0,
        1, 4, -1, 4, 4, 1, -4, 1, 3, 3, -3, 3, 2, 4, -2, 4,
        4, 2, -4, 2, 0, 5, 3, 4, -3, 4, 4, 3, -4, 3, 5, 0,
        1, 5, -1, 5, 5, 1, -5, 1, 2, 5, -2, 5, 5, 2, -5, 2,
        4, 4, -4, 4, 3, 5, -3, 5, 5, 3, -5, 3, 0, 6, 6, 0,
        1, 6, -1, 6, 6, 1, -6, 1, 2, 6, -2, 6, 6, 2, -6, 2,
        4, 5, -4, 5, 5, 4, -5, 4, 3, 6, -3, 6, 6, 3, -6, 3,
        0, 7, 7, 0, 1, 7, -1, 7, 5, 5, -5, 5, 7, 1, -7, 1,
        4, 6, -4, 6, 6, 4, -6, 4, 2, 7, -2, 7, 7, 2, -7, 2,
        3, 7, -3, 7, 7, 3, -7, 3, 5, 6, -5, 6, 6, 5, -6, 5,
        8, 0, 4, 7, -4, 7, 7, 4, -7, 4, 8, 1, 8, 2, 6, 6,
        -6, 6, 8, 3, 5, 7, -5, 7, 7, 5, -7, 5, 8, 4, 6, 7,
        -6, 7, 7, 6, -7, 6, 8, 5, 7, 7, -7, 7, 8, 6, 8, 7,
    ]
}
