// What an error of the codecs means to a client.

import Hummingbird
import ImageCodecs

extension ImageError {
    /// The answer that says whose fault it was.
    var answer: HTTPError { HTTPError(status, headers: [.connection: "close"], message: description) }

    private var status: HTTPResponse.Status {
        switch self {
        case .unknownFormat, .unsupported: .unsupportedMediaType  // no picture, or not one that can be read
        case .corrupt, .truncated: .unprocessableContent
        case .limitExceeded(.time, _, _): .serviceUnavailable
        case .limitExceeded: .contentTooLarge
        case .cancelled: HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")  // nobody reads it
        case .invalidArgument, .inputOutput: .internalServerError
        }
    }
}
