// How many bits bytes take after those before them: compressed in thought.

package import ImageCodecsCore

/// Tells of several versions of the next bytes of a stream about how many bits each takes.
///
/// A version is searched for matches in itself and in what came before, as fast as ``FastSearch`` does; its symbols cost what they
/// would if codes were made for it and the last few versions that were kept.
package struct CompressionTrial: Sendable {
    /// What distances reach, a version, and what the kernel may look at.
    private var window: ScratchBuffer
    private var historyByteCount = 0
    /// Where the hashes of what came before were last seen, and the same with those of a version.
    private var kept: ScratchBuffer
    private var table: ScratchBuffer
    /// What is added to a position in the window to get one in the stream.
    private var origin = 0
    private var sequences: NumberBuffer<UInt32>
    /// How often each symbol occurs in a version.
    private var tally: NumberBuffer<UInt32>
    /// The same for what was kept, in sixteenths, of older versions ever fewer.
    private var frequencies: NumberBuffer<UInt32>

    /// Sixteenths that an occurrence counts for, and the part of the frequencies that is forgotten with each version, as a shift.
    private static let occurrence: UInt32 = 16, forgetting: UInt32 = 3

    /// - Parameters:
    ///   - byteCount: bytes of the longest version.
    ///   - meter: counts the buffers.
    package init(byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        window = try ScratchBuffer(byteCount: Self.windowByteCount(byteCount), filledWith: 0, meter: meter)
        kept = try ScratchBuffer(byteCount: FastMatchKernel.tableByteCount, filledWith: 0, meter: meter)
        table = try ScratchBuffer(byteCount: FastMatchKernel.tableByteCount, meter: meter)
        sequences = try NumberBuffer(count: FastSearch.wordCount(byteCount), meter: meter)
        tally = try NumberBuffer(count: DeflateCounts.count, meter: meter)
        frequencies = try NumberBuffer(count: DeflateCounts.count, meter: meter)
    }

    private static func windowByteCount(_ byteCount: Int) -> Int {
        byteCount.addingSaturated(DeflateSymbols.windowByteCount + FastMatchKernel.lookAhead)
    }

    /// Bytes that it holds. Saturates.
    package static func estimatedByteCount(_ byteCount: Int) -> Int {
        windowByteCount(byteCount).addingSaturated(
            2 * FastMatchKernel.tableByteCount + 4 * FastSearch.wordCount(byteCount) + 8 * DeflateCounts.count)
    }

    /// About how many 256ths of a bit a version of the next bytes takes.
    ///
    /// - Parameter version: at most as many bytes as the initialiser got.
    package mutating func cost(_ version: RawSpan) -> Int {
        search(version)
        return tally.withSpan { tally in
            frequencies.withSpan { frequencies in
                Self.cost(tally, frequencies, DeflateCounts.literalLengths..<DeflateSymbols.literalLengthCount)
                    + Self.cost(
                        tally, frequencies,
                        DeflateCounts.distances..<DeflateCounts.distances + DeflateSymbols.distanceCount)
            }
        }
    }

    /// Takes a version as what comes next.
    ///
    /// - Parameter version: at most as many bytes as the initialiser got.
    package mutating func keep(_ version: RawSpan) {
        search(version)
        swap(&kept, &table)
        tally.withSpan { tally in
            frequencies.withMutableSpan { frequencies in
                for symbol in frequencies.indices {
                    let old = frequencies[symbol]
                    frequencies[symbol] = old - old >> Self.forgetting + Self.occurrence * tally[symbol]
                }
            }
        }
        let count = historyByteCount + version.byteCount
        historyByteCount = min(count, DeflateSymbols.windowByteCount)
        window.withMutableBytes { $0.move(from: count - historyByteCount, to: 0, count: historyByteCount) }
        origin += count - historyByteCount
    }

    /// Looks for the matches of a version and counts its symbols.
    private mutating func search(_ version: RawSpan) {
        let range = historyByteCount..<historyByteCount + version.byteCount
        window.withMutableBytes(range) { $0.copy(version) }
        table.withMutableBytes { table in kept.withBytes { table.copy($0) } }
        var state = MatchSearchState(at: range.lowerBound)
        window.withBytes { window in
            table.withMutableBytes { table in
                sequences.withMutableSpan { sequences in
                    FastMatchKernel.search(
                        window, &state, stop: range.upperBound, end: range.upperBound, origin: origin, table: &table,
                        sequences: &sequences)
                }
            }
            let count = sequences.finish(state, at: range.upperBound)
            sequences.withSpan { tally.count($0.extracting(first: count), window, from: range.lowerBound) }
        }
    }

    /// What the symbols of one code cost, and their extra bits.
    private static func cost(_ tally: Span<UInt32>, _ frequencies: Span<UInt32>, _ symbols: Range<Int>) -> Int {
        var (total, sum) = (0, 0)
        for symbol in symbols { total += Int(frequencies[symbol] + occurrence * tally[symbol]) }
        let whole = BinaryLogarithm.of(max(1, total))
        for symbol in symbols where tally[symbol] > 0 {
            let bits = whole - BinaryLogarithm.of(Int(frequencies[symbol] + occurrence * tally[symbol]))
            sum += Int(tally[symbol]) * (bits + BinaryLogarithm.one * extraBits(symbol))
        }
        return sum
    }

    /// Extra bits of a symbol; see ``DeflateCounts``.
    private static func extraBits(_ symbol: Int) -> Int {
        if symbol >= DeflateCounts.distances {
            return DeflateSymbols.distanceExtraBits(symbol - DeflateCounts.distances)
        }
        return symbol < DeflateSymbols.firstLength
            ? 0 : Int(DeflateSymbols.lengthExtraBits[symbol - DeflateSymbols.firstLength])
    }
}
