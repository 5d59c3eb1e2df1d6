// The decode of one file that comes in pieces: headers first, then a share of the budget, then pixels.
//
//   piece ──▶ inspector      until the headers are known; the pieces are kept
//                │ share of the budget
//   pieces ──▶ decoder ──▶ picture so far

internal import ImageCodecs
internal import ImageCodecsCore
internal import Synchronization

/// Decodes pieces on the threads of `DecodingExecutor`; the next call is made after the last has returned.
final class GradualDecode<Piece: Sequence<UInt8> & Sendable>: Sendable {
    private enum Stage {
        /// The headers are not known yet. All pieces are kept, for the decoder.
        case headers(TimedInspector, pieces: [Piece])
        /// The decoder, what it holds of the budget, and whether the last picture that was returned is a whole one.
        case pixels(any IncrementalImageDecoder, AdmissionQueue.Share?, isWhole: Bool)
        /// After the last piece, after an error, and while a call is under way.
        case ended

        /// The stage, moved out of its place, so that what it holds can change without being copied.
        mutating func taken() -> Stage {
            var result = Stage.ended
            swap(&result, &self)
            return result
        }
    }

    /// What a piece has led to.
    private enum Step: Sendable {
        /// The picture, if it has changed.
        case picture(RasterImage?)
        /// The headers are known; this many bytes of the budget are needed to go on.
        case reserve(Int)
    }

    private let options: DecodingOptions
    private let budget: DecodingBudget
    private let stage: Mutex<Stage>
    private let executor = DecodingExecutor.shared

    init(options: DecodingOptions, budget: DecodingBudget) {
        (self.options, self.budget) = (options, budget)
        let inspector = TimedInspector(CoderRegistry.shared.makeInspector(options: options), options: options)
        stage = Mutex(.headers(inspector, pieces: []))
    }

    /// Decodes as far as a further piece allows.
    ///
    /// - Returns: the picture if the piece changed it.
    /// - Throws: what decoding throws, `cancelled` when the task is; nothing more is decoded then.
    func append(_ piece: Piece) async throws(ImageError) -> RasterImage? {
        switch try await executor.run({ () throws(ImageError) in try self.consume(piece) }) {
        case .picture(let image): return image
        case .reserve(let byteCount):
            let share = try await budget.hold(byteCount)
            return try await executor.run { () throws(ImageError) in try self.begin(share) }
        }
    }

    /// Says that there are no more pieces.
    ///
    /// - Returns: the picture, unless the last that was returned is whole.
    /// - Throws: as ``append(_:)``; `truncated` when the picture is not complete and decoding is strict.
    func finish() async throws(ImageError) -> RasterImage? {
        try await executor.run { () throws(ImageError) in try self.end() }
    }

    private func consume(_ piece: Piece) throws(ImageError) -> Step {
        try stage.withLock { (stage) throws(ImageError) in
            guard case .headers(var inspector, var pieces) = stage else {
                return .picture(try Self.decode([piece], &stage))
            }
            stage = .ended
            pieces.append(piece)
            let byteCount = try Self.byteCount(piece, &inspector, options)
            stage = .headers(inspector, pieces: pieces)
            return byteCount.map(Step.reserve) ?? .picture(nil)
        }
    }

    /// Bytes to reserve if a piece completes the headers, or if they cannot be read: the decoder will say why.
    private static func byteCount(
        _ piece: Piece, _ inspector: inout TimedInspector, _ options: DecodingOptions
    ) throws(ImageError) -> Int? {
        do throws(ImageError) {
            try piece.withContiguousBytes { (bytes) throws(ImageError) in try inspector.append(bytes) }
        } catch {
            return try options.reservedByteCount(refusedWith: error)
        }
        return inspector.info.map { info in
            // The decoder's own, and the two pictures that take turns.
            min(
                info.estimatedPeakByteCount.addingSaturated(info.decodedByteCount.multipliedSaturated(by: 2)),
                options.limits.maxMemoryByteCount)
        }
    }

    /// Decodes the pieces that were kept.
    private func begin(_ share: AdmissionQueue.Share?) throws(ImageError) -> RasterImage? {
        try stage.withLock { (stage) throws(ImageError) in
            guard case .headers(let inspector, let pieces) = stage else { return nil }
            let decoder = CoderRegistry.shared.makeIncrementalDecoder(options: inspector.remainingOptions)
            stage = .pixels(decoder, share, isWhole: false)
            return try Self.decode(pieces, &stage)
        }
    }

    /// - Returns: the picture if it has changed.
    private static func decode(_ pieces: [Piece], _ stage: inout Stage) throws(ImageError) -> RasterImage? {
        guard case .pixels(var decoder, let share, var isWhole) = stage.taken() else { return nil }
        var hasChanged = false
        for piece in pieces {
            if try decoder.append(contentsOf: piece).changedRect != nil { hasChanged = true }
        }
        let image = hasChanged ? try decoder.image() : nil
        if let image { isWhole = !image.isPartial }
        stage = .pixels(decoder, share, isWhole: isWhole)
        return image
    }

    private func end() throws(ImageError) -> RasterImage? {
        // Headers that are not complete take no memory to speak of; the decoder says what is wrong with them.
        _ = try begin(nil)
        return try stage.withLock { (stage) throws(ImageError) in
            guard case .pixels(var decoder, _, let isWhole) = stage.taken() else { return nil }
            _ = try decoder.finish()
            return isWhole ? nil : try decoder.image()
        }
    }
}
