// Runs a stream through the inflater in pieces, for tests that compare it with zlib.

import CodecTestSupport
import ImageCore
import PNG

/// What the inflater makes of `stream`.
///
/// - Parameters:
///   - pieces: how long each piece of input is; the last length repeats.
///   - capacity: of the inflater.
///   - limits: how much output may wait in each call; the last repeats. All of it is taken after each call.
///   - total: output that is enough.
func swiftInflate(
    _ stream: [UInt8], pieces: [Int] = [.max], capacity: Int = 1 << 16, limits: [Int] = [.max], total: Int = .max
) throws -> InflateOutcome {
    var inflater = try SwiftInflater(capacity: capacity, meter: nil)
    var (output, position, call): ([UInt8], Int, Int) = ([], 0, 0)
    while true {
        let piece = pieces[min(call, pieces.count - 1)]
        let limit = min(limits[min(call, limits.count - 1)], total - output.count)
        call += 1
        let end = position + min(piece, stream.count - position)
        var (step, ending) = (InflateStep(consumed: 0, produced: 0, isFinished: false), InflateOutcome.Ending?.none)
        do throws(InflateError) {
            step = try inflater.inflate(stream[position..<end].span, limit: limit)
        } catch {
            guard case .damaged(let message, let partial) = error else { throw error }
            (step, ending) = (partial, .damaged(message))
        }
        position += step.consumed
        precondition(inflater.unpackedByteCount == step.produced && step.produced <= min(limit, capacity))
        inflater.withUnpacked { output += $0.copiedBytes() }
        inflater.discard(step.produced)
        if step.isFinished { return InflateOutcome(output: output, ending: .finished, consumed: position) }
        if let ending { return InflateOutcome(output: output, ending: ending, consumed: nil) }
        if step.consumed == 0 && step.produced == 0 && position == stream.count {
            return InflateOutcome(output: output, ending: .unfinished, consumed: nil)
        }
        if output.count == total && step.consumed == 0 {
            return InflateOutcome(output: output, ending: .unfinished, consumed: nil)
        }
    }
}
