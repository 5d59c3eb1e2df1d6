// What carries one request to a server and its response back: a client library, a test.

public import ImageCodecsCore

/// Sends one request and delivers one response, and nothing more: it follows no redirects, decodes no content, keeps no cookies and
/// caches nothing. All of that is done by ``HTTPSource``.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the head of the response.
    ///
    /// A transport that is given to strangers' addresses checks each connection before a request goes over it, or says where it leads
    /// (``FetchResponse/remoteAddress``); if it does neither, a name that leads elsewhere after it was checked is not noticed.
    ///
    /// It is called in a task that is cancelled when time is up or nobody waits any more, and has to end soon after that.
    ///
    /// - Throws: ``TransportError``; any other error counts as a connection that broke.
    func send(_ request: FetchRequest) async throws -> FetchResponse
}

/// One request, always a `GET` without a body.
public struct FetchRequest: Sendable {
    /// Where it goes.
    public var url: WebAddress
    /// Its fields, all but `Host`.
    public var fields: HeaderFields

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: where it goes.
    ///   - fields: all but `Host`.
    public init(_ url: WebAddress, fields: HeaderFields = [:]) { (self.url, self.fields) = (url, fields) }
}

/// The head of a response, and its body in pieces.
public struct FetchResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The fields of the head.
    public var fields: HeaderFields
    /// The address of the server, if the transport knows it.
    public var remoteAddress: IPAddress?
    /// The next piece of the body as it was transferred, `nil` after the last one. Asked for one after the other: nothing is read ahead
    /// while nobody asks, beyond what buffers of the transport hold. When the response is released the connection is given up.
    public let next: @Sendable () async throws -> ImageData?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the fields of the head.
    ///   - remoteAddress: the address of the server, if it is known.
    ///   - next: the next piece, `nil` after the last one.
    public init(
        status: Int, fields: HeaderFields, remoteAddress: IPAddress? = nil,
        next: @escaping @Sendable () async throws -> ImageData?
    ) {
        (self.status, self.fields, self.remoteAddress, self.next) = (status, fields, remoteAddress, next)
    }
}

/// Why a transport got no response, or not all of it.
public enum TransportError: Error, Hashable, Sendable {
    /// There is no connection: no network, nobody listens, the certificate is not accepted. What the transport says.
    case noConnection(String)
    /// The connection was not there in time.
    case connectTimedOut
    /// The connection leads to an address that may not be asked.
    case addressRefused(IPAddress)
    /// The connection broke. What the transport says.
    case broken(String)
}
