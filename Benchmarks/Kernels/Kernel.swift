// One kernel to be timed, and how it is timed.

/// A piece of work on a known number of pixels.
struct Kernel {
    /// `family/kernel`.
    let name: String
    /// Pixels (or samples, bytes: whatever the kernel counts) of one call of `run`.
    let pixelCount: Int
    /// The work. It must leave its result in memory that outlives the call, or it may be optimised away.
    let run: () -> Void

    /// The speed of the fastest batch of calls, with two decimals; with five if it is below 0.1.
    func gigapixelsPerSecond(measuringFor duration: Duration) -> String {
        let clock = ContinuousClock()
        // Batches of about 100 microseconds: far above the clock's grain, short enough to miss interruptions.
        var callCount = 1
        while clock.measure({ repeatRun(callCount) }) < .microseconds(100) { callCount *= 2 }
        var best = clock.measure { repeatRun(callCount) }
        let end = clock.now.advanced(by: duration)
        repeat {
            best = min(best, clock.measure { repeatRun(callCount) })
        } while clock.now < end
        let nanoseconds = Double(best.components.attoseconds) / 1e9 + Double(best.components.seconds) * 1e9
        let speed = Double(callCount * pixelCount) / nanoseconds
        let (scale, digitCount) = speed < 0.1 ? (100_000, 5) : (100, 2)
        let rounded = Int((speed * Double(scale)).rounded())
        let fraction = String(rounded % scale)
        return "\(rounded / scale)." + String(repeating: "0", count: digitCount - fraction.count) + fraction
    }

    private func repeatRun(_ count: Int) {
        for _ in 0..<count { run() }
    }
}
