// Rows of pixels to palette indices where nothing is spread: many colours have come before.
//
//   row ──▶ unknown pixels ──▶ points of Oklab ──▶ nearest colours ──▶ table, indices

import ImageCodecsCore

/// The nearest colours of pixels that came before.
///
/// A table with one place for each hash: a colour takes the place of another one that has the same.
struct KnownPixels: Sendable {
    /// The colour in the high half, what is known of it in the low half: 0 in a place that is free, the number of its nearest one plus
    /// ``firstNumber``, or, until that is found, its place among the unknown pixels of the row plus ``firstUnknown``.
    private var table: NumberBuffer<UInt64>
    /// For each pixel of the row what is known of it, as in the table.
    private var sources: NumberBuffer<UInt32>
    /// Pixels whose nearest colours are looked for, and those.
    private var unknown: NumberBuffer<UInt32>
    private var numbers: ScratchBuffer

    private static let hashBitCount = 15
    private static let firstNumber: UInt32 = 1, firstUnknown: UInt32 = 257

    /// - Parameters:
    ///   - width: pixels of the longest row.
    ///   - meter: counts the tables.
    /// - Throws: `limitExceeded(.memory)`.
    init(width: Int, meter: MemoryMeter?) throws(ImageError) {
        table = try NumberBuffer(count: 1 << Self.hashBitCount, meter: meter)
        sources = try NumberBuffer(count: width, meter: meter)
        unknown = try NumberBuffer(count: width, meter: meter)
        numbers = try ScratchBuffer(byteCount: width, meter: meter)
    }

    /// Bytes that it holds. Saturates.
    static func byteCount(width: Int) -> Int { width.multipliedSaturated(by: 9).addingSaturated(8 << hashBitCount) }

    /// Writes the number of the colour nearest to each pixel of a row.
    ///
    /// - Parameters:
    ///   - row: straight RGBA.
    ///   - indices: takes a byte for each pixel.
    ///   - start: where in it the row begins.
    ///   - width: how many there are, no more than the initialiser got.
    ///   - search: finds what is not known.
    ///   - points: room for sixteen bytes for each pixel.
    mutating func map(
        _ row: RawSpan, into indices: inout MutableRawSpan, at start: Int, width: Int,
        _ search: inout NearestColor, points: inout ScratchBuffer
    ) {
        let unknownCount = look(at: row, width: width)
        if unknownCount > 0 {
            unknown.withBytes(of: 0..<unknownCount) { pixels in
                points.withMutableBytes { Oklab.convert(pixels, into: &$0, width: unknownCount) }
            }
            points.withBytes { points in
                numbers.withMutableBytes { search.map(points, into: &$0, width: unknownCount) }
            }
            remember(unknownCount)
        }
        sources.withSpan { sources in
            numbers.withBytes { numbers in
                for x in 0..<width {
                    let source = sources[x]
                    let number =
                        source < Self.firstUnknown
                        ? UInt8(truncatingIfNeeded: source - Self.firstNumber)
                        : numbers.byte(at: Int(source - Self.firstUnknown))
                    indices.setByte(number, at: start + x)
                }
            }
        }
    }

    /// Finds out what is known of each pixel, and lists those of which nothing is.
    ///
    /// - Returns: how many are listed.
    private mutating func look(at row: RawSpan, width: Int) -> Int {
        var count = 0
        table.withMutableSpan { table in
            sources.withMutableSpan { sources in
                unknown.withMutableSpan { unknown in
                    for x in 0..<width {
                        let pixel = row.nativeUInt32(at: 4 * x)
                        let place = Self.place(of: pixel)
                        let entry = table[place]
                        let known = UInt32(truncatingIfNeeded: entry)
                        let isKnown = known != 0 && UInt32(truncatingIfNeeded: entry >> 32) == pixel
                        // No branch, as it would be hardly predictable: the next pixel is written over one that is known.
                        let source = isKnown ? known : Self.firstUnknown + UInt32(truncatingIfNeeded: count)
                        table[place] = UInt64(pixel) << 32 | UInt64(source)
                        sources[x] = source
                        unknown[count] = pixel
                        count += isKnown ? 0 : 1
                    }
                }
            }
        }
        return count
    }

    /// Puts the numbers that were found into the table, but for pixels whose place another one has.
    private mutating func remember(_ count: Int) {
        table.withMutableSpan { table in
            unknown.withSpan { unknown in
                numbers.withBytes { numbers in
                    for index in 0..<count {
                        let place = Self.place(of: unknown[index])
                        let source = Self.firstUnknown + UInt32(truncatingIfNeeded: index)
                        guard UInt32(truncatingIfNeeded: table[place]) == source else { continue }
                        table[place] =
                            UInt64(unknown[index]) << 32 | UInt64(UInt32(numbers.byte(at: index)) + Self.firstNumber)
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func place(of pixel: UInt32) -> Int {
        Int((pixel &* 0x9E37_79B1) >> UInt32(32 - hashBitCount))
    }
}
