// Where bytes come from.

public import ImageCaching
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
    /// Called in a task of the loader's, which is cancelled when nobody waits any more. Its place among the transfers is another's from
    /// then on: a source that does not end soon has more of them open than ``ImageLoader/Configuration/maxTransferCount``.
    ///
    /// - Throws: ``LoadError``, whose stage and address the loader sets; or any other error, which becomes
    ///   ``LoadError/Reason/other(_:)``.
    func open(_ address: String) async throws -> SourceResponse

    /// Says what bytes on the disk are good for.
    ///
    /// - Parameters:
    ///   - stored: the bytes, with the attributes of the response that brought them.
    ///   - address: where they came from.
    ///   - now: time since 1 January 1970.
    func use(of stored: DiskEntry, for address: String, at now: Duration) -> StoredUse

    /// Begins to deliver what is at an address, or says that bytes on the disk still hold
    /// (``SourceResponse/isUnchanged``).
    ///
    /// - Parameters:
    ///   - address: where it is.
    ///   - stored: the bytes on the disk, which are no longer fresh.
    func open(_ address: String, replacing stored: DiskEntry) async throws -> SourceResponse

    /// Whether bytes on the disk may be delivered although the source failed.
    func mayUse(_ stored: DiskEntry, after error: LoadError, at now: Duration) -> Bool
}

/// What bytes on the disk are good for.
public enum StoredUse: Hashable, Sendable {
    /// They stand for their source until a time since 1 January 1970; `nil` if there is no end.
    case fresh(until: Duration?)
    /// So, and they are known not to change until then.
    case unchanging(until: Duration?)
    /// They may be delivered while the source is asked whether they still hold.
    case whileRevalidating
    /// The source has to be asked first.
    case stale
}

extension ImageSource {
    /// `false`: the disk cache keeps copies.
    public var isLocal: Bool { false }

    /// `nil`: caches do not ask.
    public func version(of address: String) -> String? { nil }

    /// Fresh for as long as the response said; for ever if it said nothing.
    public func use(of stored: DiskEntry, for address: String, at now: Duration) -> StoredUse {
        guard let freshFor = stored.freshFor else { return .fresh(until: nil) }
        return stored.isFresh(at: now) ? .fresh(until: stored.storedAt + freshFor) : .stale
    }

    /// The bytes anew.
    public func open(_ address: String, replacing stored: DiskEntry) async throws -> SourceResponse {
        try await open(address)
    }

    /// `false`: a failure is a failure.
    public func mayUse(_ stored: DiskEntry, after error: LoadError, at now: Duration) -> Bool { false }
}

/// What a source delivers: bytes in pieces, and what it knows about them.
public struct SourceResponse: Sendable {
    /// Bytes of all pieces together, if that is known.
    public var byteCount: Int?
    /// What the disk cache keeps beside the bytes: their type, the validators of the source.
    public var attributes: [String: String]
    /// How long the bytes stand for their source without asking it; `nil` if nobody said.
    public var freshFor: Duration?
    /// Whether caches may keep the bytes and what is made of them.
    public var isStorable: Bool
    /// Whether there are no bytes to come, as those on the disk still hold. Attributes and freshness take the place of theirs.
    public var isUnchanged = false
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
        let pieces = HandedOutOnce(data)
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
