// The colours of a picture and how many pixels have them, as long as they are few enough for a palette.

package import ImageCodecsCore

/// Distinct straight RGBA colours, each with its number and how many pixels have it, of rows that come one after the other.
package struct CountedColors: Sendable {
    /// The colours so far, also if there are too many: then some of the last row are missing.
    package private(set) var distinct = DistinctColors()
    /// How many pixels of counted rows have each of the colours, by its number.
    package private(set) var counts = [Int](repeating: 0, count: DistinctColors.limit)
    /// Whether there are more than the limit. Nothing is added after that.
    package private(set) var areTooMany = false
    private let limit: Int
    private var indices: ScratchBuffer

    /// - Parameters:
    ///   - width: pixels of the longest row.
    ///   - limit: the most colours, up to 256.
    ///   - meter: counts a byte a pixel of a row.
    /// - Throws: `limitExceeded(.memory)`.
    package init(
        width: Int, limit: Int = DistinctColors.limit, meter: MemoryMeter?
    ) throws(ImageError) {
        self.limit = limit
        indices = try ScratchBuffer(byteCount: width, meter: meter)
    }

    /// Bytes that the meter is asked for.
    package static func byteCount(width: Int) -> Int { width }

    /// All colours; `nil` if there are too many.
    package var colors: DistinctColors? { areTooMany ? nil : distinct }

    /// Adds a row of straight RGBA.
    ///
    /// - Parameters:
    ///   - row: the pixels.
    ///   - width: how many there are.
    ///   - isCounted: whether ``counts`` grow.
    /// - Returns: `false` if there are too many colours, with this row or before; its pixels are not counted then.
    package mutating func add(_ row: RawSpan, width: Int, isCounted: Bool = true) -> Bool {
        guard !areTooMany else { return false }
        let fits = indices.withMutableBytes { distinct.insert(rgba: row, width: width, indices: &$0) }
        guard fits, distinct.colors.count <= limit else {
            areTooMany = true
            return false
        }
        guard isCounted else { return true }
        indices.withBytes { indices in
            for x in 0..<width { counts[Int(indices.byte(at: x))] += 1 }
        }
        return true
    }

    /// Takes all colours that will come, before the first row.
    ///
    /// - Parameter all: at most the limit, all distinct.
    package mutating func give(_ all: [UInt32]) { distinct = DistinctColors(all) }

    /// Looks no further, as though there were too many.
    package mutating func giveUp() { areTooMany = true }
}
