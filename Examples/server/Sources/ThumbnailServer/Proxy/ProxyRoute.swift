// The proxy behind HTTP: tags, ages, names of files, pictures that stand in.

import Hummingbird
import ImageCodecs
import ImageProxyURL
import Logging

/// Answers `GET` with pictures.
struct ProxyRoute: Sendable {
    let proxy: ImageProxy
    let metrics: ServerMetrics

    func answer(_ request: Request, _ logger: Logger) async throws -> Response {
        let start = ContinuousClock.now
        var origin: AnswerOrigin?
        var source = ""
        do {
            let address = try proxy.address(request.uri.path)
            source = address.source
            let formats = ProxyFormats(request.headers[.accept])
            do {
                let (answer, from) = try await proxy.answer(
                    address, formats, known: Self.tags(request.headers[.ifNoneMatch]))
                origin = from
                let response = response(answer, address)
                report(logger, request, source, response.status, origin, start)
                return response
            } catch {
                let failure = ProxyFailure(error)
                guard failure.isOfSource, let output = try await proxy.fallback(address, formats) else { throw failure }
                report(logger, request, source, failure.status, nil, start)
                return standIn(output)
            }
        } catch {
            let failure = ProxyFailure(error)
            report(logger, request, source, failure.status, origin, start, "\(error)")
            throw failure.error
        }
    }

    private func report(
        _ logger: Logger, _ request: Request, _ source: String, _ status: HTTPResponse.Status, _ origin: AnswerOrigin?,
        _ start: ContinuousClock.Instant, _ error: String? = nil
    ) {
        let time = ContinuousClock.now - start
        metrics.count(status: status.code, origin: origin, time: time)
        let level = status.code >= 500 ? Logger.Level.warning : .info
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "status": "\(status.code)", "source": "\(Self.withoutQuery(source))",
            "ms": "\(time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000)",
        ]
        if let origin { metadata["from"] = "\(origin.rawValue)" }
        if let error { metadata["error"] = "\(error)" }
        logger.log(level: level, "picture", metadata: metadata)
    }

    /// Queries may have keys of their own in them, and addresses passwords.
    private static func withoutQuery(_ source: String) -> String {
        let plain = source.prefix { $0 != "?" && $0 != "#" }
        guard let at = plain.lastIndex(of: "@") else { return String(plain.prefix(200)) }
        return String(plain[at...].prefix(200))
    }

    // MARK: - Answers

    private func response(_ answer: ProxyAnswer, _ address: ProxyURL) -> Response {
        switch answer {
        case .unchanged(let tag, let freshUntil):
            return Response(status: .notModified, headers: headers(tag, freshUntil, address))
        case .picture(let picture):
            var headers = headers(picture.tag, picture.freshUntil, address)
            headers[.contentType] = picture.format.mimeType
            headers[.xContentTypeOptions] = "nosniff"
            headers[.contentDisposition] = Self.disposition(address.options, picture.format)
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: picture.bytes))
        }
    }

    private func headers(_ tag: String, _ freshUntil: Duration, _ address: ProxyURL) -> HTTPFields {
        let age = max(0, (freshUntil - proxy.configuration.clock.now()).components.seconds)
        var headers: HTTPFields = [.eTag: tag, .cacheControl: age > 0 ? "public, max-age=\(age)" : "no-cache"]
        if address.options.format == nil { headers[.vary] = "Accept" }
        return headers
    }

    /// With a short age: the source may come back.
    private func standIn(_ output: PictureProcessing.Output) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: output.format.mimeType, .xContentTypeOptions: "nosniff", .vary: "Accept",
                .cacheControl: "public, max-age=30",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: output.bytes)))
    }

    /// The name under which the picture is saved, if the address has one.
    ///
    /// Source: RFC 6266 §4.3 "Disposition Parameter: 'Filename'", RFC 8187 §3.2 "Parameter Value Character Encoding and Language".
    private static func disposition(_ options: ProcessingOptions, _ format: ImageFormat) -> String? {
        let kind = options.isAttachment ? "attachment" : "inline"
        guard !options.fileName.isEmpty else { return options.isAttachment ? kind : nil }
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in "\(options.fileName).\(format.fileExtensions.first ?? "")".utf8 {
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            if isPlain || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return "\(kind); filename*=UTF-8''\(String(decoding: encoded, as: UTF8.self))"
    }

    /// The tags of `If-None-Match`, weak ones like strong ones.
    ///
    /// Source: RFC 9110 §13.1.2 "If-None-Match".
    private static func tags(_ header: String?) -> [String] {
        guard let header, header.utf8.count <= 1_000 else { return [] }
        return header.split(separator: ",").map { part in
            let tag = part.drop { $0 == " " }.prefix { $0 != " " }
            return String(tag.hasPrefix("W/") ? tag.dropFirst(2) : tag)
        }
    }
}
