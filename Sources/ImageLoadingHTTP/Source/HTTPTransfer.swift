// The body of a response: pieces as they come, and the rest of it asked for when the connection breaks.

import ImageCaching
import ImageCodecsCore
import ImageLoading

/// Delivers the pieces of one body to one reader.
actor HTTPTransfer {
    private let exchange: HTTPExchange
    private let stored: StoredResponse
    /// Bytes of the whole body as transferred, if that is known.
    private let length: Int?
    private let isStorable: Bool
    private var answer: HTTPExchange.Answer?
    private var decoder: ContentDecoder?
    /// Bytes before those of the response, not yet delivered.
    private var start: ImageData?
    /// What came so far, as far as it may be gone on with.
    private var pieces: [ImageData] = []
    private var byteCount = 0
    private var resumeCount = 0

    /// - Parameter start: bytes before those of the response.
    init(
        exchange: HTTPExchange, answer: HTTPExchange.Answer, stored: StoredResponse, length: Int?,
        decoder: ContentDecoder?, isStorable: Bool, start: ImageData? = nil
    ) {
        (self.exchange, self.answer, self.stored, self.length) = (exchange, answer, stored, length)
        (self.decoder, self.isStorable, self.start) = (decoder, isStorable, start)
        canResume =
            decoder == nil && length != nil && stored.strongValidator != nil
            && answer.response.fields["accept-ranges"]?.lowercased() != "none"
        if let start {
            byteCount = start.count
            pieces = [start]
        }
    }

    private let canResume: Bool

    deinit {
        // Released before its end: the reader has gone.
        guard answer != nil, let part = Self.part(canResume, isStorable, pieces, byteCount, length, exchange) else {
            return
        }
        let (exchange, stored) = (exchange, stored)
        Task.detached { await exchange.keepPart(part.pieces, stored, length: part.length) }
    }

    /// The next piece, `nil` after the last one.
    func next() async throws -> ImageData? {
        if let start {
            self.start = nil
            return start
        }
        while let answer {
            do {
                guard let piece = try await piece(answer) else {
                    try await finish()
                    return nil
                }
                let unpacked = try take(piece)
                if unpacked.count > 0 { return unpacked }
            } catch {
                try await resume(after: error)
            }
        }
        return nil
    }

    private func piece(_ answer: HTTPExchange.Answer) async throws -> ImageData? {
        let configuration = exchange.configuration
        let left = exchange.end - configuration.clock.now()
        let limit = min(configuration.idleTimeout, left)
        let late = exchange.error(.timedOut, detail: limit == left ? "whole transfer" : "next bytes")
        let next = answer.response.next
        do {
            return try await withDeadline(limit, configuration.clock, late) { try await next() }
        } catch {
            throw exchange.transferError(error)
        }
    }

    private func take(_ piece: ImageData) throws -> ImageData {
        byteCount += piece.count
        if let length, byteCount > length {
            throw exchange.error(.unavailable("more than the \(length) bytes announced"), isRetryable: false)
        }
        let limit = exchange.configuration.maxByteCount
        if byteCount > limit { throw exchange.error(.tooLarge(limit: limit)) }
        if canResume { pieces.append(piece) }
        do throws(ContentError) {
            return try decoder?.unpack(piece) ?? piece
        } catch {
            throw exchange.contentError(error)
        }
    }

    private func finish() async throws {
        if let length, byteCount < length {
            throw exchange.error(.unavailable("connection broke"), detail: "\(byteCount) of \(length) bytes came")
        }
        close()
        do throws(ContentError) { try decoder?.finish() } catch { throw exchange.contentError(error) }
        await exchange.removePart()
    }

    private func close() {
        answer?.place.giveBack()
        answer = nil
    }

    /// Asks for the rest of the body, if the server has it; keeps what came, and throws `error`, if not.
    private func resume(after error: any Error) async throws {
        close()
        let isBroken = (error as? LoadError).map { if case .unavailable = $0.reason { $0.isRetryable } else { false } }
        // RFC 9112 section 8 "Handling Incomplete Messages": a body is complete with as many bytes as were announced.
        if isBroken == true, byteCount == length { return try await finish() }
        if isBroken == true, canResume, let length, byteCount > 0, resumeCount < exchange.configuration.maxResumeCount {
            resumeCount += 1
            answer = try? await exchange.rest(of: stored, from: byteCount, length: length)
        }
        guard answer == nil else { return }
        if let part = Self.part(canResume, isStorable, pieces, byteCount, length, exchange) {
            await exchange.keepPart(part.pieces, stored, length: part.length)
        }
        throw error
    }

    /// What is worth being kept of a body whose end did not come.
    private static func part(
        _ canResume: Bool, _ isStorable: Bool, _ pieces: [ImageData], _ byteCount: Int, _ length: Int?,
        _ exchange: HTTPExchange
    ) -> (pieces: [ImageData], length: Int)? {
        guard canResume, isStorable, let length, byteCount < length,
            byteCount >= max(1, exchange.configuration.minPartialByteCount)
        else { return nil }
        return (pieces, length)
    }
}
