// What of a response a cache keeps beside the body, and what follows from it: whether it may be kept, how old it is, how long it is fresh.
//
//   response ──▶ refusal to store ──▶ attributes on the disk ──▶ use at a later time: fresh, stale while revalidating, stale
//                                           ▲                                              │
//                                           └────────── 304: renewed fields ◀── validators ┘
//
// Pure functions: times are arguments.

/// The fields of a response that was kept, with the times of its request.
///
/// Source: RFC 9111 "HTTP Caching", for a shared cache.
public struct StoredResponse: Hashable, Sendable {
    /// Kept fields of the response.
    public var fields: HeaderFields
    /// Values of the request's fields that `Vary` names, by name in lower case; empty for those that were not there.
    public var varied: [String: String] = [:]
    /// Where the body came from, after redirects.
    public var url: String
    /// When the request was sent: time since 1 January 1970.
    public var requestedAt: Duration
    /// When the head of the response was there: time since 1 January 1970.
    public var receivedAt: Duration
    /// The shortest freshness of the redirects that led to it; `nil` if none limits it.
    public var redirectFreshness: Duration?

    /// Fields that matter later. Others, as `Set-Cookie`, are not kept.
    static let keptFields: Set<String> = [
        "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "vary",
    ]

    /// Creates what is kept of a response.
    ///
    /// - Parameters:
    ///   - fields: of the response.
    ///   - requestFields: of the request.
    ///   - url: where it was sent.
    ///   - requestedAt: when it was sent.
    ///   - receivedAt: when the head of the response was there.
    ///   - redirectFreshness: the shortest freshness of redirects.
    public init(
        _ fields: HeaderFields, requestFields: HeaderFields, url: String, requestedAt: Duration, receivedAt: Duration,
        redirectFreshness: Duration? = nil
    ) {
        self.fields = HeaderFields(
            fields.lines.filter { Self.keptFields.contains($0.name) }.map { ($0.name, $0.value) })
        for name in Self.varyNames(fields) {
            varied[name] = requestFields[name] ?? ""
        }
        (self.url, self.requestedAt, self.receivedAt) = (url, requestedAt, receivedAt)
        self.redirectFreshness = redirectFreshness
    }

    /// The directives of the response.
    public var cacheControl: CacheControl { CacheControl(fields["cache-control"]) }

    /// Names of request fields that the response depends on, in lower case.
    static func varyNames(_ fields: HeaderFields) -> [String] {
        fields.values("vary").flatMap { $0.split(separator: ",") }.map { $0.trimmed.lowercased() }.filter {
            !$0.isEmpty
        }
    }

    // MARK: - Storing

    /// Why a shared cache must not keep a response; `nil` if it may. Only complete bodies, status 200, are kept.
    ///
    /// Source: RFC 9111, §3 "Storing Responses in Caches", §3.5 "Storing Responses to Authenticated Requests", §4.1 for `Vary: *`.
    public static func refusalToStore(status: Int, _ fields: HeaderFields, requestFields: HeaderFields) -> String? {
        let control = CacheControl(fields["cache-control"])
        if status != 200 { return "status \(status)" }
        if control.contains("no-store") { return "no-store" }
        if CacheControl(requestFields["cache-control"]).contains("no-store") { return "no-store of the request" }
        if control.contains("private") { return "private" }
        if varyNames(fields).contains("*") { return "Vary: *" }
        let isAuthorized = requestFields["authorization"] != nil || requestFields["cookie"] != nil
        let isShared = ["public", "s-maxage", "must-revalidate"].contains { control.contains($0) }
        return isAuthorized && !isShared ? "authorised" : nil
    }

    // MARK: - Freshness

    /// How long the response is fresh from the time its origin made it.
    ///
    /// - Parameters:
    ///   - unsaid: if neither the origin nor its `Last-Modified` says anything.
    ///   - maxHeuristic: the most that is guessed from `Last-Modified`: a tenth of the age then.
    /// - Source: RFC 9111, §4.2.1 "Calculating Freshness Lifetime", §4.2.2 "Calculating Heuristic Freshness".
    public func freshnessLifetime(unsaid: Duration = .zero, maxHeuristic: Duration = .seconds(86_400)) -> Duration {
        let lifetime = ownLifetime(unsaid: unsaid, maxHeuristic: maxHeuristic)
        return redirectFreshness.map { min($0, lifetime) } ?? lifetime
    }

