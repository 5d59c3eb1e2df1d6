// One line of JSON into the members of its object: what an engine sends.

import FoundationEssentials
import ImageCodecs

/// A value as it was written: well-formed JSON on one line.
struct JSONText: Sendable {
    let text: String
}

/// The members of the object on a line, told apart in one pass and looked at only as far as they are asked for.
///
/// What is kept grows with the line and not with the number of values in it. The standard library's decoders read single
/// values only: strings with escapes, numbers, and the job's id, which may be anything and is short.
struct JSONMembers {
    private static let maxCount = 100
    private static let maxIDByteCount = 4096

    private let line: [UInt8]
    private var ranges: [(key: String, value: Range<Int>)] = []

    /// - Throws: `invalidArgument` when the line is no JSON object.
    init(ofLine line: [UInt8]) throws(ImageError) {
        self.line = line
        var scanner = JSONScanner(line)
        guard scanner.take("{") else { throw .invalidArgument("the line is no JSON object") }
        if !scanner.take("}") {
            repeat {
                guard let key = scanner.takeString(), scanner.take(":"), let value = scanner.takeValue() else {
                    throw Self.invalid
                }
                guard ranges.count < Self.maxCount else {
                    throw .invalidArgument("the line has more than \(Self.maxCount) keys")
                }
                guard case .string(let name) = try Self.scalar(line[key]) else { throw Self.invalid }
                ranges.append((name, value))
            } while scanner.take(",")
            guard scanner.take("}") else { throw Self.invalid }
        }
        guard scanner.isAtEnd else { throw Self.invalid }
    }

    private static let invalid = ImageError.invalidArgument("the line is not valid JSON")

    /// The value of `id` as it was written; `nil` where there is none.
    func id() throws(ImageError) -> JSONText? {
        guard let range = ranges.first(where: { $0.key == "id" })?.value else { return nil }
        guard range.count <= Self.maxIDByteCount else {
            throw .invalidArgument("\"id\" has more than \(Self.maxIDByteCount) bytes")
        }
        let bytes = line[range]
        guard (try? JSONDecoder().decode(AnyJSON.self, from: Data(bytes))) != nil else { throw Self.invalid }
        return JSONText(text: String(decoding: bytes, as: UTF8.self))
    }

    /// The values of all other keys.
    func values() throws(ImageError) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for (key, range) in ranges {
            let value = key == "id" ? JSONValue.null : try Self.value(line[range], of: key)
            guard values.updateValue(value, forKey: key) == nil else {
                throw .invalidArgument("\"\(Self.shown(key))\" is there twice")
            }
        }
        return values
    }

    private static func value(_ bytes: ArraySlice<UInt8>, of key: String) throws(ImageError) -> JSONValue {
        switch bytes.first {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            throw .invalidArgument("\"\(shown(key))\" cannot be an array or an object")
        default: return try scalar(bytes)
        }
    }

    private static func shown(_ key: String) -> String { String(key.prefix(40)).replacingControlCharacters }

    /// A string, number, boolean or `null`.
    private static func scalar(_ bytes: ArraySlice<UInt8>) throws(ImageError) -> JSONValue {
        if bytes.first == UInt8(ascii: "\""), !bytes.contains(UInt8(ascii: "\\")) {
            guard let text = String(bytes: bytes.dropFirst().dropLast(), encoding: .utf8) else { throw invalid }
            return .string(text)
        }
        guard let scalar = try? JSONDecoder().decode(JSONScalar.self, from: Data(bytes)) else { throw invalid }
        return scalar.value
    }
}

/// A value that is none of the nested ones.
private struct JSONScalar: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let bool = try? container.decode(Bool.self) {
            value = .bool(bool)
        } else if let integer = try? container.decode(Int.self) {
            value = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            value = .number(number)
        } else {
            value = .string(try container.decode(String.self))
        }
    }
}

/// Takes any well-formed value and keeps nothing of it.
private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            for key in members.allKeys { _ = try members.decode(AnyJSON.self, forKey: key) }
        } else if var elements = try? decoder.unkeyedContainer() {
            while !elements.isAtEnd { _ = try elements.decode(AnyJSON.self) }
        } else {
            _ = try JSONScalar(from: decoder)
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
