// Where bytes come from.

public import ImageCodecsCore

/// Delivers the bytes of pictures: a file system, a server, a database, an archive.
public protocol ImageSource: Sendable {
    /// Whether it knows an address, by its scheme most often. Cheap; called for each request.
    func handles(_ address: String) -> Bool

    /// Whether its bytes are as near as those of the disk cache, which then keeps no copy of them.
    var isLocal: Bool { get }

    /// Says which version is at an address now, if that can be found out at once: what was loaded of another version is
    /// not found in caches then. Called for each request, on its thread.
    func version(of address: String) -> String?

    /// Begins to deliver what is at an address.
    ///
    /// Called in a task of the loader's, which is cancelled when nobody waits any more.
    ///
    /// - Throws: ``LoadError``, whose stage and address the loader sets; or any other error, which becomes
    ///   ``LoadError/Reason/other(_:)``.
    func open(_ address: String) async throws -> SourceResponse
}

extension ImageSource {
    /// `false`: the disk cache keeps copies.
    public var isLocal: Bool { false }

    /// `nil`: caches do not ask.
    public func version(of address: String) -> String? { nil }
}

/// What a source delivers: bytes in pieces, and what it knows about them.
public struct SourceResponse: Sendable {
    /// Bytes of all pieces together, if that is known.
    public var byteCount: Int?
    /// What the disk cache keeps beside the bytes: their type, the validators of the source.
    public var attributes: [String: String]
    /// How long the bytes stand for their source without asking it; `nil` if nobody said.
    public var freshFor: Duration?
    /// Whether the disk cache may keep the bytes.
    public var isStorable: Bool
    /// The next piece, `nil` after the last one. Asked for one after the other, when the last piece is dealt with: a slow
    /// reader slows its source.
    public let next: @Sendable () async throws -> ImageData?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - byteCount: bytes of all pieces together, if that is known.
    ///   - attributes: type and validators, for the disk cache.
    ///   - freshFor: how long the bytes stand for their source.
    ///   - isStorable: whether the disk cache may keep them.
    ///   - next: the next piece, `nil` after the last one.
    public init(
        byteCount: Int? = nil, attributes: [String: String] = [:], freshFor: Duration? = nil, isStorable: Bool = true,
        next: @escaping @Sendable () async throws -> ImageData?
    ) {
        (self.byteCount, self.attributes, self.freshFor) = (byteCount, attributes, freshFor)
        (self.isStorable, self.next) = (isStorable, next)
    }

    /// Creates a response of one piece.
    ///
    /// - Parameters:
    ///   - data: all bytes.
    ///   - attributes: type and validators, for the disk cache.
    public init(_ data: ImageData, attributes: [String: String] = [:]) {
        let pieces = RemainingPieces(data)
        self.init(byteCount: data.count, attributes: attributes) { pieces.take() }
    }

    /// Creates a response of the pieces of a sequence.
    ///
    /// - Parameters:
    ///   - pieces: the bytes; the sequence is iterated once.
    ///   - byteCount: bytes of all pieces together, if that is known.
    ///   - attributes: type and validators, for the disk cache.
    public init<Pieces: AsyncSequence & Sendable>(
        pieces: Pieces, byteCount: Int? = nil, attributes: [String: String] = [:]
    ) where Pieces.Element: Sequence<UInt8> & Sendable {
        let iterator = PieceIterator(pieces)
        self.init(byteCount: byteCount, attributes: attributes) { try await iterator.next() }
    }
}

/// Goes through a sequence for whoever asks next.
private actor PieceIterator<Pieces: AsyncSequence & Sendable> where Pieces.Element: Sequence<UInt8> & Sendable {
    private var iterator: Pieces.AsyncIterator

    init(_ pieces: Pieces) { iterator = pieces.makeAsyncIterator() }

    func next() async throws -> ImageData? {
        var iterator = iterator
        let piece = try await iterator.next(isolation: self)
        self.iterator = iterator
        return piece.map { ImageData($0) }
    }
}