    private func ownLifetime(unsaid: Duration, maxHeuristic: Duration) -> Duration {
        let control = cacheControl
        if let seconds = control.seconds("s-maxage") ?? control.seconds("max-age") { return seconds }
        if let expires = fields.values("expires").first {
            // A date that cannot be read, as "0", is in the past.
            guard let time = HTTPDate.time(expires, now: receivedAt) else { return .zero }
            return max(.zero, time - date)
        }
        guard let modified = lastModified else { return unsaid }
        return max(.zero, min((date - modified) / 10, maxHeuristic))
    }

    /// When the origin made the response; when it came, if that is not said.
    var date: Duration {
        fields.values("date").first.flatMap { HTTPDate.time($0, now: receivedAt) } ?? receivedAt
    }

    private var lastModified: Duration? {
        fields.values("last-modified").first.flatMap { HTTPDate.time($0, now: receivedAt) }
    }

    /// How old the response was when it came.
    ///
    /// Source: RFC 9111, §4.2.3 "Calculating Age", §5.1 "Age".
    public var initialAge: Duration {
        let apparent = max(.zero, receivedAt - date)
        let age = fields["age"].flatMap { $0.split(separator: ",").first }.flatMap { deltaSeconds($0.trimmed) }
        return max(apparent, (age ?? .zero) + max(.zero, receivedAt - requestedAt))
    }

    /// How old it is; `nil` if the clock was set back since it came, so that nobody knows.
    public func age(at now: Duration) -> Duration? { now < receivedAt ? nil : initialAge + (now - receivedAt) }

    /// Until when it is fresh, by the wall clock.
    public func freshUntil(unsaid: Duration = .zero, maxHeuristic: Duration = .seconds(86_400)) -> Duration {
        if cacheControl.contains("no-cache") { return .zero }
        let lifetime = freshnessLifetime(unsaid: unsaid, maxHeuristic: maxHeuristic)
        return max(.zero, receivedAt + lifetime - initialAge)
    }

    /// What a kept response is good for at a time.
    public enum Use: Hashable, Sendable {
        /// It stands for its origin.
        case fresh
        /// It may be delivered while the origin is asked whether it still holds.
        case whileRevalidating
        /// The origin has to be asked first.
        case stale
    }

    /// What the response is good for.
    ///
    /// Source: RFC 9111, §4.2 "Freshness", §4.2.4 "Serving Stale Responses"; RFC 5861, §3 "The stale-while-revalidate Cache-Control
    /// Extension".
    public func use(
        at now: Duration, unsaid: Duration = .zero, maxHeuristic: Duration = .seconds(86_400)
    ) -> Use {
        guard let age = age(at: now), !cacheControl.contains("no-cache") else { return .stale }
        let lifetime = freshnessLifetime(unsaid: unsaid, maxHeuristic: maxHeuristic)
        if age < lifetime { return .fresh }
        guard mayBeStale, let window = cacheControl.seconds("stale-while-revalidate") else { return .stale }
        return age - lifetime < window ? .whileRevalidating : .stale
    }

    /// Whether the response may be delivered although its origin failed to say whether it still holds.
    ///
    /// - Parameters:
    ///   - now: the time since 1970.
    ///   - tolerance: how long after its freshness, if the origin does not say so itself.
    ///   - unsaid: how long a response is fresh that says nothing about it.
    ///   - maxHeuristic: the most that is taken from the time of its last change.
    /// - Source: RFC 5861, §4 "The stale-if-error Cache-Control Extension".
    public func standsInForErrors(
        at now: Duration, tolerance: Duration = .zero, unsaid: Duration = .zero,
        maxHeuristic: Duration = .seconds(86_400)
    ) -> Bool {
        guard let age = age(at: now), mayBeStale, !cacheControl.contains("no-cache") else { return false }
        let lifetime = freshnessLifetime(unsaid: unsaid, maxHeuristic: maxHeuristic)
        return age - lifetime < cacheControl.seconds("stale-if-error") ?? tolerance
    }

