// Settings by flags and by the environment: `--cache-dir /var/cache/pictures` or `IMAGE_PROXY_CACHE_DIR=/var/cache/pictures`.

package import ArgumentParser
import ImageCaching
import ImageCodecs
import ImageLoading
import ImageLoadingHTTP
import ImagePipeline
import ImageProxyURL

/// Words separated by commas.
package struct WordList: ExpressibleByArgument, Sendable {
    package var words: [String] = []

    package init() {}
    package init?(argument: String) { words = argument.split(separator: ",").map(String.init) }
    package var defaultValueDescription: String { "" }
}

/// The settings of the program.
package struct ServerSettings: ParsableArguments, Sendable {
    @Argument(help: "Where it listens.")
    package var address = "127.0.0.1"
    @Argument(help: "0 is any that is free.")
    package var port = 8080

    @Option(help: ArgumentHelp("Keys of signatures; several are valid at once.", valueName: "hex,hex"))
    var key = WordList()
    @Option(help: ArgumentHelp("Their salts, in the same order.", valueName: "hex,hex"))
    var salt = WordList()
    @Option(help: ArgumentHelp("Bytes of a signature.", valueName: "n"))
    var signatureSize = 32
    @Flag(help: "Answers any address if there is no key.")
    var allowUnsigned = false
    @Option(
        help: ArgumentHelp(
            "Prefixes of sources that are allowed, * is anything but a slash; all without.", valueName: "list"))
    var sources = WordList()
    @Option(
        help: ArgumentHelp(
            "Networks that are not public and may be asked: 10.0.0.0/8,127.0.0.1/32.", valueName: "list"))
    var allowNetworks = WordList()
    @Option(help: ArgumentHelp("Folder whose files are local:///NAME.", valueName: "path"), completion: .directory)
    var localRoot: String?
    @Option(
        help: ArgumentHelp("name=options, separated by commas: avatar=rs:fill:96:96/g:sm.", valueName: "list"))
    var presets = WordList()
    @Flag(help: "Addresses have names of presets in place of options.")
    var onlyPresets = false

    @Option(help: ArgumentHelp("Of formats that lose something.", valueName: "n"))
    var quality = 80
    @Option(help: ArgumentHelp("The most bytes of a source.", valueName: "bytes"))
    var maxSourceBytes = 32 << 20
    @Option(help: ArgumentHelp("The most pixels of a source.", valueName: "n"))
    var maxSourcePixels = 64 << 20
    @Option(help: ArgumentHelp("The most frames of an animation; 1 makes stills of all.", valueName: "n"))
    var maxFrames = 300
    @Option(help: ArgumentHelp("The longest side of a result.", valueName: "pixels"))
    var maxResultSide = 8_192
    @Option(help: ArgumentHelp("Sources under way at once.", valueName: "n"))
    var maxWork = 32
    @Option(help: ArgumentHelp("Sources that wait for that; more are answered with 429.", valueName: "n"))
    var maxWaiting = 1_000
    @Option(help: ArgumentHelp("For pixels under way.", valueName: "bytes"))
    var memory = 256 << 20
    @Option(help: ArgumentHelp("For results in memory.", valueName: "bytes"))
    var resultMemory = 128 << 20
    @Option(
        help: ArgumentHelp("Folder for sources and results; none without.", valueName: "path"), completion: .directory)
    var cacheDir: String?
    @Option(help: ArgumentHelp("What they may take there, half each.", valueName: "bytes"))
    var cacheBytes = 10 << 30
    @Option(help: ArgumentHelp("How long sources are fresh that say nothing of it.", valueName: "seconds"))
    var sourceAge = 3_600
    @Option(help: ArgumentHelp("How much longer they are if their server fails.", valueName: "seconds"))
    var staleIfError = 86_400
    @Option(help: ArgumentHelp("The longest time that clients keep a picture.", valueName: "seconds"))
    var maxAge = 86_400
    @Option(help: ArgumentHelp("For getting a source.", valueName: "seconds"))
    var timeout = 30
    @Option(help: ArgumentHelp("The picture of the option watermark.", valueName: "path"), completion: .file())
    var watermark: String?
    @Option(help: ArgumentHelp("Stands in for sources that fail.", valueName: "path"), completion: .file())
    var fallback: String?
    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error.", valueName: "level"))
    package var logLevel = "notice"

    package init() {}

    package func validate() throws {
        let ranges = [
            ("port", port, 0...65_535), ("signature-size", signatureSize, 1...32), ("quality", quality, 1...100),
            ("max-source-bytes", maxSourceBytes, 1...Int.max), ("max-source-pixels", maxSourcePixels, 1...Int.max),
            ("max-frames", maxFrames, 1...100_000), ("max-result-side", maxResultSide, 1...65_535),
            ("max-work", maxWork, 1...100_000), ("max-waiting", maxWaiting, 0...Int.max),
            ("memory", memory, 1...Int.max),
            ("result-memory", resultMemory, 0...Int.max), ("cache-bytes", cacheBytes, 0...Int.max),
            ("source-age", sourceAge, 0...Int(Int32.max)), ("stale-if-error", staleIfError, 0...Int(Int32.max)),
            ("max-age", maxAge, 0...Int(Int32.max)), ("timeout", timeout, 0...Int(Int32.max)),
        ]
        for (name, value, range) in ranges where !range.contains(value) {
            throw ValidationError("\(name) is from \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
    }

    // MARK: - The environment

    /// Puts variables of the environment before the arguments, as flags that these override: `IMAGE_PROXY_MAX_AGE` is `--max-age`.
    package static func arguments(_ arguments: [String], environment: [String: String]) -> [String] {
        let prefix = "IMAGE_PROXY_"
        var flags: [String] = []
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(prefix) {
            let flag = "--" + name.dropFirst(prefix.count).lowercased().map { $0 == "_" ? "-" : String($0) }.joined()
            if ["--allow-unsigned", "--only-presets"].contains(flag) {
                if ["1", "true", "yes", "on"].contains(value.lowercased()) { flags.append(flag) }
            } else {
                flags.append("\(flag)=\(value)")
            }
        }
        return flags + arguments
    }

    // MARK: - Parts

    /// The proxy of these settings; `nil` if it has no key and is not to do without.
    package func makeProxy() throws -> ImageProxy? {
        if key.words.isEmpty, !allowUnsigned { return nil }
        guard let signatures = URLSignatures(keys: key.words, salts: salt.words, byteCount: signatureSize) else {
            throw ValidationError("keys and salts are as many, in hexadecimal digits")
        }
        var configuration = ImageProxy.Configuration()
        configuration.signatures = signatures
        configuration.sources = AllowedSources(sources.words)
        configuration.rules = OptionRules(presets: try makePresets(), allowsOnlyPresets: onlyPresets)
        configuration.resultByteCount = resultMemory
        configuration.maxWorkCount = maxWork
        configuration.maxWaitingCount = maxWaiting
        configuration.maxAge = .seconds(maxAge)
        if let fallback { configuration.fallback = try ImageData(contentsOfFile: fallback) }
        var loader = ImageLoader.Configuration()
        if let cacheDir {
            loader.disk = try DiskCache(path: cacheDir + "/sources", byteCount: cacheBytes / 2)
            configuration.results = try DiskCache(path: cacheDir + "/results", byteCount: cacheBytes / 2)
        }
        loader.sources = try makeSources()
        loader.maxByteCount = maxSourceBytes
        loader.maxTransferCount = maxWork
        // A client waits: what broke is gone on with once and soon, a server that asks for patience is not waited for.
        loader.retry = RetryPolicy(maxAttemptCount: 2, delay: .milliseconds(100), maxDelay: .seconds(1))
        return ImageProxy(configuration, processing: try makeProcessing(), loader: loader)
    }

    private func makePresets() throws -> [String: String] {
        var made: [String: String] = [:]
        for text in presets.words {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw ValidationError("a preset is name=options, not \(text)") }
            made[String(parts[0])] = String(parts[1])
        }
        let rules = OptionRules(presets: made)
        for name in made.keys {
            do throws(ProxyURLError) {
                try OptionRules.check(name, rules)
            } catch {
                throw ValidationError("preset \(name): \(error)")
            }
        }
        return made
    }

    private func makeSources() throws -> [any ImageSource] {
        var policy = AddressPolicy.publicOnly
        for text in allowNetworks.words {
            guard let network = IPNetwork(text) else { throw ValidationError("\(text) is no network") }
            policy.allowedNetworks.append(network)
        }
        var http = HTTPSource.Configuration()
        http.addresses = policy
        http.maxByteCount = maxSourceBytes
        http.unsaidFreshness = .seconds(sourceAge)
        http.staleIfError = .seconds(staleIfError)
        http.totalTimeout = .seconds(timeout)
        let source = HTTPSource(HTTPClientTransport(addresses: policy), http)
        return localRoot.map { [source, LocalFiles(root: $0)] } ?? [source]
    }

    private func makeProcessing() throws -> PictureProcessing {
        var limits = DecodingLimits.untrusted
        limits.maxPixelCount = maxSourcePixels
        limits.maxInputByteCount = maxSourceBytes
        limits.maxMemoryByteCount = memory
        var processing = PictureProcessing(limits: limits, budget: DecodingBudget(byteCount: memory))
        processing.maxFrameCount = maxFrames
        processing.maxResultSide = maxResultSide
        processing.quality = quality
        if let watermark {
            var options = DecodingOptions()
            options.firstFrameOnly = true
            options.color = .converted(to: .sRGB)
            processing.watermark = try RasterImage(contentsOfFile: watermark, options: options)
        }
        return processing
    }
}
