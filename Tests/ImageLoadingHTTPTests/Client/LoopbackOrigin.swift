#if HTTP
import ImageLoadingHTTP
import NIOCore
import NIOPosix
import Synchronization

/// A server on the loopback that writes what a script says, byte for byte, and closes the connection when it is over.
final class LoopbackOrigin: Sendable {
    /// What is done with one request.
    enum Step: Sendable {
        case send(String)
        case bytes([UInt8])
        /// Nothing is sent any more, and the connection stays.
        case hang
    }

    private let channel: any Channel
    private let port: Int
    private let handled: Requests

    fileprivate final class Requests: Sendable {
        let heads = Mutex<[String]>([])
        let connectionCount = Mutex(0)
        let closedCount = Mutex(0)
        let sentByteCount = Mutex(0)
    }

    init(_ script: @escaping @Sendable (_ head: String, _ index: Int) -> [Step]) async throws {
        let requests = Requests()
        handled = requests
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(OriginHandler(requests, script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }

    /// Takes no connections any more.
    func close() async throws { try await channel.close() }

    func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }
    var heads: [String] { handled.heads.withLock { $0 } }
    var connectionCount: Int { handled.connectionCount.withLock { $0 } }
    var closedCount: Int { handled.closedCount.withLock { $0 } }
    /// Bytes that the system has accepted.
    var sentByteCount: Int { handled.sentByteCount.withLock { $0 } }
}

extension LoopbackOrigin {
    /// Five bytes: with their length at `/length?q`, else in chunks.
    static func hello() async throws -> LoopbackOrigin {
        try await LoopbackOrigin { head, _ in
            head.hasPrefix("GET /length?q ")
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello")]
                : [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")]
        }
    }

    /// `/a` leads to `/b`, and `/loop` to itself.
    static func redirecting() async throws -> LoopbackOrigin {
        try await LoopbackOrigin { head, _ in
            head.hasPrefix("GET /a ")
                ? [.send("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")]
                : head.hasPrefix("GET /loop ")
                    ? [.send("HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n")]
                    : [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        }
    }
}

private final class OriginHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let requests: LoopbackOrigin.Requests
    private let script: @Sendable (String, Int) -> [LoopbackOrigin.Step]
    private var received = ""

    init(
        _ requests: LoopbackOrigin.Requests, _ script: @escaping @Sendable (String, Int) -> [LoopbackOrigin.Step]
    ) {
        (self.requests, self.script) = (requests, script)
    }

    func channelActive(context: ChannelHandlerContext) { requests.connectionCount.withLock { $0 += 1 } }
    func channelInactive(context: ChannelHandlerContext) { requests.closedCount.withLock { $0 += 1 } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        guard received.hasSuffix("\r\n\r\n") else { return }
        let head = received
        received = ""
        let index = requests.heads.withLock { heads in
            heads.append(head)
            return heads.count - 1
        }
        var closes = true
        for step in script(head, index) {
            switch step {
            case .send(let text): write(ByteBuffer(string: text), context)
            case .bytes(let bytes): write(ByteBuffer(bytes: bytes), context)
            case .hang: closes = false
            }
        }
        context.flush()
        let channel = context.channel
        // What was written goes before the end.
        if closes {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    private func write(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        let (requests, count) = (requests, buffer.readableBytes)
        context.write(wrapOutboundOut(buffer)).whenSuccess { requests.sentByteCount.withLock { $0 += count } }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
#endif
