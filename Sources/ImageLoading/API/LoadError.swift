// Why a picture could not be loaded.

public import ImageCodecsCore

/// Why a request failed: at which stage, for which address, and whether trying again helps.
public struct LoadError: Error, Hashable, Sendable {
    /// A step of loading.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// Looking into caches.
        case lookup
        /// Getting bytes from the source.
        case transfer
        /// Making pixels of bytes.
        case decode
        /// Making the picture asked for of the decoded one.
        case transformation
    }

    /// What went wrong.
    public enum Reason: Hashable, Sendable {
        /// Nobody waited any more, or the loader was shut down.
        case cancelled
        /// No source of the loader knows the address.
        case noSource
        /// The rules of the source do not allow to ask or to read what is there: which one.
        case refused(String)
        /// There is nothing at the address.
        case notFound
        /// Only caches were to be asked, and they do not have it.
        case notInCache
        /// The source has more bytes than the loader takes.
        case tooLarge(limit: Int)
        /// The source did not answer in time.
        case timedOut
        /// There is no way to the source now, as without a network.
        case unreachable
        /// The source is there and fails: what it said.
        case unavailable(String)
        /// The source does not deliver this to whoever asks: the status of its response.
        case rejected(status: Int)
        /// Bytes could not be read or are no picture.
        case image(ImageError)
        /// A closure of the caller's failed: what it said.
        case other(String)
    }

    /// Where it failed.
    public var stage: Stage
    /// The address, without user and password.
    public var address: String
    /// What went wrong.
    public var reason: Reason
    /// What exactly, for people: the step of a transfer, what the other side said.
    public var detail: String?
    /// Whether trying again may help.
    public var isRetryable: Bool
    /// How long to wait before that, if the source said so.
    public var retryAfter: Duration?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - stage: where it failed.
    ///   - address: the address; user and password are taken out.
    ///   - reason: what went wrong.
    ///   - isRetryable: whether trying again may help; `nil` if the reason says it.
    ///   - retryAfter: how long to wait before that.
    ///   - detail: what exactly, for people.
    public init(
        stage: Stage, address: String, reason: Reason, isRetryable: Bool? = nil, retryAfter: Duration? = nil,
        detail: String? = nil
    ) {
        self.stage = stage
        self.address = Self.withoutCredentials(address)
        self.reason = reason
        self.isRetryable = isRetryable ?? reason.isRetryable
        self.retryAfter = retryAfter
        self.detail = detail
    }

    /// An address without what stands between `//` and `@`.
    static func withoutCredentials(_ address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: "@")) else { return address }
        let bytes = Array(address.utf8)
        guard let slashes = bytes.indices.dropLast().first(where: { bytes[$0] == 0x2F && bytes[$0 + 1] == 0x2F }) else {
            return address
        }
        let authority = bytes[(slashes + 2)...].prefix { ![0x2F, 0x3F, 0x23].contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return address }
        return String(decoding: bytes[..<(slashes + 2)] + bytes[(at + 1)...], as: UTF8.self)
    }
}

extension LoadError.Reason {
    fileprivate var isRetryable: Bool {
        switch self {
        case .timedOut, .unreachable, .unavailable: true
        case .cancelled, .noSource, .refused, .notFound, .notInCache, .tooLarge, .rejected, .image, .other: false
        }
    }
}

extension LoadError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        let what =
            switch reason {
            case .cancelled: "cancelled"
            case .noSource: "no source for this address"
            case .refused(let rule): rule
            case .notFound: "not found"
            case .notInCache: "not in a cache"
            case .tooLarge(let limit): "more than \(limit) bytes"
            case .timedOut: "no answer in time"
            case .unreachable: "not reachable"
            case .rejected(let status): "status \(status)"
            case .unavailable(let what), .other(let what): what
            case .image(let error): error.description
            }
        return "\(address): \(what) (\(stage.rawValue)\(detail.map { ", " + $0 } ?? ""))"
    }
}
