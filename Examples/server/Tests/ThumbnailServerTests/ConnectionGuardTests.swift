import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing
import ThumbnailServer

/// A connection without a network, whose time the test moves on.
@Suite struct ConnectionGuardTests {
    /// Stands for the network: counts what is asked of it, and keeps the connection open until both directions end.
    private final class Network: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart
        var readCount = 0
        var outputIsClosed = false

        func read(context: ChannelHandlerContext) { readCount += 1 }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard case .output = mode else { return context.close(mode: mode, promise: promise) }
            outputIsClosed = true
            promise?.succeed()
        }
    }

    private let channel = EmbeddedChannel()
    private let network = Network()

    init() throws {
        let handlers = channel.pipeline.syncOperations
        try handlers.addHandlers([network, ConnectionGuard(limits: ServerLimits())])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.read()
        try #require(network.readCount == 1)
    }

    private func receiveHead(_ fields: HTTPFields = [:]) throws {
        try channel.writeInbound(
            HTTPRequestPart.head(
                HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/", headerFields: fields)))
        channel.read()
    }

    private func receive(_ byteCount: Int) throws {
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: byteCount)))
        channel.read()
    }

    private func answer(_ status: HTTPResponse.Status = .ok) throws -> HTTPFields? {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else { return nil }
        _ = try channel.readOutbound(as: HTTPResponsePart.self)
        return head.headerFields
    }

    private func wantBody(minRate: Int = 0) throws {
        try channel.triggerUserOutboundEvent(BodyIsWanted { minRate }).wait()
    }

    private func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    /// The status that the reader of the body throws.
    private var refusal: HTTPResponse.Status? {
        do {
            try channel.throwIfErrorCaught()
            return nil
        } catch {
            return (error as? HTTPError)?.status
        }
    }

    @Test func aBodyIsReadWhenItIsWanted() throws {
        try receiveHead([.expect: "100-continue"])
        #expect(network.readCount == 1)
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
        try wantBody()
        #expect(network.readCount == 2)
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == .head(HTTPResponse(status: .continue)))
        try wantBody()
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
    }

    @Test func anAnswerToAWholeRequestKeepsTheConnection() throws {
        for _ in 0..<3 {
            try receiveHead()
            try wantBody()
            try receive(10)
            try channel.writeInbound(HTTPRequestPart.end(nil))
            #expect(try answer()?[.connection] == nil)
        }
        #expect(channel.isActive)
    }

    @Test func anEarlyAnswerIsTheLastOne() throws {
        try receiveHead()
        #expect(try answer(.contentTooLarge)?[.connection] == "close")
        _ = try channel.readInbound(as: HTTPRequestPart.self)
        try receive(10)
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)  // thrown away
        #expect(channel.isActive && network.outputIsClosed)
        pass(.seconds(3))
        #expect(!channel.isActive)
    }

    @Test func anAnswerBeforeTheBodyOfALaterRequestIsNotTheLastOne() throws {
        try receiveHead()
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try receiveHead([.expect: "100-continue"])
        try wantBody()  // that of the first request, which is there
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
        #expect(try answer()?[.connection] == nil)
        #expect(try answer()?[.connection] == "close")
    }

    @Test func whatFollowsAWholeRequestDoesNotHarmIt() throws {
        try receiveHead()
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.pipeline.fireErrorCaught(HTTPError(.badRequest))
        #expect(refusal == nil)
        #expect(try answer()?[.connection] == "close")
    }

    @Test func tooManyRequestsWithoutWaitingCloseTheConnection() throws {
        for count in 1...101 {
            #expect(channel.isActive)
            try receiveHead()
            _ = try? channel.writeInbound(HTTPRequestPart.end(nil))
            #expect(channel.isActive == (count <= 100))
        }
    }

    @Test func aBodyThatStopsIsLate() throws {
        try receiveHead()
        pass(.seconds(100))  // it waits for the server
        #expect(refusal == nil)
        try wantBody()
        pass(.seconds(14))
        try receive(10)
        pass(.seconds(14))
        #expect(refusal == nil)
        pass(.seconds(2))
        #expect(refusal == .requestTimeout)
        #expect(channel.isActive)
    }

    @Test func timeInWhichNobodyReadsIsNotTheClients() throws {
        try receiveHead()
        try wantBody()
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 10)))
        pass(.seconds(20))  // the route is busy
        channel.read()
        pass(.seconds(14))
        #expect(refusal == nil)
        pass(.seconds(2))
        #expect(refusal == .requestTimeout)
    }

    @Test func aBodyThatTakesTooLongIsLate() throws {
        try receiveHead()
        try wantBody()
        for _ in 0..<59 {
            pass(.seconds(1))
            try receive(10)
        }
        #expect(refusal == nil)
        pass(.seconds(2))
        #expect(refusal == .requestTimeout)
    }

    @Test(arguments: [(999, HTTPResponse.Status.requestTimeout), (1001, nil)])
    func aBodyIsLateIfOthersWaitForASlowOne(bytesPerSecond: Int, status: HTTPResponse.Status?) throws {
        try receiveHead()
        try wantBody(minRate: 1000)
        for _ in 0..<5 {
            try receive(bytesPerSecond)
            pass(.seconds(1))
        }
        #expect(refusal == status)
    }

    @Test(arguments: [false, true]) func aStopWaitsTwoSecondsForABody(isWanted: Bool) throws {
        try receiveHead()
        if isWanted { try wantBody() }
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        pass(.milliseconds(1900))
        #expect(refusal == nil)
        pass(.seconds(1))
        #expect(refusal == .serviceUnavailable)
        #expect(try answer(.serviceUnavailable)?[.connection] == "close")
    }

    @Test func aConnectionWithoutRequestIsClosed() throws {
        pass(.seconds(14))
        #expect(channel.isActive)
        pass(.seconds(2))
        #expect(!channel.isActive)
    }
}
