// Requests one after the other, until a response is no redirect. Each is checked.

import ImageCaching
import ImageCodecsCore
import ImageLoading

extension HTTPExchange {
    /// Sends requests until there is a response that is no redirect.
    ///
    /// - Parameters:
    ///   - condition: fields for one address.
    ///   - first: where to begin; where the load begins if nothing is said.
    func answer(_ condition: Condition?, from first: WebAddress? = nil) async throws -> Answer {
        var (next, seen) = (first ?? url, Set<String>())
        var (redirectFreshness, isStorable): (Duration?, Bool) = (nil, true)
        while true {
            guard seen.insert(next.text).inserted else { throw error(.refused("redirects go round")) }
            guard seen.count <= configuration.maxRedirectCount + 1 else {
                throw error(.refused("more than \(configuration.maxRedirectCount) redirects"))
            }
            let (request, baseFields) = try await request(next, condition)
            let (place, response, requestedAt) = try await send(request)
            let receivedAt = configuration.wallClock.now()
            guard [301, 302, 303, 307, 308].contains(response.status),
                let location = response.fields.values("location").first
            else {
                return Answer(
                    response: response, url: next, requestFields: request.fields, requestedAt: requestedAt,
                    receivedAt: receivedAt, redirectFreshness: redirectFreshness, isStorable: isStorable, place: place)
            }
            place.giveBack()
            let redirect = StoredResponse(
                response.fields, requestFields: baseFields, url: next.text, requestedAt: requestedAt,
                receivedAt: receivedAt)
            if let freshness = freshness(of: redirect, status: response.status) {
                redirectFreshness = min(redirectFreshness ?? freshness, freshness)
            }
            if ["no-store", "private"].contains(where: { redirect.cacheControl.contains($0) }) { isStorable = false }
            do throws(WebAddressError) {
                next = try next.resolving(location)
            } catch {
                throw self.error(.refused("redirect to a bad address: \(error.rawValue)"))
            }
        }
    }

    /// How long a redirect holds; `nil` if it does not limit what it leads to, as it is permanent and says nothing.
    ///
    /// Source: RFC 9110, §15.4 "Redirection 3xx": 301 and 308 are heuristically cacheable, 302, 303 and 307 are not.
    private func freshness(of redirect: StoredResponse, status: Int) -> Duration? {
        let control = redirect.cacheControl
        if control.contains("no-cache") { return .zero }
        let isSaid =
            control.contains("s-maxage") || control.contains("max-age") || redirect.fields["expires"] != nil
        if isSaid { return max(.zero, redirect.freshnessLifetime() - redirect.initialAge) }
        return [301, 308].contains(status) ? nil : configuration.unsaidFreshness
    }

    // MARK: - One request

    /// The request for one address: credentials for the first origin alone, conditions for their address alone.
    private func request(
        _ target: WebAddress, _ condition: Condition?
    ) async throws -> (FetchRequest, baseFields: HeaderFields) {
        var fields = source.fields
        if let user = url.userInfo, fields["authorization"] == nil {
            fields["authorization"] = "Basic " + Base64.text(user.decodedPercents)
        }
        if target.origin != url.origin {
            for name in ["authorization", "cookie", "proxy-authorization"] { fields[name] = nil }
        }
        let baseFields = fields
        if let condition, condition.url == target.text {
            for line in condition.fields.lines { fields[line.name] = line.value }
        }
        var request = FetchRequest(target, fields: fields)
        try await configuration.modify?(&request)
        return (request, baseFields)
    }

    /// Checks an address, waits for a place, and sends the request.
    private func send(_ request: FetchRequest) async throws -> (TransferPlace, FetchResponse, requestedAt: Duration) {
        let target = request.url
        if let rule = configuration.addresses.refusal(of: target) { throw error(.refused(rule)) }
        let total = error(.timedOut, detail: "whole transfer")
        let place = try await withDeadline(end - configuration.clock.now(), configuration.clock, total) {
            try await source.gate.enter(target.origin)
        }
        let left = end - configuration.clock.now()
        let limit = min(configuration.responseTimeout, left)
        let late = limit == left ? total : error(.timedOut, detail: "first byte")
        do {
            return try await withDeadline(limit, configuration.clock, late) {
                try await checkAddresses(target)
                let requestedAt = configuration.wallClock.now()
                let response = try await source.transport.send(request)
                if let remote = response.remoteAddress, !configuration.addresses.allows(remote) {
                    throw TransportError.addressRefused(remote)
                }
                return (place, response, requestedAt)
            }
        } catch {
            place.giveBack()
            throw transferError(error)
        }
    }

