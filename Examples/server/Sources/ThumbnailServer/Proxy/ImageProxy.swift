// The proxy without HTTP: an address in, a file out, and everything that waits for the same is done once.
//
//   address ──▶ results in memory ──▶ (one for all who wait) ──▶ place ──▶ source ──▶ tag ──▶ results on disk ──▶ picture
//                at once                                            loader: joined, disk, conditional requests

import Crypto
import ImageCaching
import ImageCodecs
import ImageLoading
import ImagePipeline
import ImageProxyURL
import NIOCore
import NIOPosix

/// A picture that was made, as it is sent.
package struct ProxyPicture: Sendable {
    /// The file.
    package let bytes: ByteBuffer
    package let format: ImageFormat
    /// Names the file among all that are made of its source, and that among all versions of it.
    package let tag: String
    /// Until when it stands for its source: time since 1970.
    package let freshUntil: Duration
}

/// What the proxy says.
package enum ProxyAnswer: Sendable {
    case picture(ProxyPicture)
    /// The client has the picture of this tag already.
    case unchanged(tag: String, freshUntil: Duration)
}

/// Where an answer came from, for logs and metrics.
package enum AnswerOrigin: String, Sendable, CaseIterable {
    case memory, disk, made, joined, unchanged
}

/// Makes pictures of sources, and keeps them.
package struct ImageProxy: Sendable {
    /// What a proxy is made of.
    package struct Configuration: Sendable {
        package var signatures: URLSignatures?
        package var sources = AllowedSources([])
        package var rules = OptionRules()
        /// Bytes of results in memory.
        package var resultByteCount = 128 << 20
        /// Results on the disk.
        package var results: DiskCache?
        /// Sources that are read or made into pictures at once; others wait. Each holds the bytes of its source.
        package var maxWorkCount = 32
        /// Sources that wait for that. The next one is answered with 429.
        package var maxWaitingCount = 1_000
        /// The longest time that a client may keep a picture.
        package var maxAge = Duration.seconds(86_400)
        /// The file that stands in for sources that fail.
        package var fallback: ImageData?
        /// The time of day.
        package var clock = WallClock.system

        package init() {}
    }

    private struct WorkKey: Hashable, Sendable {
        let picture: CacheKey
        /// Clients with other pictures are answered otherwise.
        let known: [String]
    }

    package let configuration: Configuration
    package let processing: PictureProcessing
    private let loader: ImageLoader
    private let source: [any ImageSource]
    private let memory: MemoryCache<ProxyPicture>
    /// Addresses that were read and found right, by paths: reading one takes longer than finding its picture in memory.
    private let addresses = MemoryCache<ProxyURL>(byteCount: 8 << 20)
    private let places: DecodingBudget
    private let works = SharedWork<WorkKey, (ProxyAnswer, AnswerOrigin)>()

    /// Changes with what this program makes of the same options.
    private static let version = "1"

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - configuration: keys, limits, caches of results.
    ///   - processing: makes the pictures.
    ///   - loader: its sources, and caches of their bytes.
    package init(_ configuration: Configuration, processing: PictureProcessing, loader: ImageLoader.Configuration) {
        (self.configuration, self.processing) = (configuration, processing)
        self.loader = ImageLoader(loader)
        source = loader.sources
        memory = MemoryCache(byteCount: configuration.resultByteCount)
        places = DecodingBudget(byteCount: configuration.maxWorkCount)
    }

    /// Sources under way or waiting, and those that wait.
    package var workCount: Int { works.count }
    package var waitingCount: Int { places.waitingCount }
    /// What results in memory are and were used for.
    package var statistics: MemoryCacheStatistics { memory.statistics }

    /// Reads an address.
    package func address(_ path: String) throws(ProxyURLError) -> ProxyURL {
        guard let signatures = configuration.signatures else { throw .badSignature }
        let key = CacheKey(source: path)
        let now = Int(configuration.clock.now().components.seconds)
        if let address = addresses.value(for: key), !address.hasExpired(at: now) { return address }
        let address = try ProxyURL(
            path: path, signatures: signatures, sources: configuration.sources, rules: configuration.rules, now: now)
        addresses.insert(address, for: key, cost: 3 * path.utf8.count + 1_024)
        return address
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - address: what it asks for.
    ///   - formats: what the client accepts.
    ///   - known: tags of pictures that the client has.
    func answer(
        _ address: ProxyURL, _ formats: ProxyFormats, known: [String]
    ) async throws -> (ProxyAnswer, AnswerOrigin) {
        guard address.options.format != nil || !formats.accepted.isEmpty else { throw ProxyFailure.notAcceptable }
        let key = key(address, formats)
        if let picture = memory.value(for: key), configuration.clock.now() < picture.freshUntil {
            return known.contains(picture.tag) || known.contains("*")
                ? (.unchanged(tag: picture.tag, freshUntil: picture.freshUntil), .unchanged)
                : (.picture(picture), .memory)
        }
        let isBusy = places.waitingCount >= configuration.maxWaitingCount
        let (value, isJoined) = try await works.value(for: WorkKey(picture: key, known: known)) {
            if isBusy { throw ProxyFailure.busy }
            return try await inPlace { try await make(address, formats, key, known: known) }
        }
        return isJoined && value.1 != .unchanged ? (value.0, .joined) : value
    }

    /// Source, version of a file, options, and what the client accepts if that matters.
    private func key(_ address: ProxyURL, _ formats: ProxyFormats) -> CacheKey {
        let version = source.first { $0.handles(address.source) }?.version(of: address.source) ?? ""
        let format = address.options.format == nil ? formats.key : ""
        return CacheKey(source: address.source, variant: "\(address.optionsKey)|\(format)|\(version)")
    }

    /// Waits until few enough others work.
    private func inPlace<R: Sendable>(_ work: @Sendable () async throws -> R) async throws -> R {
        try await places.withBytes(1) { () async throws(ImageError) -> Result<R, any Error> in
            do {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    // MARK: - Making

    private func make(
        _ address: ProxyURL, _ formats: ProxyFormats, _ key: CacheKey, known: [String]
    ) async throws -> (ProxyAnswer, AnswerOrigin) {
        var request = ImageRequest(address.source)
        if !address.options.cacheBuster.isEmpty {
            request.sourceKey = address.source + "#" + address.options.cacheBuster
        }
        let original = try await loader.original(for: request)
        let now = configuration.clock.now()
        let freshUntil = min(original.freshUntil ?? now + configuration.maxAge, now + configuration.maxAge)
        let hasVersion = source.first { $0.handles(address.source) }?.version(of: address.source) != nil
        let tag = Self.tag(original, key, hasVersion: hasVersion)
        if known.contains(tag) || known.contains("*") {
            return (.unchanged(tag: tag, freshUntil: freshUntil), .unchanged)
        }
        if let old = memory.value(for: key), old.tag == tag {
            let picture = ProxyPicture(bytes: old.bytes, format: old.format, tag: tag, freshUntil: freshUntil)
            keep(picture, key)
            return (.picture(picture), .memory)
        }
        let diskKey = key.with(variant: key.variant + "|" + tag)
        if let picture = try await stored(diskKey, tag, freshUntil) {
            keep(picture, key)
            return (.picture(picture), .disk)
        }
        let output = try await processing.output(of: original.bytes, address.options) { formats.format(for: $0) }
        let picture = ProxyPicture(
            bytes: ByteBuffer(bytes: output.bytes), format: output.format, tag: tag, freshUntil: freshUntil)
        if freshUntil > now {
            keep(picture, key)
            try await store(output, diskKey)
        }
        return (.picture(picture), .made)
    }

    private func keep(_ picture: ProxyPicture, _ key: CacheKey) {
        memory.insert(picture, for: key, cost: picture.bytes.readableBytes + key.source.utf8.count + 512)
    }

    /// From the source's strong validator or version if it has one, else from its bytes; and from everything that decides on the result.
    private static func tag(_ original: LoadedOriginal, _ key: CacheKey, hasVersion: Bool) -> String {
        var hash = SHA256()
        if let tag = original.attributes["etag"], !tag.hasPrefix("W/") {
            hash.update(data: Array(tag.utf8))
        } else if !hasVersion {
            original.bytes.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) } }
        }
        hash.update(data: Array("|\(key)|\(version)".utf8))
        let digits = Array("0123456789abcdef".utf8)
        let text = hash.finalize().prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "\"" + String(decoding: text, as: UTF8.self) + "\""
    }

    private func stored(_ key: CacheKey, _ tag: String, _ freshUntil: Duration) async throws -> ProxyPicture? {
        guard let results = configuration.results else { return nil }
        let entry = try await NIOThreadPool.singleton.runIfActive { results.entry(for: key) }
        guard let entry, let name = entry.attributes["format"],
            let format = ImageFormat.all.first(where: { $0.mimeType == name })
        else { return nil }
        return ProxyPicture(
            bytes: entry.bytes.withBytes { bytes in ByteBuffer(bytes: bytes.indices.map { bytes[$0] }) },
            format: format, tag: tag,
            freshUntil: freshUntil)
    }

    private func store(_ output: PictureProcessing.Output, _ key: CacheKey) async throws {
        guard let results = configuration.results else { return }
        // A disk that is full costs time, not answers.
        try await NIOThreadPool.singleton.runIfActive {
            try? results.insert(
                DiskEntry(bytes: ImageData(output.bytes), attributes: ["format": output.format.mimeType]), for: key)
        }
    }

    /// The picture that stands in for a source that fails; `nil` if there is none.
    func fallback(_ address: ProxyURL, _ formats: ProxyFormats) async throws -> PictureProcessing.Output? {
        guard let fallback = configuration.fallback else { return nil }
        return try await inPlace {
            try await processing.output(of: fallback, address.options) { formats.format(for: $0) }
        }
    }

    /// Ends all work.
    package func shutDown() async {
        await loader.shutDown()
        configuration.results?.close()
    }
}
