import Hummingbird
import HummingbirdTesting
import ImageCodecs
import ImageColor
import Testing
import ThumbnailServer

/// Every answer of `POST /thumbnail`, asked over a connection.
@Suite struct ThumbnailRouteTests {
    private func post(
        _ upload: ByteBuffer, to uri: String = "/thumbnail", accept: String? = nil, _ server: ThumbnailServer = .with()
    ) async throws -> TestResponse {
        var headers = HTTPFields()
        headers[.accept] = accept
        let response = try await server.local.test(.live) { [headers] client in
            try await client.execute(uri: uri, method: .post, headers: headers, body: upload)
        }
        #expect(server.service.budget.bytesInUse == 0)
        #expect(server.uploads.usedByteCount == 0)
        return response
    }

    @Test(arguments: [
        ("image/jpeg", [0xFF, 0xD8, 0xFF]),
        ("image/png", [0x89, 0x50, 0x4E, 0x47]),
        ("image/webp", Array("RIFF".utf8)),
    ])
    func theAnswerHasTheFormatThatTheClientAccepts(type: String, signature: [UInt8]) async throws {
        for upload in [Upload.landscape, Upload.badge] {
            let response = try await post(upload, to: "/thumbnail?size=48", accept: type)
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == type)
            #expect(response.headers[.vary] == "Accept")
            #expect(Array(response.body.readableBytesView).starts(with: signature))
            #expect(try ImageInfo(Array(response.body.readableBytesView)).format.mimeType == type)
        }
    }

    @Test func opaquePicturesAreJPEGAndOthersWebP() async throws {
        #expect(try await post(Upload.landscape).headers[.contentType] == "image/jpeg")
        #expect(try await post(Upload.badge).headers[.contentType] == "image/webp")
    }

    @Test(arguments: [
        ("/thumbnail?size=48", PixelSize(width: 48, height: 32)),
        ("/thumbnail?size=1", PixelSize(width: 1, height: 1)),
        ("/thumbnail", PixelSize(width: 240, height: 160)),
        ("/thumbnail?size=1024", PixelSize(width: 240, height: 160)),
    ])
    func theQuerySetsTheSize(uri: String, size: PixelSize) async throws {
        let response = try await post(Upload.landscape, to: uri)
        #expect(try ImageInfo(Array(response.body.readableBytesView)).size == size)
    }

    @Test func pixelsAreThoseOfTheUpload() async throws {
        let response = try await post(Upload.landscape, accept: "image/png")
        let thumbnail = try RasterImage(Array(response.body.readableBytesView))
        #expect(thumbnail.bitmap == (try RasterImage(Array(Upload.landscape.readableBytesView))).bitmap)
    }

    /// These colours of Display P3 as Little CMS 2.16 has them in sRGB, relative colorimetric.
    @Test func coloursAreThoseOfSRGB() async throws {
        let pixels: [UInt8] = [255, 128, 64, 90, 20, 200]
        let size = PixelSize(width: 2, height: 1)
        var image = RasterImage(bitmap: try Bitmap(copying: pixels, size: size, format: .rgb))
        image.metadata.iccProfile = StandardColorSpace.displayP3.iccProfile
        let response = try await post(ByteBuffer(bytes: image.encoded(as: .png)), accept: "image/png")
        var options = DecodingOptions()
        options.pixelFormat = .rgb
        let thumbnail = try RasterImage(Array(response.body.readableBytesView), options: options)
        let shown = [255, 119, 38, 99, 10, 208]
        #expect(zip(thumbnail.bitmap.packedBytes(), shown).allSatisfy { abs(Int($0) - $1) <= 1 })
        #expect(thumbnail.metadata.iccProfile == nil)
    }

    @Test(arguments: ["0", "-1", "1025", "large", "", "99999999999999999999"])
    func otherSizesAreBadRequests(size: String) async throws {
        #expect(try await post(Upload.landscape, to: "/thumbnail?size=\(size)").status == .badRequest)
    }

    @Test func whatIsNoPictureIsUnsupported() async throws {
        #expect(try await post(ByteBuffer(string: "hello")).status == .unsupportedMediaType)
        #expect(try await post(ByteBuffer()).status == .unsupportedMediaType)
        // A format with a name, but no decoder.
        #expect(
            try await post(ByteBuffer(string: "BM" + String(repeating: "\0", count: 60))).status
                == .unsupportedMediaType)
    }

    @Test func aBrokenPictureIsUnprocessable() async throws {
        let response = try await post(Upload.truncated)
        #expect(response.status == .unprocessableContent)
        #expect(String(buffer: response.body).contains("ends"))
    }

    @Test func aPictureOverTheLimitsIsTooLarge() async throws {
        #expect(try await post(Upload.tooWide).status == .contentTooLarge)
    }

    @Test func aBodyOverTheLimitIsTooLarge() async throws {
        let server = ThumbnailServer.with { $0.maxUploadByteCount = Upload.landscape.readableBytes - 1 }
        #expect(try await post(Upload.landscape, server).status == .contentTooLarge)
        let roomier = ThumbnailServer.with { $0.maxUploadByteCount = Upload.landscape.readableBytes }
        #expect(try await post(Upload.landscape, roomier).status == .ok)
    }

    /// A body that does not say how long it is.
    @Test func piecesOverTheLimitEndTheUpload() async throws {
        for (limit, status) in [(30, nil), (29, HTTPResponse.Status.contentTooLarge)] {
            let pieces = AsyncStream { continuation in
                for _ in 0..<3 { continuation.yield(ByteBuffer(repeating: 0, count: 10)) }
                continuation.finish()
            }
            let uploads = ThumbnailServer.with { $0.maxUploadByteCount = limit }.uploads
            do {
                let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/thumbnail")
                let request = Request(head: head, body: RequestBody(asyncSequence: pieces))
                let byteCount = try await uploads.withUpload(request) { $0.readableBytes }
                #expect(byteCount == 30 && status == nil)
            } catch {
                #expect((error as? HTTPError)?.status == status)
            }
            #expect(uploads.usedByteCount == 0)
        }
    }

    @Test func nothingAcceptableIsSaidBeforeTheWork() async throws {
        #expect(try await post(Upload.truncated, accept: "image/avif").status == .notAcceptable)
    }

    /// There is room for one of them. Each has a connection of its own, as an answer ends its connection.
    @Test func uploadsWaitForTheMemoryOfOthers() async throws {
        let server = ThumbnailServer.with { $0.heldUploadByteCount = Upload.landscape.readableBytes }
        let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await server.local.test(.live) { client in
                        try await client.execute(uri: "/thumbnail", method: .post, body: Upload.landscape).status
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: .ok, count: 20))
        #expect(server.uploads.usedByteCount == 0)
    }

    @Test func tooManyRequestsThatWaitAreRefused() async throws {
        let server = ThumbnailServer.with { $0.maxWaitingCount = 0 }
        let response = try await post(Upload.landscape, server)
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.retryAfter] == "1")
    }

    @Test(arguments: [
        ("/thumbnail", HTTPRequest.Method.get, "POST"), ("/preview", .put, "POST"), ("/thumbnail/", .head, "POST"),
        ("/health", .post, "GET, HEAD"), ("/health", .options, "GET, HEAD"),
    ])
    func otherMethodsAreNotAllowed(uri: String, method: HTTPRequest.Method, allowed: String) async throws {
        let response = try await ThumbnailServer.with().local.test(.live) { client in
            try await client.execute(uri: uri, method: method)
        }
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.allow] == allowed)
    }

    @Test func theFirstFileOfAFormIsTheUpload() async throws {
        var form = ByteBuffer(string: "--edge\r\nContent-Disposition: form-data; name=size\r\n\r\n48\r\n--edge\r\n")
        form.writeString("Content-Disposition: form-data; name=photo; filename=\"a.png\"\r\n\r\n")
        form.writeImmutableBuffer(Upload.landscape)
        form.writeString("\r\n--edge--\r\n")
        let headers: HTTPFields = [.contentType: "multipart/form-data; boundary=edge", .accept: "image/png"]
        let response = try await ThumbnailServer.with().local.test(.live) { [form] client in
            try await client.execute(uri: "/thumbnail", method: .post, headers: headers, body: form)
        }
        let thumbnail = try RasterImage(Array(response.body.readableBytesView))
        #expect(thumbnail.bitmap == (try RasterImage(Array(Upload.landscape.readableBytesView))).bitmap)
    }

    @Test func previewsAreEverBetterPictures() async throws {
        let response = try await post(Upload.landscape, to: "/preview?size=48")
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "multipart/x-mixed-replace; boundary=picture")
        let body = Array(response.body.readableBytesView)
        let head = Array("--picture\r\nContent-Type: image/jpeg\r\n\r\n".utf8)
        #expect(body.starts(with: head))
        #expect(String(decoding: body.suffix(15), as: UTF8.self) == "\r\n--picture--\r\n")
        let first = try ImageInfo(Array(body.dropFirst(head.count)))
        #expect(first.size == PixelSize(width: 48, height: 32))
    }
}
