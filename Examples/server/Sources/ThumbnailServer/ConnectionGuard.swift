// What a connection needs beside its requests: when bodies are read, how long clients may take, and how the connection ends.

import Hummingbird
import NIOCore
import NIOHTTPTypes

/// What a route sends down the channel when it starts to read the body of its request.
package struct BodyIsWanted: Sendable {
    /// Bytes per second that the client has to send at least, asked again and again.
    let minRate: @Sendable () -> Int

    package init(minRate: @escaping @Sendable () -> Int) { self.minRate = minRate }
}

/// Watches over one connection, between its HTTP codec and its requests.
///
/// - A body waits at the client and in the system's buffers until its route wants it. Then `Expect: 100-continue` is answered.
/// - An answer that comes before the end of its request is the connection's last one. What the client sends until it has read the
///   answer is thrown away, for a bounded time: closing a connection with bytes in it that nobody read can take the answer from the
///   client. Source: RFC 9112 §9.6 "Tear-down".
/// - A client that is too slow with a body is answered with 408; one that does not begin a request, or does not read an answer,
///   loses its connection.
/// - When the server stops, bodies have ``ServerLimits/stopTime`` to arrive, then they are answered with 503.
package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// How much of the newest request has come.
    private enum Arrival {
        /// All of it, or there was none yet.
        case complete
        /// Its header, whose body is not wanted yet.
        case header(expectsContinue: Bool)
        /// A part of its body, wanted since then.
        case body(byteCount: Int, start: NIODeadline, minRate: @Sendable () -> Int)
        /// An error stands for what did not come.
        case refused
    }

    /// How far the connection's last answer is.
    private enum LastAnswer {
        case none
        case begun
        case handedOver
        /// Written. What comes is thrown away until then.
        case draining(end: NIODeadline)
    }

    private let limits: ServerLimits
    private var arrival = Arrival.complete
    private var lastAnswer = LastAnswer.none
    /// Requests that have no whole answer yet; clients may send several at once.
    private var unansweredCount = 0
    /// The newest request is the last one, as it says or as something else follows.
    private var clientCloses = false
    private var inputIsClosed = false
    /// When the server, which is stopping, ends waiting for bodies.
    private var stopEnd: NIODeadline?
    /// When the client last sent a part of a request, or took bytes of an answer.
    private var lastActivity = NIODeadline.uptimeNanoseconds(0)
    /// Bytes of answers that the client did not take yet.
    private var pendingByteCount = 0
    /// The channel waits for bytes of the client; or would, if they were wanted.
    private var isReading = false
    private var readIsHeld = false
    /// When it last ended waiting for bytes.
    private var lastReadEnd: NIODeadline?
    private var timer: Scheduled<Void>?

    package init(limits: ServerLimits) { self.limits = limits }

    // MARK: - From the client

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .handedOver = lastAnswer { return }
        if case .draining = lastAnswer { return }
        if case .refused = arrival { return }
        guard unansweredCount <= limits.maxUnansweredCount else { return }
        lastActivity = context.eventLoop.now
        switch unwrapInboundIn(data) {
        case .head(let head):
            unansweredCount += 1
            guard unansweredCount <= limits.maxUnansweredCount else { return context.close(promise: nil) }
            clientCloses = head.headerFields[.connection]?.lowercased() == "close"
            arrival = .header(expectsContinue: head.headerFields[.expect]?.lowercased() == "100-continue")
        case .body(let piece):
            if case .body(let byteCount, let start, let minRate) = arrival {
                arrival = .body(byteCount: byteCount + piece.readableBytes, start: start, minRate: minRate)
            }
        case .end: arrival = .complete
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        (isReading, lastReadEnd) = (false, context.eventLoop.now)
        context.fireChannelReadComplete()
        if case .draining = lastAnswer { return context.read() }
        resumeReading(context)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { stopEnd = context.eventLoop.now + TimeAmount(limits.stopTime) }
        if case ChannelEvent.inputClosed = event {
            inputIsClosed = true
            if case .draining = lastAnswer { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// What comes after a whole request and is none does not harm the answer to it; the connection ends then.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if unansweredCount > 0, case .complete = arrival {
            clientCloses = true
        } else {
            context.fireErrorCaught(error)
        }
    }

    // MARK: - To the client

    package func read(context: ChannelHandlerContext) {
        readIsHeld = true
        resumeReading(context)
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard readIsHeld else { return }
        switch (arrival, lastAnswer) {
        case (.header, .none), (.header, .begun), (.refused, .none), (.refused, .begun), (_, .handedOver): return
        case (.complete, _), (.body, _), (_, .draining):
            (readIsHeld, isReading) = (false, true)
            // The time that nobody wanted bytes is not the client's.
            let now = context.eventLoop.now
            if let lastReadEnd { lastActivity = min(now, lastActivity + (now - lastReadEnd)) }
            context.read()
        }
    }

    package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?)
    {
        guard let wish = event as? BodyIsWanted else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        // If there are several requests, the body of the one that is being answered has come.
        if unansweredCount == 1, case .header(let expectsContinue) = arrival {
            lastActivity = context.eventLoop.now
            arrival = .body(byteCount: 0, start: lastActivity, minRate: wish.minRate)
            if expectsContinue {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
            resumeReading(context)
        }
        promise?.succeed()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if isLast(head) {
                lastAnswer = .begun
                head.headerFields[.connection] = "close"
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            unansweredCount -= 1
            lastActivity = context.eventLoop.now
            guard case .begun = lastAnswer else { return context.write(data, promise: promise) }
            lastAnswer = .handedOver
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { _ in self.drain(context) }
            context.write(data, promise: written)
        }
    }

    private func isLast(_ head: HTTPResponse) -> Bool {
        if head.headerFields[.connection] == "close" || stopEnd != nil { return true }
        guard unansweredCount == 1 else { return false }
        if case .complete = arrival { return clientCloses }
        return true
    }

    /// Ends the connection's output, and reads on until the client ends its own or the time is over.
    private func drain(_ context: ChannelHandlerContext) {
        guard !inputIsClosed else { return context.close(promise: nil) }
        lastAnswer = .draining(end: context.eventLoop.now + TimeAmount(limits.drainTime))
        context.close(mode: .output, promise: nil)
        context.read()
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch (lastAnswer, mode) {
        case (.none, _), (.begun, _), (_, .input): context.close(mode: mode, promise: promise)
        case (_, .output): promise?.succeed()  // as `drain` does
        case (_, .all): context.channel.closeFuture.cascade(to: promise)  // soon
        }
    }

    // MARK: - Time

    package func handlerAdded(context: ChannelHandlerContext) {
        lastActivity = context.eventLoop.now
        startTimer(context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func startTimer(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(500)) {
            self.startTimer(context)
            self.checkTime(context)
        }
    }

    private func checkTime(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        let pending = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if pending != pendingByteCount { (pendingByteCount, lastActivity) = (pending, now) }
        if case .draining(let end) = lastAnswer, now >= end { return context.close(promise: nil) }
        if let error = lateness(now) {
            arrival = .refused
            return context.fireErrorCaught(error)  // which the reader of the body throws
        }
        let patience = stopEnd == nil ? limits.idleTime : limits.stopTime
        let isClientsTurn = pending > 0 || (unansweredCount == 0 && isReading)
        if isClientsTurn, now - lastActivity >= TimeAmount(patience) { context.close(promise: nil) }
    }

    /// Why a body is not waited for any longer; `nil` as long as it is.
    private func lateness(_ now: NIODeadline) -> HTTPError? {
        switch arrival {
        case .complete, .refused: return nil
        case .header, .body: if let stopEnd, now >= stopEnd { return HTTPError.busy }
        }
        guard case .body(let byteCount, let start, let minRate) = arrival else { return nil }
        let time = now - start
        let isTooSlow =
            time >= TimeAmount(limits.uploadTime) || (isReading && now - lastActivity >= TimeAmount(limits.idleTime))
            || (time >= .seconds(5) && byteCount < minRate() * Int(time.nanoseconds / 1_000_000_000))
        return isTooSlow ? HTTPError(.requestTimeout, message: "the upload takes too long") : nil
    }
}
