// One line of JSON, what an engine sends, into the members of its object.

import FoundationEssentials
import ImageCodecs

/// The members of the object on a line.
struct JSONMembers {
    private static let maxCount = 100
    /// Values in an `id` that is an array or an object, nested ones included, and bytes of all its strings and keys.
    private static let (maxIDValueCount, maxIDByteCount) = (100, 4096)
    /// Commas and brackets on a line: Foundation's decoder takes some 24 bytes for each value, before anything is asked of it.
    private static let maxPartCount = 1000
    private static let notJSON = ImageError.invalidArgument("the line is not valid JSON")

    /// The value of `id`; `null` if there is none. Members of objects are sorted by key; of numbers that are no whole numbers of
    /// 64 bits the nearest `Double` is kept.
    let id: JSONValue
    /// The values of all other keys: none of them is an array or an object.
    private let others: Result<[String: JSONValue], ImageError>

    /// - Throws: `invalidArgument` if the line is no JSON object.
    init(ofLine line: [UInt8]) throws(ImageError) {
        try Self.checkParts(line)
        do {
            let decoded = try JSONDecoder().decode(Line.self, from: Data(line))
            (id, others) = (decoded.id, decoded.others)
        } catch let error as ImageError {
            throw error
        } catch DecodingError.typeMismatch {
            throw .invalidArgument("the line is no JSON object")
        } catch {
            throw Self.notJSON
        }
    }

    /// Refuses a line of many values before it is decoded.
    private static func checkParts(_ line: [UInt8]) throws(ImageError) {
        var (count, isInString, isEscaped) = (0, false, false)
        for byte in line {
            // In text of two or four bytes a character, which the decoder reads too.
            if byte == 0 { throw notJSON }
            if isInString {
                let ends = byte == UInt8(ascii: "\"") && !isEscaped
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                isInString = !ends
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
            default: break
            }
            guard count <= maxPartCount else { throw .invalidArgument("the line has more than \(maxPartCount) values") }
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
            id = try members.decodeIfPresent(IDValue.self, forKey: JSONKey("id"))?.value ?? .null
            // The answer keeps its `id` even if another value is refused.
            others = Result { () throws(ImageError) in try Self.others(members) }
        }

        private static func others(
            _ members: KeyedDecodingContainer<JSONKey>
        ) throws(ImageError) -> [String: JSONValue] {
            guard members.allKeys.count <= maxCount else {
                throw .invalidArgument("the line has more than \(maxCount) keys")
            }
            var others: [String: JSONValue] = [:]
            for key in members.allKeys where key.stringValue != "id" {
                guard let scalar = try? members.decode(Scalar.self, forKey: key) else {
                    throw notJSON
                }
                guard let value = scalar.value else {
                    let name = String(key.stringValue.prefix(40)).replacingControlCharacters
                    throw .invalidArgument("\"\(name)\" cannot be an array or an object")
                }
                others[key.stringValue] = value
            }
            return others
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
        private let byteCount: Int

        init(from decoder: any Decoder) throws {
            var (count, byteCount) = (1, 0)
            if let members = try? decoder.container(keyedBy: JSONKey.self) {
                byteCount = members.allKeys.reduce(0) { $0 + $1.stringValue.utf8.count }
                try Self.check(members.allKeys.count, byteCount)
                let values = try members.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
                    let member = try members.decode(IDValue.self, forKey: key)
                    count += member.count
                    byteCount += member.byteCount
                    return (key: key.stringValue, value: member.value)
                }
                value = .object(values)
            } else if var elements = try? decoder.unkeyedContainer() {
                var values: [JSONValue] = []
                while !elements.isAtEnd {
                    let element = try elements.decode(IDValue.self)
                    count += element.count
                    byteCount += element.byteCount
                    try Self.check(count, byteCount)
                    values.append(element.value)
                }
                value = .array(values)
            } else {
                value = try Scalar(from: decoder).value ?? .null
                if case .string(let text) = value { byteCount = text.utf8.count }
            }
            try Self.check(count, byteCount)
            (self.count, self.byteCount) = (count, byteCount)
        }

        private static func check(_ count: Int, _ byteCount: Int) throws {
            guard count <= maxIDValueCount else {
                throw ImageError.invalidArgument("\"id\" has more than \(maxIDValueCount) values")
            }
            guard byteCount <= maxIDByteCount else {
                throw ImageError.invalidArgument("\"id\" has more than \(maxIDByteCount) bytes")
            }
        }
    }
}

/// Any key of an object.
private struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ key: String) { stringValue = key }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
