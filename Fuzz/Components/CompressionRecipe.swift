// What decisions make of a deflater: the bytes, the effort, what is announced, and where they are cut, flushed and handed out.

package import CodecTestSupport
import DeflateCodec
import ImageCodecsCore

/// Bytes to compress, and how that is done.
package struct CompressionRecipe: Sendable, CustomStringConvertible {
    /// The bytes before compression.
    package let data: [UInt8]
    let effort: CompressionEffort
    /// The `byteCount` that the deflater is given: right, unknown, or wrong.
    let announcedByteCount: Int
    let pieceByteCount: Int
    /// Ends of calls of `write`, ascending.
    let cuts: [Int]
    /// Where `flush` is called, ascending; twice in one place if a number stands twice.
    let flushes: [Int]

    package var description: String {
        let announced = announcedByteCount == .max ? "unknown" : "\(announcedByteCount)"
        return
            "\(data.count) bytes, \(effort), announced \(announced), pieces of \(pieceByteCount), \(cuts.count) cuts, "
            + "flushes at \(flushes)"
    }

    /// - Parameter source: decides about everything.
    package init(_ source: inout DecisionSource) {
        effort = source.pick(CompressionEffort.allCases)
        let largest = source.pick(Self.sizes(effort))
        let count = source.below(source.oneIn(200) ? largest.seldom : largest.often)
        data = CompressionData.bytes(count, &source)
        switch source.below(6) {
        case 0: announcedByteCount = source.oneIn(4) ? .max : count + source.below(5000)
        case 1: announcedByteCount = source.below(count + 1)
        default: announcedByteCount = count
        }
        pieceByteCount = source.pick([1, 2, 7, 100, 1000, 1 << 14]) + source.below(3)
        cuts = Self.places(source.below(7), in: count, &source)
        flushes = source.oneIn(3) ? Self.places(1 + source.below(5), in: count, &source) : []
    }

    /// Bounds of the number of bytes: of most recipes, and of one in 200, which has several segments.
    private static func sizes(_ effort: CompressionEffort) -> [(often: Int, seldom: Int)] {
        let several = effort == .best ? 60_000 : 300_000
        return [(100, 1000), (600, 5000), (600, several), (4000, several)]
    }

    private static func places(_ count: Int, in byteCount: Int, _ source: inout DecisionSource) -> [Int] {
        (0..<count).map { _ in source.below(byteCount + 1) }.sorted()
    }

    /// What the deflater hands out.
    struct Outcome: Sendable {
        /// All pieces, one after another.
        var stream: [UInt8] = []
        /// Bytes of each piece.
        var pieces: [Int] = []
        /// For each flush, how many pieces and how many bytes there were after it.
        var flushed: [(pieceCount: Int, byteCount: Int)] = []
    }

    /// Compresses with the deflater in Swift.
    ///
    /// - Parameters:
    ///   - cuts: ends of calls of `write`, ascending.
    ///   - pieceByteCount: bytes of pieces.
    ///   - meter: counts what is held.
    func compress(cuts: [Int], pieceByteCount: Int, meter: MemoryMeter?) throws(ImageError) -> Outcome {
        var deflater = try Deflater(
            effort: effort, byteCount: announcedByteCount, pieceByteCount: pieceByteCount, meter: meter)
        var work = WorkGuard.unlimited
        var outcome = Outcome()
        let emit = { (piece: RawSpan) throws(ImageError) in
            outcome.stream.append(piece)
            outcome.pieces.append(piece.byteCount)
        }
        var position = 0
        var (cuts, flushes) = (cuts[...], flushes[...])
        while position < data.count || !flushes.isEmpty {
            let end = min(cuts.first ?? data.count, flushes.first ?? data.count)
            try data[position..<end].span.withRawSpan { (bytes) throws(ImageError) in
                try deflater.write(bytes, work: &work, emit: emit)
            }
            position = end
            if cuts.first == end { cuts.removeFirst() }
            if flushes.first == end {
                flushes.removeFirst()
                try deflater.flush(work: &work, emit: emit)
                outcome.flushed.append((outcome.pieces.count, outcome.stream.count))
            }
        }
        try deflater.finish(work: &work, emit: emit)
        return outcome
    }

    /// The stream of the recipe; empty if it is refused.
    package var stream: [UInt8] {
        (try? compress(cuts: cuts, pieceByteCount: pieceByteCount, meter: nil))?.stream ?? []
    }
}
