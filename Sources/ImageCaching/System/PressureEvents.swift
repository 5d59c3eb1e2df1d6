// Files of Linux that say when memory runs short, waited for.

import ImageCodecsCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if os(Linux) || os(Android)
/// Descriptors to wait for: changes of a control group's counts, stalls of the system, and the end of the waiting.
final class PressureEvents: Sendable {
    private let eventsPath: String?
    /// Says that the file at `eventsPath` changed; -1 for none.
    private let changes: Int32
    /// Is ready while tasks wait too long for memory; -1 for none.
    private let stalls: Int32
    /// Closed by ``stop()``.
    private let end: (reading: Int32, writing: Int32)

    /// `memory.events` of the control group of this process, if groups of version 2 are mounted at their usual place.
    static var ownGroupEventsPath: String? {
        guard let groups = SmallFile.text(at: "/proc/self/cgroup") else { return nil }
        for line in groups.split(separator: "\n") where line.hasPrefix("0::") {
            let path = "/sys/fs/cgroup" + line.dropFirst(3) + "/memory.events"
            return FileStatus(ofFileAt: path) == nil ? nil : path
        }
        return nil
    }

    init?(groupEventsPath: String?, pressurePath: String?) {
        eventsPath = groupEventsPath
        changes = groupEventsPath.map(Self.watch) ?? -1
        stalls = pressurePath.map(Self.openTrigger) ?? -1
        var ends: [Int32] = [-1, -1]
        // SAFETY: the array holds the two numbers that `pipe` writes.
        guard changes >= 0 || stalls >= 0, unsafe pipe(&ends) == 0 else {
            for descriptor in [changes, stalls] where descriptor >= 0 { close(descriptor) }
            return nil
        }
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        end = (ends[0], ends[1])
    }

    deinit {
        for descriptor in [changes, stalls, end.reading] where descriptor >= 0 { close(descriptor) }
    }

    /// Ends the waiting, now and later.
    func stop() { close(end.writing) }

    /// Waits until memory runs short; `false` after ``stop()``.
    func wait() -> Bool {
        var last = limitCount
        while true {
            var waiting = [
                pollfd(fd: end.reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: changes, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stalls, events: Int16(POLLPRI), revents: 0),
            ]
            // SAFETY: the array holds three descriptors; negative ones are passed over.
            let count = unsafe poll(&waiting, 3, -1)
            if count < 0, errno == EINTR { continue }
            if count < 0 || waiting[0].revents != 0 { return false }
            if waiting[1].revents != 0 {
                drainChanges()
                let now = limitCount
                defer { last = now }
                if now != last { return true }
            }
            if waiting[2].revents & Int16(POLLERR) != 0 { return false }
            if waiting[2].revents & Int16(POLLPRI) != 0 { return true }
        }
    }

    /// How often the group passed its limits.
    private var limitCount: Int {
        guard let eventsPath, let text = SmallFile.text(at: eventsPath) else { return 0 }
        return text.split(separator: "\n").reduce(0) { sum, line in
            let words = line.split(separator: " ")
            guard words.count == 2, words[0] == "high" || words[0] == "max" else { return sum }
            return sum.addingSaturated(Int(words[1]) ?? 0)
        }
    }

    private func drainChanges() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        // SAFETY: the count is that of the buffer.
        unsafe _ = buffer.withUnsafeMutableBytes { unsafe read(changes, $0.baseAddress, $0.count) }
    }

    private static func watch(_ path: String) -> Int32 {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return -1 }
        // SAFETY: the path is a null-terminated string for the call.
        let watch = unsafe SystemPath.withCString(path) { unsafe inotify_add_watch(descriptor, $0, UInt32(IN_MODIFY)) }
        guard watch >= 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    /// Asks to be called when some task waited for memory for 150 ms of two seconds.
    private static func openTrigger(_ path: String) -> Int32 {
        // SAFETY: the path is a null-terminated string for the call.
        let descriptor = unsafe SystemPath.withCString(path) { unsafe open($0, O_RDWR | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { return -1 }
        let request = Array("some 150000 2000000".utf8) + [0]
        // SAFETY: the count is that of the array.
        let count = unsafe request.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard count == request.count else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}
#else
/// Nothing: other systems have notifications of their own.
final class PressureEvents: Sendable {
    static var ownGroupEventsPath: String? { nil }
    init?(groupEventsPath: String?, pressurePath: String?) { return nil }
    func wait() -> Bool { false }
    func stop() {}
}
#endif

/// Files of the system's that are a few lines long.
enum SmallFile {
    /// The contents; `nil` if the file cannot be read.
    static func text(at path: String) -> String? {
        guard var reader = try? FileReader(path, maxByteCount: 1 << 20), let bytes = try? reader.peek(1 << 16) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
