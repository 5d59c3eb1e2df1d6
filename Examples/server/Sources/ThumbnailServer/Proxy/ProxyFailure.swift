// Why the proxy has no picture, and what a client is answered.

import Hummingbird
import ImageCodecs
import ImageLoading
import ImageProxyURL

/// A status and words for it.
struct ProxyFailure: Error, Sendable {
    let status: HTTPResponse.Status
    let message: String
    /// Seconds after which trying again may help.
    var retryAfter: Int?
    /// Whether a picture may stand in: the address was right, and its source is not.
    var isOfSource = false

    /// Too many requests wait.
    static let busy = ProxyFailure(status: .tooManyRequests, message: "too much to do", retryAfter: 1)
    /// `Accept` allows no format that is written.
    static let notAcceptable = ProxyFailure(
        status: .notAcceptable, message: "pictures are image/jpeg, image/png, image/gif or image/webp")

    init(status: HTTPResponse.Status, message: String, retryAfter: Int? = nil, isOfSource: Bool = false) {
        (self.status, self.message, self.retryAfter, self.isOfSource) = (status, message, retryAfter, isOfSource)
    }

    /// What any error of the way means.
    init(_ error: any Error) {
        switch error {
        case let failure as ProxyFailure: self = failure
        case let error as ProxyURLError: self.init(address: error)
        case let error as LoadError: self.init(source: error)
        case let error as ImageError: self.init(picture: error)
        case is CancellationError:
            self.init(status: HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request"), message: "")
        default: self.init(status: .internalServerError, message: "the picture could not be made")
        }
    }

    private init(address error: ProxyURLError) {
        let status: HTTPResponse.Status =
            switch error {
            case .badSignature, .presetsOnly: .forbidden
            case .incomplete, .sourceNotAllowed, .expired: .notFound
            case .tooLong: .uriTooLong
            default: .badRequest
            }
        self.init(status: status, message: error.description)
    }

    private init(source error: LoadError) {
        let retryAfter = error.retryAfter.map { max(1, Int($0.components.seconds)) }
        switch error.reason {
        case .image(let error): self.init(picture: error)
        case .notFound: self.init(status: .notFound, message: "there is no such source", isOfSource: true)
        case .noSource: self.init(status: .notFound, message: "there is no way to such a source")
        case .refused: self.init(status: .notFound, message: "the source is not allowed", isOfSource: true)
        case .rejected(let status):
            self.init(status: .badGateway, message: "the source answers \(status)", isOfSource: true)
        case .tooLarge: self.init(status: .unprocessableContent, message: "the source is too large", isOfSource: true)
        case .timedOut:
            self.init(
                status: .gatewayTimeout, message: "the source is too slow", retryAfter: retryAfter, isOfSource: true)
        case .unavailable where retryAfter != nil:
            self.init(
                status: .serviceUnavailable, message: "the source is busy", retryAfter: retryAfter, isOfSource: true)
        case .unreachable, .unavailable:
            self.init(status: .badGateway, message: "the source fails", retryAfter: retryAfter, isOfSource: true)
        case .cancelled: self.init(CancellationError())
        case .notInCache, .other: self.init(status: .badGateway, message: "the source fails", isOfSource: true)
        }
    }

    private init(picture error: ImageError) {
        switch error {
        case .cancelled: self.init(CancellationError())
        case .limitExceeded(.time, _, _):
            self.init(
                status: .serviceUnavailable, message: "the picture takes too long", retryAfter: 10, isOfSource: true)
        case .inputOutput: self.init(status: .internalServerError, message: "the picture could not be made")
        default: self.init(status: .unprocessableContent, message: error.description, isOfSource: true)
        }
    }

    /// The answer.
    var error: HTTPError {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        return HTTPError(status, headers: headers, message: message)
    }
}
