// How a failure is printed: one line for people, one object for scripts.

import ImageCodecs

extension ImageError {
    /// The message for a failure on `path`, without that path.
    func message(for path: String) -> String {
        if case .inputOutput(path, let message) = self { return message }
        return description
    }

    /// `{"path":…,"error":{"code":…,"message":…,"offset":…,"damage":…}}`; the offset and what is damaged
    /// (``DamageCode``) only if there is one.
    func json(for path: String) -> JSONValue {
        .object([("path", .string(path)), ("error", members(for: path))])
    }

    /// `{"code":…,"message":…,"offset":…,"damage":…}`.
    func members(for path: String) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("code", .string(code)), ("message", .string(message(for: path))),
        ]
        if let offset { members.append(("offset", .integer(offset))) }
        if let damageCode { members.append(("damage", .string(damageCode.rawValue))) }
        return .object(members)
    }
}

extension PartialReport {
    /// One line that says how much of a picture is decoded.
    var summary: String {
        var parts = [rows.reduce(0) { $0 + $1.count }.counted("row")]
        if let passes { parts.append("\(passes.done) of \(passes.total) passes") }
        if let scans { parts.append(scans.counted("scan")) }
        if let frames { parts.append("\(frames.done) of \(frames.total.counted("frame"))") }
        let cause = cause.map { ": \($0)" } ?? ""
        return "partial picture, " + parts.joined(separator: ", ") + cause
    }
}
