// A file of the disk cache: what it holds, and how it is laid out.
//
//   offset  bytes
//        0      8  "IMGENTRY"
//        8      8  XXH64 of everything after it but the body
//       16      8  XXH64 of the body
//       24      4  bytes of the key
//       28      4  bytes of the attributes
//       32      8  bytes of the body
//       40      8  when it was stored, milliseconds since 1970
//       48      8  how long it is fresh, milliseconds; all ones if that is not known
//       56         key, attributes (length in 4 bytes, text; in pairs), body
//
// Numbers have their lowest byte first. A file whose length is not that of its parts, or one of whose checksums is another, is no
// entry: it was cut or damaged, by a power failure for example, for nothing waits until the disk has written it.

public import ImageCodecsCore

/// Bytes that a disk cache keeps, with what their owner says about them.
public struct DiskEntry: Sendable {
    /// The bytes.
    public var bytes: ImageData
    /// What the owner wants to know again: the type of the bytes, the validators of their source.
    public var attributes: [String: String]
    /// When the entry was stored: time since 1 January 1970.
    public var storedAt: Duration
    /// How long after ``storedAt`` the bytes stand for their source without asking it; `nil` if that is not known.
    public var freshFor: Duration?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - bytes: what is kept.
    ///   - attributes: what the owner wants to know again.
    ///   - storedAt: time since 1 January 1970; a cache sets it when it stores the entry.
    ///   - freshFor: how long they stand for their source without asking it.
    public init(
        bytes: ImageData, attributes: [String: String] = [:], storedAt: Duration = .zero, freshFor: Duration? = nil
    ) {
        (self.bytes, self.attributes, self.storedAt, self.freshFor) = (bytes, attributes, storedAt, freshFor)
    }

    /// Whether the bytes stand for their source at a time.
    ///
    /// - Parameter now: time since 1 January 1970. If it is before the entry was stored, the clock was set back, and it is unknown
    ///   how old the entry is: it is not fresh.
    public func isFresh(at now: Duration) -> Bool {
        guard let freshFor else { return false }
        return now >= storedAt && now - storedAt < freshFor
    }
}

extension DiskEntry {
    private static let magic = Array("IMGENTRY".utf8)
    private static let checksumEnd = 16
    private static let headByteCount = 56

    /// Everything of the file before the body.
    func header(for key: CacheKey) -> [UInt8] {
        let keyBytes = key.bytes
        let attributeBytes = attributes.sorted { $0.key < $1.key }.reduce(into: [UInt8]()) { bytes, pair in
            for text in [pair.key, pair.value] {
                bytes.append(UInt32(truncatingIfNeeded: text.utf8.count))
                bytes.append(contentsOf: text.utf8)
            }
        }
        var head: [UInt8] = []
        head.append(bytes.withBytes { XXHash64.hash(of: $0) })
        head.append(UInt32(truncatingIfNeeded: keyBytes.count))
        head.append(UInt32(truncatingIfNeeded: attributeBytes.count))
        head.append(UInt64(bytes.count))
        head.append(Int64(storedAt.wholeMilliseconds))
        head.append(Int64(freshFor.map { max(0, $0.wholeMilliseconds) } ?? -1))
        head += keyBytes
        head += attributeBytes
        var start = Self.magic
        start.append(XXHash64.hash(of: head[...]))
        return start + head
    }

    /// The entry in a file; `nil` if the file is damaged, or the entry of another key.
    init?(file: [UInt8], key: CacheKey) {
        guard file.count >= Self.headByteCount, file.starts(with: Self.magic) else { return nil }
        let keyByteCount = Int(file.number(at: 24) as UInt32)
        let attributesByteCount = Int(file.number(at: 28) as UInt32)
        let bodyByteCount: UInt64 = file.number(at: 32)
        let attributesStart = Self.headByteCount + keyByteCount
        let bodyStart = attributesStart + attributesByteCount
        guard bodyStart <= file.count, bodyByteCount == UInt64(file.count - bodyStart) else { return nil }
        guard XXHash64.hash(of: file[Self.checksumEnd..<bodyStart]) == file.number(at: 8),
            XXHash64.hash(of: file[bodyStart...]) == file.number(at: 16),
            file[Self.headByteCount..<attributesStart].elementsEqual(key.bytes),
            let attributes = Self.attributes(file[attributesStart..<bodyStart])
        else { return nil }
        let freshFor: Int64 = file.number(at: 48)
        self.init(
            bytes: ImageData(borrowing: file[bodyStart...]) { bytes, body in body(bytes.span) }, attributes: attributes,
            storedAt: .milliseconds(file.number(at: 40) as Int64),
            freshFor: freshFor < 0 ? nil : .milliseconds(freshFor))
    }

    private static func attributes(_ bytes: ArraySlice<UInt8>) -> [String: String]? {
        var (attributes, rest): ([String: String], ArraySlice<UInt8>) = ([:], bytes)
        while !rest.isEmpty {
            guard let name = takeText(&rest), let value = takeText(&rest) else { return nil }
            attributes[name] = value
        }
        return attributes
    }

    private static func takeText(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.count >= 4 else { return nil }
        let count = Int(Array(rest.prefix(4)).number(at: 0) as UInt32)
        rest = rest.dropFirst(4)
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }
}

extension [UInt8] {
    /// The number whose lowest byte is at `offset`.
    func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).reduce(into: 0 as Number) { number, shift in
            number |= Number(truncatingIfNeeded: self[offset + shift / 8]) << Number(shift)
        }
    }
}
