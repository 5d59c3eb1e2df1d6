// Requests over URLSession: what applications on Apple platforms have.

import ImageCodecsCore
public import ImageLoadingHTTP
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Carries requests over a `URLSession` of its own, without its cache, its cookies and its redirects.
///
/// ```swift
/// let source = HTTPSource(URLSessionTransport(), addresses: .publicOnly)
/// ```
///
/// - It does not say where a connection leads, so that a name which resolves to another address after it was checked is not noticed:
///   servers that get addresses from strangers use `HTTPClientTransport`.
/// - A task is suspended while more than ``maxWaitingByteCount`` bytes wait to be read, which slows the server.
/// - `URLSession` undoes content codings before anything can count their bytes as transferred; those unpacked are counted.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let receiver = SessionReceiver()

    /// Bytes that wait for a reader before the server is slowed.
    public static let maxWaitingByteCount = 1 << 20

    /// Creates a transport.
    ///
    /// - Parameter configuration: proxies, cellular access, connections of each host; caches and cookies are switched off.
    public init(_ configuration: URLSessionConfiguration = .ephemeral) {
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a request; see `HTTPTransport`.
    public func send(_ request: FetchRequest) async throws -> FetchResponse {
        guard let url = URL(string: request.url.text) else { throw TransportError.noConnection("no URL") }
        var message = URLRequest(url: url)
        for line in request.fields.lines { message.addValue(line.value, forHTTPHeaderField: line.name) }
        let task = session.dataTask(with: message)
        let body = SessionBody(task)
        receiver.add(body, task)
        return try await withTaskCancellationHandler {
            let head = try await body.head()
            let fields = HeaderFields(
                head.allHeaderFields.compactMap { name, value in
                    (name as? String).map { ($0, "\(value)") }
                })
            let reader = BodyReader(body)
            return FetchResponse(status: head.statusCode, fields: body.isDecoded(fields)) { try await reader.next() }
        } onCancel: {
            task.cancel()
        }
    }
}

/// Ends a task whose body nobody reads any more.
private final class BodyReader: Sendable {
    private let body: SessionBody

    init(_ body: SessionBody) { self.body = body }

    deinit { body.task.cancel() }

    func next() async throws -> ImageData? {
        try await withTaskCancellationHandler {
            try await body.next()
        } onCancel: {
            body.task.cancel()
        }
    }
}

/// The head and the pieces of one response, from the session's queue to one reader.
private final class SessionBody: Sendable {
    private struct State: Sendable {
        var head: HTTPURLResponse?
        var pieces: [ImageData] = []
        var waitingByteCount = 0
        var isSuspended = false
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Void, Never>?
    }

    let task: URLSessionDataTask
    private let state = Mutex(State())

    init(_ task: URLSessionDataTask) { self.task = task }

    func isDecoded(_ fields: HeaderFields) -> HeaderFields {
        var fields = fields
        // The session has undone the coding, and the length is that of the coded body.
        if fields["content-encoding"] != nil { (fields["content-encoding"], fields["content-length"]) = (nil, nil) }
        return fields
    }

    func receive(_ head: HTTPURLResponse) { change { $0.head = head } }

    func receive(_ data: Data) {
        let mustSuspend = change { state in
            state.pieces.append(ImageData(Array(data)))
            state.waitingByteCount += data.count
            let isOver = state.waitingByteCount > URLSessionTransport.maxWaitingByteCount
            defer { state.isSuspended = state.isSuspended || isOver }
            return isOver && !state.isSuspended
        }
        if mustSuspend { task.suspend() }
    }

    func end(_ error: (any Error)?) { change { $0.end = error.map { .failure($0) } ?? .success(()) } }

    @discardableResult private func change<R: Sendable>(_ body: (inout State) -> R) -> R {
        let (result, reader) = state.withLock { state in (body(&state), state.reader.take()) }
        reader?.resume()
        return result
    }

    func head() async throws -> HTTPURLResponse {
        while true {
            let (head, end) = state.withLock { ($0.head, $0.end) }
            if let head { return head }
            if let end { throw Self.transportError(end) }
            await wait { $0.head != nil }
        }
    }

    func next() async throws -> ImageData? {
        while true {
            let (piece, end, mustResume) = state.withLock { state in
                let piece = state.pieces.isEmpty ? nil : state.pieces.removeFirst()
                state.waitingByteCount -= piece?.count ?? 0
                let mustResume = state.isSuspended && state.pieces.isEmpty
                if mustResume { state.isSuspended = false }
                return (piece, state.end, mustResume)
            }
            if mustResume { task.resume() }
            if let piece { return piece }
            switch end {
            case .success: return nil
            case .failure: throw Self.transportError(end)
            case nil: await wait { !$0.pieces.isEmpty }
            }
        }
    }

    private func wait(_ isThere: (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if isThere(state) || state.end != nil { return true }
                state.reader = continuation
                return false
            }
            if goesOn { continuation.resume() }
        }
    }

    private static func transportError(_ end: Result<Void, any Error>?) -> any Error {
        guard case .failure(let error) = end else { return TransportError.broken("no head") }
        guard let error = error as? URLError else { return TransportError.broken("\(error)") }
        switch error.code {
        case .cancelled: return CancellationError()
        case .timedOut: return TransportError.connectTimedOut
        case .cannotFindHost, .cannotConnectToHost, .notConnectedToInternet, .dnsLookupFailed, .secureConnectionFailed,
            .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate:
            return TransportError.noConnection(error.localizedDescription)
        default: return TransportError.broken(error.localizedDescription)
        }
    }
}

/// Hands what a session says about its tasks to their bodies.
private final class SessionReceiver: NSObject, URLSessionDataDelegate, Sendable {
    private let bodies = Mutex<[Int: SessionBody]>([:])

    func add(_ body: SessionBody, _ task: URLSessionDataTask) {
        bodies.withLock { $0[task.taskIdentifier] = body }
        task.resume()
    }

    private func body(_ task: URLSessionTask) -> SessionBody? { bodies.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = response as? HTTPURLResponse { body(dataTask)?.receive(head) }
        completionHandler(response is HTTPURLResponse ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        body(dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        bodies.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.end(error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
