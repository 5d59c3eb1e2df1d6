// Values of a job by their keys, each checked; keys that nobody asked for are errors.

import ImageCodecs

/// Takes the members of a JSON object one after the other.
struct RequestReader {
    private var left: [String: JSONValue]
    private var asked: [String] = []

    init(_ members: [String: JSONValue]) { left = members }

    /// The value of a key, whatever it is; `null` counts as missing.
    mutating func consume(_ key: String) -> JSONValue? {
        asked.append(key)
        guard let value = left.removeValue(forKey: key) else { return nil }
        if case .null = value { return nil }
        return value
    }

    /// Passes over a value that is looked at elsewhere.
    mutating func pass(_ key: String) { _ = consume(key) }

    mutating func string(_ key: String) throws(ImageError) -> String? {
        guard let value = consume(key) else { return nil }
        guard case .string(let string) = value else { throw .invalidArgument("\"\(key)\" must be a string") }
        return string
    }

    mutating func bool(_ key: String) throws(ImageError) -> Bool? {
        guard let value = consume(key) else { return nil }
        guard case .bool(let bool) = value else { throw .invalidArgument("\"\(key)\" must be true or false") }
        return bool
    }

    /// A whole number from 1.
    mutating func count(_ key: String) throws(ImageError) -> Int? {
        guard let value = consume(key) else { return nil }
        guard case .integer(let count) = value, count > 0 else {
            throw .invalidArgument("\"\(key)\" must be a whole number from 1")
        }
        return count
    }

    /// A number of bytes, or a string such as `"64M"`.
    mutating func byteCount(_ key: String) throws(ImageError) -> Int? {
        switch consume(key) {
        case nil: return nil
        case .integer(let count) where count > 0: return count
        case .string(let text):
            if let count = ByteCount(argument: text) { return count.bytes }
        default: break
        }
        throw .invalidArgument("\"\(key)\" must be a number of bytes, or a string such as \"64M\"")
    }

    mutating func number(_ key: String, in range: ClosedRange<Double>) throws(ImageError) -> Double? {
        let number: Double
        switch consume(key) {
        case nil: return nil
        case .integer(let integer): number = Double(integer)
        case .number(let double): number = double
        default: number = .nan
        }
        guard range.contains(number) else {
            throw .invalidArgument("\"\(key)\" must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// One of a few words.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String
    ) throws(ImageError) -> Choice? where Choice.RawValue == String {
        guard let value = consume(key) else { return nil }
        guard case .string(let word) = value, let choice = Choice(rawValue: word) else {
            throw .invalidArgument("\"\(key)\" must be one of \(Self.list(Choice.self))")
        }
        return choice
    }

    /// The words of a choice.
    static func list<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) -> String
    where Choice.RawValue == String {
        Choice.allCases.map { "\"\($0.rawValue)\"" }.list(and: "or")
    }

    /// Refuses what is left.
    func finish() throws(ImageError) {
        guard let key = left.keys.min() else { return }
        let name = String(key.prefix(40)).replacingControlCharacters
        throw .invalidArgument(
            "unknown key \"\(name)\"; known are \(asked.sorted().joined(separator: ", "))")
    }
}
