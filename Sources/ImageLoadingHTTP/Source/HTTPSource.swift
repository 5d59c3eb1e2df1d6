// Pictures by HTTP: what is asked, what is followed, what is kept.
//
//   address ──▶ rules ──▶ place ──▶ name resolved, checked ──▶ request ──▶ head ──▶ redirect? again
//                                                                           │
//             304: the stored bytes hold ◀──────────────────────────────────┤
//             206: the rest of a part, if the validator is strong and the same
//             200: pieces (length, count and content coding bounded) ──▶ loader

import DeflateCodec
public import ImageCaching
import ImageCodecsCore
public import ImageLoading

/// Delivers what is at `http:` and `https:` addresses, as a shared cache may keep it.
///
/// ```swift
/// let source = HTTPSource(transport, addresses: .publicOnly, maxByteCount: 32 << 20)
/// let loader = ImageLoader(memory: memory, disk: disk, source: source)
/// ```
///
/// Copies share their limits of transfers at once.
public struct HTTPSource: ImageSource {
    /// What it does and how long it waits.
    public let configuration: Configuration
    let transport: any HTTPTransport
    let gate: TransferGate
    /// Fields of this copy alone.
    private(set) var ownFields = HeaderFields()

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - transport: carries requests and responses.
    ///   - configuration: limits, times, rules.
    public init(_ transport: any HTTPTransport, _ configuration: Configuration = Configuration()) {
        (self.transport, self.configuration) = (transport, configuration)
        gate = TransferGate(
            maxCountPerHost: configuration.maxTransferCountPerHost, maxCount: configuration.maxTransferCount)
    }

    /// Creates a source with some rules.
    ///
    /// - Parameters:
    ///   - transport: carries requests and responses.
    ///   - addresses: what may be asked.
    ///   - maxByteCount: the most bytes of a body.
    public init(_ transport: any HTTPTransport, addresses: AddressPolicy = .publicOnly, maxByteCount: Int = 64 << 20) {
        var configuration = Configuration()
        (configuration.addresses, configuration.maxByteCount) = (addresses, maxByteCount)
        self.init(transport, configuration)
    }

    /// This source with further fields, for single requests: `Authorization`, `Cookie`, `Referer`. What was loaded with other fields is not
    /// found in caches. Authorization and cookies are sent to the origin of the request's address alone.
    ///
    /// ```swift
    /// request.source = source.adding(["authorization": "Bearer \(token)"])
    /// ```
    public func adding(_ fields: HeaderFields) -> HTTPSource {
        var copy = self
        for line in fields.lines { copy.ownFields[line.name] = nil }
        for line in fields.lines { copy.ownFields.add(line.name, line.value) }
        return copy
    }

    /// Whether the scheme is `http` or `https`.
    public func handles(_ address: String) -> Bool {
        let start = address.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// The digest of the fields that were added to this copy.
    public func version(of address: String) -> String? {
        guard !ownFields.lines.isEmpty else { return nil }
        let text = ownFields.lines.map { "\($0.name):\($0.value)\n" }.sorted().joined()
        return SHA256.digest(of: Array(text.utf8)).text
    }

    /// The fields of each request, before it is modified.
    var fields: HeaderFields {
        var fields = configuration.fields
        for line in ownFields.lines { fields[line.name] = nil }
        for line in ownFields.lines { fields.add(line.name, line.value) }
        // Parts of a coded body cannot be joined, and pictures do not shrink.
        fields["accept-encoding"] = "identity"
        return fields
    }

    // MARK: - What is stored

    /// What a response on the disk is good for, by RFC 9111.
    public func use(of stored: DiskEntry, for address: String, at now: Duration) -> StoredUse {
        guard let response = StoredResponse(attributes: stored.attributes), response.matches(fields) else {
            return .stale
        }
        let (unsaid, maxHeuristic) = (configuration.unsaidFreshness, configuration.maxHeuristicFreshness)
        let end = response.freshUntil(unsaid: unsaid, maxHeuristic: maxHeuristic)
        switch response.use(at: now, unsaid: unsaid, maxHeuristic: maxHeuristic) {
        case .fresh: return response.isImmutable ? .unchanging(until: end) : .fresh(until: end)
        case .whileRevalidating: return .whileRevalidating
        case .stale: return .stale
        }
    }

    /// Whether a response on the disk may be delivered although its origin failed: if that or the configuration says so (RFC 5861).
    public func mayUse(_ stored: DiskEntry, after error: LoadError, at now: Duration) -> Bool {
        switch error.reason {
        case .timedOut, .unreachable, .unavailable: break
        default: return false
        }
        guard let response = StoredResponse(attributes: stored.attributes), response.matches(fields) else {
            return false
        }
        return response.standsInForErrors(
            at: now, tolerance: configuration.staleIfError, unsaid: configuration.unsaidFreshness,
            maxHeuristic: configuration.maxHeuristicFreshness)
    }

    // MARK: - Requests

    /// Asks for a body, the rest of it if a part was kept.
    public func open(_ address: String) async throws -> SourceResponse {
        try await exchange(address).response(replacing: nil)
    }

    /// Asks whether a stored body still holds.
    public func open(_ address: String, replacing stored: DiskEntry) async throws -> SourceResponse {
        let response = StoredResponse(attributes: stored.attributes)
        return try await exchange(address).response(replacing: response?.matches(fields) == true ? response : nil)
    }

    private func exchange(_ address: String) throws(LoadError) -> HTTPExchange {
        do throws(WebAddressError) {
            let url = try WebAddress(address)
            return HTTPExchange(source: self, address: address, url: url, partKey: partKey(address))
        } catch {
            throw LoadError(stage: .transfer, address: address, reason: .refused("address: \(error.rawValue)"))
        }
    }

    private func partKey(_ address: String) -> CacheKey {
        let version = version(of: address).map { "\u{0}" + $0 } ?? ""
        return CacheKey(source: address + version, variant: "http part")
    }
}
