// What is answered to a request whose path is known, but not its method.

import Hummingbird

/// Answers 405 instead of 404 if the path is one of the server's.
///
/// Source: RFC 9110 §15.5.6 "405 Method Not Allowed".
struct KnownMethods: RouterMiddleware {
    typealias Context = ConnectionContext

    /// The field `Allow` of each path.
    private let methods: [String: String]

    init(_ methods: [String: String]) { self.methods = methods }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let path = request.uri.path.split(separator: "/").joined(separator: "/")
            guard let allowed = methods[path] else { throw error }
            throw HTTPError(.methodNotAllowed, headers: [.allow: allowed])  // without a body: it may be a HEAD
        }
    }
}