    /// Source: RFC 9111, §5.2.2.2 "must-revalidate", §5.2.2.8 "proxy-revalidate", §5.2.2.10 "s-maxage".
    private var mayBeStale: Bool {
        !["must-revalidate", "proxy-revalidate", "s-maxage"].contains { cacheControl.contains($0) }
    }

    /// Whether the body never changes while it is fresh, so that asking early is no use (RFC 8246).
    public var isImmutable: Bool { cacheControl.contains("immutable") }

    // MARK: - Validators

    /// Whether a request would have got this response: all fields that `Vary` names have the same values.
    ///
    /// Source: RFC 9111, §4.1 "Calculating Cache Keys with the Vary Header Field".
    public func matches(_ requestFields: HeaderFields) -> Bool {
        Self.varyNames(fields).allSatisfy { name in
            name != "*" && Self.canonical(varied[name] ?? "") == Self.canonical(requestFields[name] ?? "")
        }
    }

    /// The values of a list without white space around its commas.
    private static func canonical(_ value: String) -> [String] { value.split(separator: ",").map(\.trimmed) }

    /// Fields that ask whether the body is still the same; empty if it has no validator.
    ///
    /// Source: RFC 9111, §4.3.1 "Sending a Validation Request".
    public var conditions: HeaderFields {
        var conditions = HeaderFields()
        conditions["if-none-match"] = fields["etag"]
        if let modified = fields.values("last-modified").first { conditions["if-modified-since"] = modified }
        return conditions
    }

    /// A value for `If-Range`: an entity tag that is not weak, or a time of change long enough before the response. `nil` if no
    /// validator is strong.
    ///
    /// Source: RFC 9110, §8.8.2.2 "Comparison" (the sixty seconds of RFC 7232 are kept), §13.1.5 "If-Range".
    public var strongValidator: String? {
        if let tag = fields["etag"] { return Self.isStrong(tag) ? tag : nil }
        guard let modified = lastModified, fields["date"] != nil, date - modified >= .seconds(60) else { return nil }
        return fields.values("last-modified").first
    }

    private static func isStrong(_ tag: String) -> Bool {
        tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count >= 2
    }

    /// Whether a part belongs to the same body: the same strong validator.
    ///
    /// Source: RFC 9110, §15.3.7.3 "Combining Parts"; RFC 9111, §3.4 "Combining Partial Content".
    public func isSameBody(asPart part: HeaderFields) -> Bool {
        guard let validator = strongValidator else { return false }
        if let tag = part["etag"] { return tag == validator }
        // Without a tag, a part that has the time of change that was asked for.
        return fields["etag"] == nil && part.values("last-modified").first == validator
    }

    /// The response with the fields that a 304 brought; `nil` if that speaks of another body.
    ///
    /// Source: RFC 9111, §3.2 "Updating Stored Header Fields", §4.3.4 "Freshening Stored Responses upon Validation".
    public func renewed(
        by fields: HeaderFields, requestFields: HeaderFields, requestedAt: Duration, receivedAt: Duration,
        redirectFreshness: Duration? = nil
    ) -> StoredResponse? {
        if let tag = fields["etag"], let own = self.fields["etag"], Self.opaque(tag) != Self.opaque(own) { return nil }
        var renewed = self
        (renewed.requestedAt, renewed.receivedAt) = (requestedAt, receivedAt)
        renewed.redirectFreshness = redirectFreshness
        // An age is that of the response that carried it.
        renewed.fields["age"] = nil
        for name in Self.keptFields.subtracting(["content-type"]) where fields[name] != nil {
            renewed.fields[name] = nil
            for value in fields.values(name) { renewed.fields.add(name, value) }
        }
        if fields["date"] == nil { renewed.fields["date"] = nil }
        renewed.varied = [:]
        for name in Self.varyNames(renewed.fields) { renewed.varied[name] = requestFields[name] ?? "" }
        return renewed
    }

    /// A tag without the sign of a weak one: conditions of requests compare these (RFC 9110, §8.8.3.2 "Comparison").
    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
