// One load: requests until there is a final response, and what that means.

import ImageCaching
import ImageCodecsCore
import ImageLoading
import ImagePipeline

/// The requests of one load.
struct HTTPExchange: Sendable {
    let source: HTTPSource
    /// As it was asked for.
    let address: String
    let url: WebAddress
    /// What a part of the body is kept under.
    let partKey: CacheKey
    /// When the time for everything is over.
    let end: Duration

    var configuration: HTTPSource.Configuration { source.configuration }

    init(source: HTTPSource, address: String, url: WebAddress, partKey: CacheKey) {
        (self.source, self.address, self.url, self.partKey) = (source, address, url, partKey)
        end = source.configuration.clock.now() + source.configuration.totalTimeout
    }

    /// A response that is no redirect, and what led to it.
    struct Answer: Sendable {
        let response: FetchResponse
        let url: WebAddress
        /// The fields that were sent.
        let requestFields: HeaderFields
        let requestedAt: Duration
        let receivedAt: Duration
        /// The shortest freshness of redirects.
        let redirectFreshness: Duration?
        let isStorable: Bool
        let place: TransferPlace
    }

    /// Fields that are sent to one address alone: conditions, ranges.
    struct Condition: Sendable {
        let url: String
        let fields: HeaderFields
    }

    // MARK: - The response

    func response(replacing stored: StoredResponse?) async throws -> SourceResponse {
        if let stored, !stored.conditions.lines.isEmpty {
            let answer = try await answer(Condition(url: stored.url, fields: stored.conditions))
            if answer.response.status != 304 { return try await body(answer) }
            if let renewed = renewed(stored, answer) { return renewed }
            // It speaks of another body, which has to be read whole.
            answer.place.giveBack()
        } else if let part = await part(), part.response.matches(source.fields), let range = part.condition {
            let answer = try await answer(range)
            switch answer.response.status {
            case 206:
                if let response = try joined(part, answer) { return response }
            case 416: break
            default: return try await body(answer)
            }
            answer.place.giveBack()
        }
        return try await body(try await answer(nil))
    }

    private func renewed(_ stored: StoredResponse, _ answer: Answer) -> SourceResponse? {
        guard answer.url.text == stored.url,
            let renewed = stored.renewed(
                by: answer.response.fields, requestFields: source.fields, requestedAt: answer.requestedAt,
                receivedAt: answer.receivedAt, redirectFreshness: answer.redirectFreshness)
        else { return nil }
        answer.place.giveBack()
        var response = sourceResponse(renewed, byteCount: nil, isStorable: isStorable(renewed, answer)) { nil }
        response.isUnchanged = true
        return response
    }

    private func isStorable(_ response: StoredResponse, _ answer: Answer) -> Bool {
        answer.isStorable
            && StoredResponse.refusalToStore(status: 200, response.fields, requestFields: answer.requestFields) == nil
    }

    private func sourceResponse(
        _ stored: StoredResponse, byteCount: Int?, isStorable: Bool,
        _ next: @escaping @Sendable () async throws -> ImageData?
    ) -> SourceResponse {
        let end = stored.freshUntil(
            unsaid: configuration.unsaidFreshness, maxHeuristic: configuration.maxHeuristicFreshness)
        return SourceResponse(
            byteCount: byteCount, attributes: stored.attributes,
            freshFor: max(.zero, end - configuration.wallClock.now()), isStorable: isStorable, next: next)
    }

    private func body(_ answer: Answer) async throws -> SourceResponse {
        let response = answer.response
        guard configuration.acceptedStatuses.contains(response.status) else {
            answer.place.giveBack()
            throw statusError(answer)
        }
        try checkType(response.fields)
        let length = try length(response.fields)
        if let length, length > configuration.maxByteCount { throw error(.tooLarge(limit: configuration.maxByteCount)) }
        let decoder: ContentDecoder?
        do throws(ContentError) {
            decoder = try ContentDecoder.make(
                response.fields["content-encoding"], maxByteCount: configuration.maxByteCount)
        } catch {
            throw contentError(error)
        }
        let stored = stored(answer)
        let isStorable =
            answer.isStorable
            && StoredResponse.refusalToStore(
                status: response.status, response.fields, requestFields: answer.requestFields) == nil
        let transfer = HTTPTransfer(
            exchange: self, answer: answer, stored: stored, length: length, decoder: decoder, isStorable: isStorable)
        return sourceResponse(stored, byteCount: decoder == nil ? length : nil, isStorable: isStorable) {
            try await transfer.next()
        }
    }

    private func stored(_ answer: Answer) -> StoredResponse {
        StoredResponse(
            answer.response.fields, requestFields: source.fields, url: answer.url.text, requestedAt: answer.requestedAt,
            receivedAt: answer.receivedAt, redirectFreshness: answer.redirectFreshness)
    }

