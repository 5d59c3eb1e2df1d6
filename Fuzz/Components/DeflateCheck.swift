// Decisions become bytes and a way to compress them; what comes out has to be those bytes again, whoever unpacks it.

import CodecTestSupport
import DeflateCodec
import ImageCodecsCore

enum DeflateCheck {
    static func check(_ bytes: [UInt8]) throws {
        var source = DecisionSource(bytes)
        let recipe = CompressionRecipe(&source)
        let meter = MemoryMeter()
        let outcome = try recipe.compress(cuts: recipe.cuts, pieceByteCount: recipe.pieceByteCount, meter: meter)
        let estimate = Deflater.estimatedByteCount(
            effort: recipe.effort, byteCount: recipe.announcedByteCount, pieceByteCount: recipe.pieceByteCount)
        try require(meter.peak <= estimate, "\(recipe): held \(meter.peak) of \(estimate)")
        try require(meter.current == 0, "\(recipe): holds \(meter.current) after the end")
        try checkPieces(outcome, recipe)
        // Neither cuts nor pieces make a difference.
        let whole = try recipe.compress(cuts: [], pieceByteCount: 1 << 14, meter: nil)
        try require(whole.stream == outcome.stream, "\(recipe): another stream without cuts")
        try checkUnpacked(outcome, recipe)
    }

    /// All pieces have the size that was asked for, but for the last and those before a flush, which are smaller.
    private static func checkPieces(_ outcome: CompressionRecipe.Outcome, _ recipe: CompressionRecipe) throws {
        let lasts = Set(outcome.flushed.map(\.pieceCount) + [outcome.pieces.count])
        for (index, count) in outcome.pieces.enumerated() {
            let isRight =
                count == recipe.pieceByteCount
                || lasts.contains(index + 1) && count > 0 && count < recipe.pieceByteCount
            try require(isRight, "\(recipe): piece \(index) of \(outcome.pieces.count) has \(count) bytes")
        }
    }

    /// Everything unpacks, and what was handed out at a flush to all that was written before it.
    private static func checkUnpacked(_ outcome: CompressionRecipe.Outcome, _ recipe: CompressionRecipe) throws {
        let unpacked = try unpack(outcome.stream, atMost: recipe.data.count)
        try require(unpacked.isFinished, "\(recipe): does not end")
        try require(unpacked.bytes == recipe.data, "\(recipe): other bytes")
        try require(unpacked.consumed == outcome.stream.count, "\(recipe): ends after \(unpacked.consumed)")
        for (position, flushed) in zip(recipe.flushes, outcome.flushed) {
            let part = try unpack(Array(outcome.stream.prefix(flushed.byteCount)), atMost: recipe.data.count)
            try require(
                !part.isFinished && part.bytes[...] == recipe.data.prefix(position),
                "\(recipe): \(part.bytes.count) bytes after the flush at \(position)")
        }
        #if SystemZlib
        // More room than there should be bytes, so that more would be seen.
        let expected = InflateOutcome(output: recipe.data, ending: .finished, consumed: outcome.stream.count)
        let zlib = zlibInflate(outcome.stream, limit: recipe.data.count + 1)
        try require(zlib == expected, "\(recipe): zlib \(zlib.ending) after \(zlib.output.count)")
        #else
        let plain = PlainInflate.inflate(outcome.stream, limit: recipe.data.count)
        try require(plain == recipe.data, "\(recipe): other bytes, bit by bit")
        #endif
    }

    /// What the inflater in Swift makes of a stream or of its beginning.
    private static func unpack(
        _ stream: [UInt8], atMost byteCount: Int
    ) throws -> (bytes: [UInt8], isFinished: Bool, consumed: Int) {
        let capacity = byteCount + 1
        var inflater = try SwiftInflater(capacity: capacity, meter: nil)
        let all = stream[0...]
        let step = try inflater.inflate(all.span, limit: capacity)
        return (inflater.withUnpacked { $0.copiedBytes() }, step.isFinished, step.consumed)
    }
}