    /// Resolves a name and checks all its addresses.
    private func checkAddresses(_ target: WebAddress) async throws {
        guard target.literalAddress == nil, configuration.addresses.checksAddresses else { return }
        let addresses = try await configuration.resolve(target.host)
        guard !addresses.isEmpty else { throw TransportError.noConnection("\(target.host) has no address") }
        for address in addresses where !configuration.addresses.allows(address) {
            throw TransportError.addressRefused(address)
        }
    }

    // MARK: - Errors

    /// An error of this load.
    func error(
        _ reason: LoadError.Reason, isRetryable: Bool? = nil, retryAfter: Duration? = nil, detail: String? = nil
    ) -> LoadError {
        LoadError(
            stage: .transfer, address: address, reason: reason, isRetryable: isRetryable, retryAfter: retryAfter,
            detail: detail)
    }

    /// What an error of a transport, or another one, means.
    func transferError(_ error: any Error) -> any Error {
        if error is LoadError || error is CancellationError || Task.isCancelled { return error }
        switch error {
        case TransportError.noConnection(let what): return self.error(.unreachable, detail: "connect: \(what)")
        case TransportError.connectTimedOut: return self.error(.timedOut, detail: "connect")
        case TransportError.addressRefused(let address):
            return self.error(.refused("address \(address) is not allowed"))
        case TransportError.broken(let what): return self.error(.unavailable("connection broke"), detail: what)
        default: return self.error(.unavailable("connection broke"), detail: "\(error)")
        }
    }

    func contentError(_ error: ContentError) -> LoadError {
        switch error {
        case .unknownCoding(let name): self.error(.refused("content coding \(name)"))
        case .damaged: self.error(.unavailable("damaged content coding"))
        case .tooLarge: self.error(.tooLarge(limit: configuration.maxByteCount), detail: "unpacked")
        }
    }

    /// What a status means that brings no picture.
    func statusError(_ answer: Answer) -> LoadError {
        let (status, fields) = (answer.response.status, answer.response.fields)
        let detail = "status \(status)"
        let wait = retryAfter(fields).map { min($0, .seconds(86_400)) }
        switch status {
        case 404, 410:
            let response = StoredResponse(
                fields, requestFields: [:], url: "", requestedAt: answer.requestedAt, receivedAt: answer.receivedAt)
            let isSaid =
                ["s-maxage", "max-age", "no-store", "no-cache"].contains { response.cacheControl.contains($0) }
                || fields["expires"] != nil
            let lifetime = max(.zero, response.freshUntil() - answer.receivedAt)
            let isKept = !response.cacheControl.contains("no-store")
            let said = isSaid ? (isKept ? min(lifetime, .seconds(86_400)) : .zero) : nil
            return error(.notFound, retryAfter: wait ?? said, detail: detail)
        case 501, 505: return error(.unavailable(detail), isRetryable: false, retryAfter: wait)
        case 408, 425, 429, 500...: return error(.unavailable(detail), retryAfter: wait)
        case 200..<400: return error(.unavailable("\(detail), which was not asked for"), isRetryable: false)
        default: return error(.rejected(status: status), retryAfter: wait)
        }
    }

    /// Source: RFC 9110, §10.2.3 "Retry-After".
    private func retryAfter(_ fields: HeaderFields) -> Duration? {
        guard let text = fields.values("retry-after").first else { return nil }
        if let seconds = deltaSeconds(text) { return seconds }
        let now = configuration.wallClock.now()
        return HTTPDate.time(text, now: now).map { max(.zero, $0 - now) }
    }
}

/// Base 64 for user and password.
///
/// Source: RFC 4648, §4 "Base 64 Encoding"; RFC 7617 "The 'Basic' HTTP Authentication Scheme".
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let three = (0..<3).map { start + $0 < bytes.count ? UInt32(bytes[start + $0]) : 0 }
            let bits = three[0] << 16 | three[1] << 8 | three[2]
            for index in 0..<4 {
                let isThere = start + index <= bytes.count
                text.append(isThere ? digits[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    /// Bytes, with `%20` and the like replaced by the bytes they stand for.
    var decodedPercents: [UInt8] {
        var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], self[...].utf8)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(\.hexadecimalValue)
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
