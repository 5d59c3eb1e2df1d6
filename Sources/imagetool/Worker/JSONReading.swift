// One line of JSON, what an engine sends, into the members of its object.

import FoundationEssentials
import ImageCodecs

/// The members of the object on a line.
struct JSONMembers {
    private static let maxCount = 100
    /// Values in an `id` that is an array or an object, nested ones included.
    private static let maxIDValueCount = 100

    /// The value of `id`; `null` if there is none. It comes back with the same value, members of objects sorted by key.
    let id: JSONValue
    /// The values of all other keys: none of them is an array or an object.
    private let others: Result<[String: JSONValue], ImageError>

    /// - Throws: `invalidArgument` if the line is no JSON object.
    init(ofLine line: [UInt8]) throws(ImageError) {
        do {
            let decoded = try JSONDecoder().decode(Line.self, from: Data(line))
            (id, others) = (decoded.id, decoded.others)
        } catch let error as ImageError {
            throw error
        } catch DecodingError.typeMismatch {
            throw .invalidArgument("the line is no JSON object")
        } catch {
            throw .invalidArgument("the line is not valid JSON")
        }
    }

    /// The values of all keys but `id`.
    ///
    /// - Throws: `invalidArgument` if one of them is an array or an object.
    func values() throws(ImageError) -> [String: JSONValue] { try others.get() }

    /// What Foundation's decoder makes of a line.
    private struct Line: Decodable {
        let id: JSONValue
        let others: Result<[String: JSONValue], ImageError>

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: JSONKey.self)
            guard members.allKeys.count <= maxCount else {
                throw ImageError.invalidArgument("the line has more than \(maxCount) keys")
            }
            var (id, others) = (JSONValue.null, [String: JSONValue]())
            var failure: ImageError?
            for key in members.allKeys {
                if key.stringValue == "id" {
                    id = try members.decode(IDValue.self, forKey: key).value
                } else if let scalar = try members.decode(Scalar.self, forKey: key).value {
                    others[key.stringValue] = scalar
                } else {
                    let name = String(key.stringValue.prefix(40)).replacingControlCharacters
                    failure = .invalidArgument("\"\(name)\" cannot be an array or an object")
                }
            }
            self.id = id
            self.others = failure.map { .failure($0) } ?? .success(others)
        }
    }

    /// A string, number, boolean or `null`; arrays and objects are left as they are.
    private struct Scalar: Decodable {
        let value: JSONValue?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                value = .null
            } else if let bool = try? container.decode(Bool.self) {
                value = .bool(bool)
            } else if let integer = try? container.decode(Int.self) {
                value = .integer(integer)
            } else if let integer = try? container.decode(UInt64.self) {
                value = .unsigned(integer)
            } else if let number = try? container.decode(Double.self) {
                value = .number(number)
            } else if let string = try? container.decode(String.self) {
                value = .string(string)
            } else if (try? decoder.container(keyedBy: JSONKey.self)) != nil || (try? decoder.unkeyedContainer()) != nil
            {
                value = nil
            } else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number")
            }
        }
    }

    /// Any value of a bounded number of parts.
    private struct IDValue: Decodable {
        let value: JSONValue
        private let count: Int

        init(from decoder: any Decoder) throws {
            var count = 1
            if let members = try? decoder.container(keyedBy: JSONKey.self) {
                try Self.check(members.allKeys.count)
                let values = try members.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
                    let member = try members.decode(IDValue.self, forKey: key)
                    count += member.count
                    return (key: key.stringValue, value: member.value)
                }
                value = .object(values)
            } else if var elements = try? decoder.unkeyedContainer() {
                var values: [JSONValue] = []
                while !elements.isAtEnd {
                    let element = try elements.decode(IDValue.self)
                    count += element.count
                    try Self.check(count)
                    values.append(element.value)
                }
                value = .array(values)
            } else {
                value = try Scalar(from: decoder).value ?? .null
            }
            try Self.check(count)
            self.count = count
        }

        private static func check(_ count: Int) throws {
            guard count <= maxIDValueCount else {
                throw ImageError.invalidArgument("\"id\" has more than \(maxIDValueCount) values")
            }
        }
    }
}

/// Any key of an object.
private struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
