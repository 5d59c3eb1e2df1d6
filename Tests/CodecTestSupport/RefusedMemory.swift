// What a piece of work does when one of its requests for memory is refused: every request in turn.

package import ImageCodecsCore

/// Lets work fail for want of memory, at each of its requests.
package enum RefusedMemory {
    /// Requests that are all tried; of the rest, some.
    private static let triedOneByOne = 120

    /// What is wrong with how `work` takes refusals; none means that each ended in `limitExceeded(.memory)`, or did not
    /// matter, that nothing was kept, and that the same work then gave what it gives with enough memory.
    ///
    /// - Parameter work: asks the meter it is given, and answers with all that it made.
    package static func violations<Result: Equatable>(
        _ name: String, _ work: (MemoryMeter) throws(ImageError) -> Result
    ) -> [String] {
        AllocationFailure.Place.allCases.flatMap { violations("\(name), \($0)", $0, work) }
    }

    private static func violations<Result: Equatable>(
        _ name: String, _ place: AllocationFailure.Place, _ work: (MemoryMeter) throws(ImageError) -> Result
    ) -> [String] {
        let counting = AllocationFailure(place, at: nil)
        let whole = outcome(counting, work)
        guard let expected = whole.result else { return ["\(name): \(whole.summary) with all memory"] }
        var found: [String] = []
        let count = counting.requestCount
        let rare = max(1, (count - triedOneByOne) / 40)
        let indices = Array(0..<min(count, triedOneByOne)) + Array(stride(from: triedOneByOne, to: count, by: rare))
        for index in indices {
            let failure = AllocationFailure(place, at: index)
            let refused = outcome(failure, work)
            let place = "\(name), request \(index) of \(count)"
            if refused.left != 0 { found.append("\(place): \(refused.left) bytes kept") }
            switch refused.error {
            case .limitExceeded(.memory, _, _): break
            case nil where refused.result == expected: break
            default: found.append("\(place): \(refused.summary)")
            }
        }
        let meter = MemoryMeter()
        if (try? work(meter)) != expected { found.append("\(name): another result after refusals") }
        if meter.current != 0 { found.append("\(name): \(meter.current) bytes kept") }
        return found
    }

    private struct Outcome<Result> {
        var result: Result?
        var error: ImageError?
        /// Bytes that were not given back after an error.
        var left = 0

        var summary: String { error.map { "\($0)" } ?? "another result" }
    }

    private static func outcome<Result: Equatable>(
        _ failure: AllocationFailure, _ work: (MemoryMeter) throws(ImageError) -> Result
    ) -> Outcome<Result> {
        let meter = MemoryMeter(failure: failure)
        var outcome = Outcome<Result>()
        do throws(ImageError) {
            outcome.result = try work(meter)
        } catch {
            outcome.error = error
        }
        if outcome.result == nil { outcome.left = meter.current }
        return outcome
    }
}