    private func checkType(_ fields: HeaderFields) throws(LoadError) {
        guard let accepted = configuration.acceptedTypes, let value = fields.values("content-type").first else {
            return
        }
        let type = value.prefix { $0 != ";" }.trimmed.lowercased()
        let isAccepted = accepted.contains { pattern in
            pattern.hasSuffix("/*") ? type.hasPrefix(pattern.dropLast()) : type == pattern.lowercased()
        }
        if !isAccepted { throw error(.refused("type \(type) is no picture")) }
    }

    /// The length that the head says; different ones in one head are an error (RFC 9110, §8.6 "Content-Length").
    private func length(_ fields: HeaderFields) throws(LoadError) -> Int? {
        let lines = fields.values("content-length")
        let values = Set(lines.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map(\.trimmed))
        guard let value = values.first else { return nil }
        guard values.count == 1, !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw error(.unavailable("bad Content-Length"))
        }
        return Int(value) ?? .max
    }

    // MARK: - Parts

    /// A part of the body that was kept.
    struct Part: Sendable {
        let response: StoredResponse
        let bytes: ImageData
        /// Bytes of the whole body.
        let length: Int

        var condition: Condition? {
            guard let validator = response.strongValidator else { return nil }
            return Condition(
                url: response.url, fields: ["range": "bytes=\(bytes.count)-", "if-range": validator])
        }
    }

    private func part() async -> Part? {
        guard let disk = configuration.partials else { return nil }
        let entry = try? await DecodingExecutor.shared.run { () throws(ImageError) in disk.entry(for: partKey) }
        guard let entry, let response = StoredResponse(attributes: entry.attributes),
            let length = entry.attributes["http-length"].flatMap({ Int($0) }), entry.bytes.count < length
        else { return nil }
        return Part(response: response, bytes: entry.bytes, length: length)
    }

    func removePart() async {
        guard let disk = configuration.partials, disk.contains(partKey) else { return }
        _ = try? await DecodingExecutor.shared.run { () throws(ImageError) in disk.remove(partKey) }
    }

    /// Keeps what came of a body, after the transfer ended early.
    func keepPart(_ pieces: [ImageData], _ stored: StoredResponse, length: Int) async {
        guard let disk = configuration.partials else { return }
        _ = try? await DecodingExecutor.shared.run { () throws(ImageError) in
            var bytes: [UInt8] = []
            for piece in pieces { piece.withBytes { span in for index in span.indices { bytes.append(span[index]) } } }
            var attributes = stored.attributes
            attributes["http-length"] = "\(length)"
            try disk.insert(DiskEntry(bytes: ImageData(bytes), attributes: attributes), for: partKey)
        }
    }

    /// The part and the rest of it; `nil` if the rest is of another body, or not what was asked for.
    private func joined(_ part: Part, _ answer: Answer) throws -> SourceResponse? {
        guard isRest(answer, of: part.response, from: part.bytes.count, length: part.length) else { return nil }
        guard part.length <= configuration.maxByteCount else {
            throw error(.tooLarge(limit: configuration.maxByteCount))
        }
        guard
            let stored = part.response.renewed(
                by: answer.response.fields, requestFields: source.fields, requestedAt: answer.requestedAt,
                receivedAt: answer.receivedAt, redirectFreshness: answer.redirectFreshness)
        else { return nil }
        let isStorable = isStorable(stored, answer)
        let transfer = HTTPTransfer(
            exchange: self, answer: answer, stored: stored, length: part.length, decoder: nil, isStorable: isStorable,
            start: part.bytes)
        return sourceResponse(stored, byteCount: part.length, isStorable: isStorable) { try await transfer.next() }
    }

    /// Whether a response is the rest of a body from a byte on.
    ///
    /// Source: RFC 9110, §14.4 "Content-Range", §15.3.7 "206 Partial Content".
    func isRest(_ answer: Answer, of stored: StoredResponse, from start: Int, length: Int) -> Bool {
        let fields = answer.response.fields
        guard answer.response.status == 206, answer.url.text == stored.url, stored.isSameBody(asPart: fields),
            let range = fields.values("content-range").first, range.lowercased().hasPrefix("bytes "),
            fields["content-encoding"] == nil
        else { return false }
        return range.dropFirst(6).trimmed == "\(start)-\(length - 1)/\(length)"
    }

    /// The rest of a body whose transfer broke; `nil` if the server has no such thing.
    func rest(of stored: StoredResponse, from start: Int, length: Int) async throws -> Answer? {
        guard let validator = stored.strongValidator, let url = try? WebAddress(stored.url) else { return nil }
        let range = Condition(url: stored.url, fields: ["range": "bytes=\(start)-", "if-range": validator])
        let answer = try await answer(range, from: url)
        guard isRest(answer, of: stored, from: start, length: length) else {
            answer.place.giveBack()
            return nil
        }
        return answer
    }
}
