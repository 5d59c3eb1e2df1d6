// The routes: what is asked of a request before its body is read, and what becomes of the work when its client goes away.

import Hummingbird
import HummingbirdCore
import ImageCaching
import ImageCodecs
import ImagePipeline
import Logging

/// The server's parts that requests share.
package struct ThumbnailServer: Sendable {
    let limits: ServerLimits
    package let service: ThumbnailService
    package let previewBudget: DecodingBudget
    package let uploads: UploadMemory
    /// Answers addresses of pictures; `nil` if it is off.
    let proxy: ProxyRoute?
    private let metrics = ServerMetrics()

    /// Creates a server that does nothing yet.
    ///
    /// - Parameters:
    ///   - limits: of uploads and connections.
    ///   - proxy: answers `GET /signature/options/source`; `nil` for uploads alone.
    package init(limits: ServerLimits = ServerLimits(), proxy: ImageProxy? = nil) {
        self.limits = limits
        self.proxy = proxy.map { [metrics] in ProxyRoute(proxy: $0, metrics: metrics) }
        service = ThumbnailService(limits: limits)
        previewBudget = DecodingBudget(byteCount: limits.previewBudgetByteCount)
        uploads = UploadMemory(limits: limits)
    }

    /// The server at an address.
    package func application(
        address: BindAddress, logger: Logger = Logger(label: "server")
    ) -> some ApplicationProtocol {
        let router = Router(context: ConnectionContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: KnownMethods([
                "health": "GET, HEAD", "metrics": "GET, HEAD", "thumbnail": "POST", "preview": "POST",
            ]))
        router.get("health") { _, _ in self.health }
        router.get("metrics") { _, _ in self.metricsText }
        if let proxy {
            router.get("**") { request, context in try await proxy.answer(request, context.logger) }
        }
        router.post("thumbnail") { request, context in try await self.thumbnail(request, context) }
        router.post("preview") { request, context in try self.preview(request, context) }
        return Application(
            router: router,
            server: .http1(
                configuration: .init(additionalChannelHandlers: [ConnectionGuard(limits: limits)])),
            configuration: ApplicationConfiguration(
                address: address,
                availableConnectionsDelegate: MaximumAvailableConnections(limits.maxConnectionCount)),
            logger: logger)
    }

    // MARK: - Routes

    /// How busy the server is.
    struct Health: ResponseEncodable {
        let status = "ok"
        /// Bytes of the budget in use, and requests that wait for theirs.
        let bytesInUse, waitingCount: Int
        /// Bytes of uploads that are held, and uploads that wait for theirs.
        let uploadByteCount, waitingUploadCount: Int
        /// Sources of the proxy that are under way, and those that wait.
        let workCount, waitingWorkCount: Int
    }

    private var health: Health {
        Health(
            bytesInUse: service.budget.bytesInUse, waitingCount: service.budget.waitingCount,
            uploadByteCount: uploads.usedByteCount, waitingUploadCount: uploads.waitingCount,
            workCount: proxy?.proxy.workCount ?? 0, waitingWorkCount: proxy?.proxy.waitingCount ?? 0)
    }

    /// Everything that is counted, for Prometheus.
    private var metricsText: Response {
        let results = proxy?.proxy.statistics ?? MemoryCacheStatistics()
        let text = metrics.text([
            ("work", "Sources under way.", proxy?.proxy.workCount ?? 0),
            ("waiting", "Sources that wait to be under way.", proxy?.proxy.waitingCount ?? 0),
            ("pixel_bytes", "Bytes of the budget of pixels in use.", proxy?.proxy.processing.budget.bytesInUse ?? 0),
            ("results", "Results in memory.", results.entryCount),
            ("result_bytes", "Bytes of results in memory.", results.byteCount),
            ("upload_bytes", "Bytes of uploads that are held.", uploads.usedByteCount),
            ("upload_pixel_bytes", "Bytes of the budget of uploads in use.", service.budget.bytesInUse),
        ])
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Answers an upload with its thumbnail.
    private func thumbnail(_ request: Request, _ context: ConnectionContext) async throws -> Response {
        let side = try side(request)
        guard let formats = ThumbnailFormats(AcceptedFormats(request.headers[.accept])) else {
            throw HTTPError(.notAcceptable, message: "thumbnails are image/jpeg, image/webp or image/png")
        }
        try checkLength(request)
        guard !service.isBusy, uploads.waitingCount < limits.maxWaitingCount else { throw HTTPError.busy }
        do {
            var response = try await uploads.withUpload(request, channel: context.channel) { upload in
                // snippet: disconnecting
                var request = request
                request.body = RequestBody(buffer: upload)  // all of it: what is left to read is the connection's end
                // The task inside is cancelled when the connection closes, whatever it waits for or does then.
                return try await request.body.consumeWithCancellationOnInboundClose { _ in
                    let data = ImageData(borrowing: upload) { upload, body in body(upload.readableBytesUInt8Span) }
                    return Response(try await service.thumbnail(of: data, side: side, as: formats))
                }
                // end of snippet
            }
            response.headers[.connection] = "close"  // which follows from looking for its end
            return response
        } catch let error as ImageError {
            throw error.answer
        }
    }

    /// Answers an upload with ever better pictures of it while it comes: JPEG files, one after the other.
    ///
    /// The status is sent before the upload is read, so an error can only break the answer off. Reading the body fails when the
    /// connection closes, and that ends the work.
    private func preview(_ request: Request, _ context: ConnectionContext) throws -> Response {
        let options = limits.decodingOptions(side: try side(request))
        try checkLength(request)
        let pieces = try UploadPieces(request, channel: context.channel, limits: limits)
        let pictures = pieces.partialImages(options: options, budget: previewBudget)
        let body = ResponseBody { [service] writer in
            for try await picture in pictures {
                // Not within the budget of which the decode holds a share: all could hold some, and wait for more.
                let bytes = try await picture.encoded(as: .jpeg, budget: service.budget)
                try await writer.write(ByteBuffer(string: "--picture\r\nContent-Type: image/jpeg\r\n\r\n"))
                try await writer.write(ByteBuffer(bytes: bytes))
                try await writer.write(ByteBuffer(string: "\r\n"))
            }
            try await writer.write(ByteBuffer(string: "--picture--\r\n"))
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "multipart/x-mixed-replace; boundary=picture"], body: body)
    }

    // MARK: - What is asked of a request before its body is read

    /// The size that the query asks for, `?size=400`.
    private func side(_ request: Request) throws -> Int {
        guard let text = request.uri.queryParameters["size"] else { return min(400, limits.maxSide) }
        guard let side = Int(text), (1...limits.maxSide).contains(side) else {
            throw HTTPError(.badRequest, message: "size is a number from 1 to \(limits.maxSide)")
        }
        return side
    }

    /// Refuses an upload whose header says that it is too long. One that does not say is stopped when it is.
    private func checkLength(_ request: Request) throws {
        let length = request.headers[.contentLength].flatMap(Int.init) ?? 0
        guard length <= limits.maxUploadByteCount else {
            throw HTTPError(.contentTooLarge, message: "an upload has at most \(limits.maxUploadByteCount) bytes")
        }
    }
}

extension Response {
    /// An image file. Caches keep one for each `Accept`, and a picture of a stranger is never taken for anything else.
    init(_ thumbnail: ThumbnailService.Thumbnail) {
        self.init(
            status: .ok,
            headers: [
                .contentType: thumbnail.format.mimeType, .vary: "Accept", .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: thumbnail.bytes)))
    }
}
