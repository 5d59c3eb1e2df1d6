// Steps that could begin, the most urgent first.

/// One queue for each priority. Steps that were given up or got another priority stay in their old queue until it is their turn;
/// whoever takes a step looks whether it is still wanted there.
struct ReadyQueue: Sendable {
    private struct Line: Sendable {
        var steps: [Int] = []
        var head = 0

        mutating func popFirst() -> Int? {
            guard head < steps.count else { return nil }
            defer {
                head += 1
                if head * 2 > steps.count + 64 {
                    steps.removeFirst(head)
                    head = 0
                }
            }
            return steps[head]
        }
    }

    private var lines = [Line](repeating: Line(), count: ImageRequest.Priority.allCases.count)

    mutating func append(_ step: Int, _ priority: ImageRequest.Priority) {
        lines[priority.rawValue].steps.append(step)
    }

    /// Takes out the step that is first in the line of the highest priority, with the priority it had when it got there.
    mutating func popFirst() -> (step: Int, priority: ImageRequest.Priority)? {
        for priority in ImageRequest.Priority.allCases.reversed() {
            if let step = lines[priority.rawValue].popFirst() { return (step, priority) }
        }
        return nil
    }
}
