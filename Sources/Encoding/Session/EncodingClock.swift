// What every call to a session does around its work: the clock runs, and an error is kept.

import ImageCodecsCore

/// The clock of a session, and the error that ended it.
struct EncodingClock: Sendable {
    /// Asked whether to go on; that of an earlier attempt at the same file may go on.
    var work: WorkGuard
    private let stopwatch: ProcessorStopwatch?
    fileprivate private(set) var error: ImageError?

    init(_ options: EncodingOptions) {
        work = WorkGuard(options)
        stopwatch = options.stopwatch
    }

    /// Throws the error that ended the session, if one has.
    func check() throws(ImageError) {
        if let error { throw error }
    }

    fileprivate mutating func begin() throws(ImageError) -> Int {
        try check()
        work.begin()
        return stopwatch?.begin() ?? 0
    }

    fileprivate mutating func end(since start: Int, _ error: ImageError?) {
        work.end()
        stopwatch?.end(since: start)
        self.error = error
    }
}

/// A session whose calls take time, and none of which does anything after one has failed.
protocol ClockedSession: ~Copyable {
    var clock: EncodingClock { get set }
    /// Lets go of what is held: nothing more will be written.
    mutating func letGo()
}

extension ClockedSession where Self: ~Copyable {
    /// Runs the clock, and keeps an error.
    mutating func working(_ body: (inout Self) throws(ImageError) -> Void) throws(ImageError) {
        let start = try clock.begin()
        do throws(ImageError) {
            try body(&self)
        } catch {
            letGo()
            clock.end(since: start, error)
            throw error
        }
        clock.end(since: start, nil)
    }
}
