// Sources that come with the loader: files, bytes in memory, closures.

import ImageCodecsCore
import ImagePipeline
import Synchronization

/// Files, by paths and `file:` addresses.
///
/// A file that changes is another version, known by its length, its time of change and its number: what was loaded before is not
/// found any more.
public struct FileSource: ImageSource {
    /// Creates the source.
    public init() {}

    /// Whether it is a path or a `file:` address.
    public func handles(_ address: String) -> Bool { Self.path(address) != nil }

    /// Files are as near as those of a cache.
    public var isLocal: Bool { true }

    /// Length, time of change and number of the file.
    public func version(of address: String) -> String? { Self.path(address).flatMap(fileVersion) }

    /// Reads the file, in one piece, once its length is accepted.
    public func open(_ address: String) async throws -> SourceResponse {
        guard let path = Self.path(address) else {
            throw LoadError(stage: .transfer, address: address, reason: .noSource)
        }
        let byteCount = try await DecodingExecutor.shared.run { () throws(ImageError) -> Int? in
            guard let status = FileStatus(ofFileAt: path) else { return nil }
            guard status.kind == .regular else { throw .inputOutput(path: path, message: "is no regular file") }
            return status.byteCount
        }
        guard let byteCount else { throw LoadError(stage: .transfer, address: address, reason: .notFound) }
        let rest = HandedOutOnce(path)
        return SourceResponse(byteCount: byteCount) {
            guard let path = rest.take() else { return nil }
            return try await DecodingExecutor.shared.run { () throws(ImageError) in try ImageData(contentsOfFile: path)
            }
        }
    }

    /// The path that an address stands for; `nil` for addresses with another scheme.
    static func path(_ address: String) -> String? {
        if address.hasPrefix("/") { return address }
        for prefix in ["file://localhost/", "file:///", "file:/"] where address.hasPrefix(prefix) {
            return "/" + decoded(address.dropFirst(prefix.count))
        }
        // A scheme is letters, digits and three signs before a colon.
        guard let colon = address.firstIndex(of: ":") else { return address.isEmpty ? nil : address }
        let isScheme = address[..<colon].utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || [0x2B, 0x2D, 0x2E].contains(byte)
        }
        return isScheme && colon > address.startIndex ? nil : address
    }

    /// Text with `%20` and the like replaced by the bytes they stand for.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.count >= 2
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return SystemPath.text(bytes)
    }
}

/// Addresses of one scheme, whose bytes a closure delivers.
///
/// ```swift
/// let archive = SchemeSource("zip") { address in SourceResponse(try zip.bytes(named: address)) }
/// ```
public struct SchemeSource: ImageSource {
    private let prefix: String
    private let deliver: @Sendable (String) async throws -> SourceResponse
    /// Whether the disk cache keeps no copies.
    public let isLocal: Bool

    /// Creates the source.
    ///
    /// - Parameters:
    ///   - scheme: what stands before the colon of its addresses.
    ///   - isLocal: whether the disk cache keeps no copies.
    ///   - deliver: begins to deliver what is at an address.
    public init(
        _ scheme: String, isLocal: Bool = false,
        _ deliver: @escaping @Sendable (_ address: String) async throws -> SourceResponse
    ) {
        (prefix, self.isLocal, self.deliver) = (scheme + ":", isLocal, deliver)
    }

    /// Whether the address has the scheme.
    public func handles(_ address: String) -> Bool { address.hasPrefix(prefix) }

    /// Calls the closure.
    public func open(_ address: String) async throws -> SourceResponse { try await deliver(address) }
}

/// Bytes in memory, for one request.
struct DataSource: ImageSource {
    private let data: ImageData

    init(_ data: ImageData) { self.data = data }

    func handles(_ address: String) -> Bool { true }
    var isLocal: Bool { true }
    func open(_ address: String) async throws -> SourceResponse { SourceResponse(data) }
}

/// A value, handed out once.
final class HandedOutOnce<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) { self.value = Mutex(value) }

    func take() -> Value? { value.withLock { $0.take() } }
}
