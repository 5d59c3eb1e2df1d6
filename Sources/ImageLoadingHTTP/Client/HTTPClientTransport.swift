// Requests over async-http-client: pooled connections, HTTP/2, proxies of the environment, bodies as fast as they are read.

#if HTTP
public import AsyncHTTPClient
import ImageCodecsCore
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Carries requests over async-http-client, and checks where each connection leads before a request goes over it.
///
/// ```swift
/// let transport = HTTPClientTransport(addresses: .publicOnly)
/// let source = HTTPSource(transport, addresses: .publicOnly)
/// ```
///
/// Requests through a proxy of the environment (`http_proxy`, `https_proxy`, `no_proxy`) are resolved by the proxy: its connections
/// are not checked.
public final class HTTPClientTransport: HTTPTransport {
    private let proxies: ProxyRules
    private let base: HTTPClient.Configuration
    private let addresses: AddressPolicy
    /// Clients by proxy; the direct one under the empty text.
    private let clients = Mutex<[String: HTTPClient]>([:])

    /// Creates a transport with connections of its own.
    ///
    /// - Parameters:
    ///   - addresses: where a connection may lead; the same as those of the source.
    ///   - connectTimeout: time for a connection, encryption included.
    ///   - usesEnvironment: whether proxies of the environment are used.
    ///   - configuration: of the client: certificates, connections that are kept. Redirects, content codings, timeouts and proxies are
    ///     set here.
    public init(
        addresses: AddressPolicy = .publicOnly, connectTimeout: Duration = .seconds(10), usesEnvironment: Bool = true,
        configuration: HTTPClient.Configuration = HTTPClient.Configuration()
    ) {
        self.addresses = addresses
        proxies = usesEnvironment ? ProxyRules(environmentValue) : .none
        var base = configuration
        base.redirectConfiguration = .disallow
        base.decompression = .disabled
        base.proxy = nil
        base.timeout = HTTPClient.Configuration.Timeout(connect: TimeAmount(connectTimeout), read: nil)
        // A connection that was refused is not tried again.
        base.connectionPool.retryConnectionEstablishment = false
        self.base = base
    }

    deinit {
        let clients = Array(clients.withLock { $0 }.values)
        guard !clients.isEmpty else { return }
        Task.detached { for client in clients { try? await client.shutdown() } }
    }

    /// Closes all connections; requests that run fail.
    public func shutDown() async throws {
        let all = clients.withLock { clients in
            defer { clients = [:] }
            return Array(clients.values)
        }
        for client in all { try await client.shutdown() }
    }

    /// Sends a request; see ``HTTPTransport/send(_:)``.
    public func send(_ request: FetchRequest) async throws -> FetchResponse {
        var message = HTTPClientRequest(url: request.url.text)
        for line in request.fields.lines { message.headers.add(name: line.name, value: line.value) }
        do {
            let response = try await response(message, client(for: request.url))
            let fields = HeaderFields(response.headers.map { ($0.name, $0.value) })
            let body = BodyPieces(response.body)
            return FetchResponse(status: Int(response.status.code), fields: fields) { try await body.next() }
        } catch {
            throw Self.transportError(error)
        }
    }

    /// Sends a message, and again if its connection is closed without an answer: a server may have given up one that was kept while the
    /// message was on its way. A new connection is not told from one that was kept; a `GET` may be sent again in any case.
    ///
    /// Source: RFC 9112 §9.3.1 "Retrying Requests".
    private func response(_ message: HTTPClientRequest, _ client: HTTPClient) async throws -> HTTPClientResponse {
        for _ in 0..<2 {
            do {
                return try await client.execute(message, deadline: .distantFuture)
            } catch let error as HTTPClientError where error == .remoteConnectionClosed {
                continue
            } catch ChannelError.ioOnClosedChannel {
                continue
            }
        }
        return try await client.execute(message, deadline: .distantFuture)
    }

    private func client(for url: WebAddress) -> HTTPClient {
        let proxy = proxies.proxy(for: url)
        return clients.withLock { clients in
            if let client = clients[proxy?.text ?? ""] { return client }
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration(proxy))
            clients[proxy?.text ?? ""] = client
            return client
        }
    }

    private func configuration(_ proxy: WebAddress?) -> HTTPClient.Configuration {
        var configuration = base
        if let proxy {
            let user = proxy.userInfo.map { Base64.text($0.decodedPercents) }
            configuration.proxy = .server(
                host: proxy.host, port: proxy.port, authorization: user.map { .basic(credentials: $0) })
            return configuration
        }
        let addresses = addresses
        let check: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            // Whatever has no address, as a socket of this machine, is none that may be asked.
            let remote = channel.remoteAddress?.ipAddress.flatMap { IPAddress(String($0.prefix { $0 != "%" })) }
            if let remote, addresses.allows(remote) { return channel.eventLoop.makeSucceededVoidFuture() }
            // The client forgets the connection, and leaves it open.
            channel.close(promise: nil)
            let error = remote.map { TransportError.addressRefused($0) } ?? .noConnection("unknown address")
            return channel.eventLoop.makeFailedFuture(error)
        }
        configuration.http1_1ConnectionDebugInitializer = check
        configuration.http2ConnectionDebugInitializer = check
        return configuration
    }

    private static func transportError(_ error: any Error) -> any Error {
        switch error {
        case is TransportError, is CancellationError: return error
        case let error as HTTPClientError:
            if [.connectTimeout, .tlsHandshakeTimeout].contains(error) { return TransportError.connectTimedOut }
            return error == .cancelled ? CancellationError() : TransportError.broken("\(error)")
        case is NIOConnectionError: return TransportError.noConnection("\(error)")
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            return TransportError.noConnection("\(error)")
        case let error as ChannelError:
            if case .connectTimeout = error { return TransportError.connectTimedOut }
            return TransportError.broken("\(error)")
        default: return TransportError.broken("\(error)")
        }
    }
}
#endif
