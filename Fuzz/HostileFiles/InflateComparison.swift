// The inflater against zlib: the same bytes, the same verdict in the same words, the same place where the stream ends.

#if SystemZlib
package import CodecTestSupport
import DeflateCodec
import ImageCodecsCore
import PNGCodec

/// Compares what the two make of one stream.
package enum InflateComparison {
    /// Output after which neither goes on.
    package static let mostOutput = 70_000

    /// How a stream is fed and its output taken.
    package struct Feeding: Sendable {
        /// Bytes of the pieces of input, one after another; the last repeats.
        package var pieces: [Int]
        /// Most output that may wait in each call; the last repeats.
        package var limits: [Int]
        package var capacity: Int
        /// Output that is left to wait while there is more to come, if there is room.
        package var kept: Int

        /// Output that is enough.
        package var most = InflateComparison.mostOutput

        package init(
            pieces: [Int] = [.max], limits: [Int] = [.max], capacity: Int = 1 << 16, kept: Int = 0,
            most: Int = InflateComparison.mostOutput
        ) {
            (self.pieces, self.limits, self.capacity, self.kept, self.most) = (pieces, limits, capacity, kept, most)
        }

        /// Any, but in no more than some hundred pieces.
        package init(_ source: inout DecisionSource, inputCount: Int, outputCount: Int) {
            let largest = source.pick([1, 3, 30, 700])
            let room = source.pick([1, 2, 40, 300, 5000])
            capacity = max(source.pick([1, 300, 5000, 1 << 16]), outputCount / 60)
            pieces = (0..<6).map { _ in 1 + source.below(largest) } + [1 + max(source.below(largest), inputCount / 60)]
            limits = (0..<6).map { _ in 1 + source.below(room) } + [1 + max(source.below(room), outputCount / 60)]
            kept = source.oneIn(2) ? 0 : source.below(min(capacity, limits[6]))
        }
    }

    /// Where a run stands, and what it made so far.
    package struct Run: Sendable {
        private var inflater: SwiftInflater
        private var position = 0
        private var output: [UInt8] = []
        private var call = 0
        private let stream: [UInt8]
        package var feeding: Feeding

        package init(_ stream: [UInt8], _ feeding: Feeding) throws {
            inflater = try SwiftInflater(capacity: feeding.capacity, meter: nil)
            self.stream = stream
            self.feeding = feeding
        }

        /// Goes on with one piece; the outcome at the end.
        package mutating func advance() throws -> InflateOutcome? {
            let limit = min(feeding.limits[min(call, feeding.limits.count - 1)], feeding.capacity)
            let left = stream.count - position
            let end = position + min(feeding.pieces[min(call, feeding.pieces.count - 1)], left)
            call += 1
            let waiting = inflater.unpackedByteCount
            var (step, damage) = (InflateStep(consumed: 0, produced: 0, isFinished: false), String?.none)
            do throws(InflateError) {
                step = try inflater.inflate(stream[position..<end].span, limit: limit)
            } catch {
                guard case .damaged(let message, let partial) = error else { throw error }
                (step, damage) = (partial, message)
            }
            precondition(inflater.unpackedByteCount == waiting + step.produced, "bytes lost")
            precondition(inflater.unpackedByteCount <= max(limit, waiting), "beyond the limit")
            let isStuck = step.consumed == 0 && step.produced == 0
            let isOver = step.isFinished || damage != nil || isStuck && (position + step.consumed == stream.count)
            let isLast = isOver && (damage != nil || step.isFinished || waiting == 0)
            let kept = isLast || isStuck ? 0 : feeding.kept
            let taken = max(0, inflater.unpackedByteCount - kept)
            inflater.withUnpacked { output += $0.extracting(0..<taken).copiedBytes() }
            inflater.discard(taken)
            position += step.consumed
            if output.count >= feeding.most {
                return InflateOutcome(output: output, ending: .unfinished, consumed: nil)
            }
            guard isLast else { return nil }
            if let damage { return InflateOutcome(output: output, ending: .damaged(damage), consumed: nil) }
            return InflateOutcome(
                output: output, ending: step.isFinished ? .finished : .unfinished,
                consumed: step.isFinished ? position : nil)
        }

        /// Goes on to the end.
        package mutating func finish() throws -> InflateOutcome {
            while true {
                if let outcome = try advance() { return outcome }
            }
        }
    }

    /// What differs, which is nothing if all is well; and how the stream ends.
    package static func differences(
        _ stream: [UInt8], _ source: DecisionSource
    ) -> (differences: [String], ending: InflateOutcome.Ending) {
        var source = source
        let expected = zlibInflate(stream, limit: mostOutput)
        var differences: [String] = []
        do {
            var whole = try Run(stream, Feeding())
            compare(try whole.finish(), expected, "one shot", &differences)
            let feeding = Feeding(&source, inputCount: stream.count, outputCount: expected.output.count)
            var run = try Run(stream, feeding)
            // A checkpoint somewhere on the way, from which it goes on in another way.
            var checkpoint: Run?
            let steps = source.below(40)
            var (step, outcome) = (0, InflateOutcome?.none)
            while outcome == nil {
                if step == steps { checkpoint = run }
                outcome = try run.advance()
                step += 1
            }
            if let outcome { compare(outcome, expected, "\(feeding)", &differences) }
            if var checkpoint {
                compare(try checkpoint.finish(), expected, "a checkpoint after \(steps) of \(feeding)", &differences)
            }
        } catch {
            differences.append("\(error)")
        }
        return (differences, expected.ending)
    }

    private static func compare(
        _ outcome: InflateOutcome, _ expected: InflateOutcome, _ way: String, _ differences: inout [String]
    ) {
        // If zlib had no room left, only what it wrote is compared.
        if expected.output.count == mostOutput {
            if outcome.output.prefix(mostOutput) == expected.output[...] { return }
        } else if outcome == expected {
            return
        }
        let place = zip(outcome.output, expected.output).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        differences.append(
            "\(way): \(outcome.ending) after \(outcome.output.count), consumed \(outcome.consumed ?? -1); zlib \(expected.ending) after \(expected.output.count), consumed \(expected.consumed ?? -1)\(place.map { "; first at \($0)" } ?? "")"
        )
    }
}
#endif
