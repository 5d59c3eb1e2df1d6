// Lines of JSON into values: what an engine sends.

import FoundationEssentials
import ImageCodecs

extension JSONValue: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Objects get their members sorted by key: the order of the text is not kept.
    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            self = .object(
                try members.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
                    (key.stringValue, try members.decode(JSONValue.self, forKey: key))
                })
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self)) }
            self = .array(values)
            return
        }
        let value = try decoder.singleValueContainer()
        if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else {
            self = .number(try value.decode(Double.self))
        }
    }

    /// The members of the object on a line.
    ///
    /// - Throws: `invalidArgument` when the line is no JSON object.
    static func members(ofLine line: [UInt8]) throws(ImageError) -> [String: JSONValue] {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(line)) else {
            throw .invalidArgument("the line is not valid JSON")
        }
        guard case .object(let members) = value else { throw .invalidArgument("the line is no JSON object") }
        return Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    }
}
