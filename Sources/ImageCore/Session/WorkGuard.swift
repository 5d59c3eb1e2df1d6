// Stops a decode that was cancelled or that takes too long.

/// Asked whether to go on: once per row, MCU row, scan or frame with ``check()``, and in loops whose steps are so short that
/// a look at the clock would be felt with ``spend(_:)``.
///
/// No loop whose length a file decides runs without one of the two. Time counts between ``begin()`` and ``end()``, for
/// waiting for the next piece of a download is not work. The time between two calls counts too if it is very short,
/// for a file fed byte by byte spends much of its time there.
@usableFromInline
package struct WorkGuard: Sendable {
    private let limit: Duration?
    private let framePixelLimit: Int
    private var log: WorkLog?
    /// What takes the rows: if that has failed, decoding on is of no use.
    private let receiver: RowReceiver?
    private var spent = Duration.zero
    private var started: Duration?
    private var ended: Duration?
    /// Units spent since the clock was last looked at.
    private var units = 0
    /// Pixels of the frames of an animation that were drawn so far.
    private var framePixelCount = 0

    /// Units of ``spend(_:)`` between two looks at the clock. A unit is about a byte looked at; even loops that take
    /// fifty nanoseconds for each come by within a millisecond.
    private static let unitsPerCheck = 1 << 14

    /// Calls at most this far apart follow directly.
    private static let longestGap = Duration.microseconds(10)

    /// Bytes that may be copied, cleared, searched or checksummed between two checks: well below a millisecond's worth
    /// if they are in memory, a few milliseconds' if each page has to be fetched first.
    package static let stepByteCount = 1 << 18

    /// Stops for nothing but a cancelled task.
    package static let unlimited = WorkGuard(limits: .unlimited)

    package init(limits: DecodingLimits) {
        (limit, framePixelLimit, receiver) = (limits.maxTime, limits.maxFramePixelCount, nil)
    }

    package init(_ options: DecodingOptions) {
        (limit, framePixelLimit) = (options.limits.maxTime, options.limits.maxFramePixelCount)
        (log, spent, receiver) = (options.workLog, options.spentTime, options.rowReceiver)
    }

    /// For one picture that is written.
    package init(_ options: EncodingOptions) {
        (limit, framePixelLimit, receiver) = (options.limits.maxTime, .max, nil)
        log = options.workLog
    }

    /// Options for a further attempt at the same file, with the time that this one has left.
    package func remaining(of options: DecodingOptions) -> DecodingOptions {
        guard limit != nil else { return options }
        var options = options
        options.spentTime = total
        return options
    }

    /// Starts the clock.
    package mutating func begin() {
        log?.begin()
        guard limit != nil else { return }
        let now = MonotonicTime.now
        if let ended, now - ended <= Self.longestGap { spent += now - ended }
        started = now
    }

    /// Stops the clock.
    package mutating func end() {
        log?.end()
        guard let started else { return }
        let now = MonotonicTime.now
        spent += now - started
        ended = now
        self.started = nil
    }

    /// Counts small steps of work, and calls ``check()`` whenever `unitsPerCheck` of them have added up.
    package mutating func spend(_ count: Int) throws(ImageError) {
        log?.spend(count)
        units = units.addingSaturated(count)
        guard units >= Self.unitsPerCheck else { return }
        units = 0
        try check()
    }

    /// Counts a frame of an animation that is going to be decoded, and the pixels that it draws on the canvas.
    ///
    /// - Throws: `limitExceeded(.framePixels)` if all frames of this call together draw too many, and as ``check()``.
    package mutating func beginFrame(_ index: Int, _ visible: PixelRect) throws(ImageError) {
        log?.beginFrame(index)
        try check()
        try countFramePixels(visible.size)
    }

    /// Counts pixels that were decoded for a frame of an animation.
    ///
    /// - Throws: `limitExceeded(.framePixels)`.
    package mutating func countFramePixels(_ size: PixelSize) throws(ImageError) {
        framePixelCount = framePixelCount.addingSaturated(size.pixelCount ?? .max)
        guard framePixelCount <= framePixelLimit else {
            throw .limitExceeded(.framePixels, requested: framePixelCount, allowed: framePixelLimit)
        }
    }

    /// Throws `cancelled` when the current task is, `limitExceeded(.time)` when the time is used up.
    package func check() throws(ImageError) {
        log?.check()
        if Task.isCancelled { throw .cancelled }
        try receiver?.check()
        guard let limit else { return }
        let total = total
        guard total <= limit else {
            throw .limitExceeded(.time, requested: total.wholeMilliseconds, allowed: limit.wholeMilliseconds)
        }
    }

    /// Whether the time is used up.
    package var isUsedUp: Bool { limit.map { total > $0 } ?? false }

    private var total: Duration { spent + (started.map { MonotonicTime.now - $0 } ?? .zero) }
}

extension Duration {
    /// Milliseconds, rounded to the nearest, halves to the even one; saturates.
    package var wholeMilliseconds: Int {
        let parts = components
        let (milliseconds, overflow) = parts.seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return parts.seconds < 0 ? .min : .max }
        let rest = Int((Double(parts.attoseconds) / 1e15).rounded(.toNearestOrEven))
        let (sum, sumOverflow) = Int(milliseconds).addingReportingOverflow(rest)
        return sumOverflow ? (milliseconds < 0 ? .min : .max) : sum
    }
}
