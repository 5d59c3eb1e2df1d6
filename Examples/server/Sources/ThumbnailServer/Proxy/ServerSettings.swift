// Settings by flags and by the environment: `--cache-dir /var/cache/pictures` or `IMAGE_PROXY_CACHE_DIR=/var/cache/pictures`.

import ImageCaching
import ImageCodecs
import ImageLoading
import ImageLoadingHTTP
import ImagePipeline
import ImageProxyURL

/// What is wrong with a setting.
package struct SettingsError: Error, CustomStringConvertible {
    package let description: String
}

/// The settings of the program, as text.
package struct ServerSettings: Sendable {
    private struct Setting: Sendable {
        let name: String
        let value: String
        let help: String
        var initial = ""
    }

    /// Values that were set, by names.
    private var values: [String: String] = [:]

    /// Reads settings; flags count more than the environment.
    ///
    /// - Parameters:
    ///   - arguments: `--name value`, or `--name` for what is on or off; an address and a port may stand first.
    ///   - environment: the value of a variable.
    package init(arguments: [String], environment: (String) -> String?) throws(SettingsError) {
        for setting in Self.all {
            let name = "IMAGE_PROXY_" + setting.name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
            if let value = environment(name) { values[setting.name] = value }
        }
        var rest = arguments[...]
        for name in ["address", "port"] {
            if let first = rest.first, !first.hasPrefix("-") { values[name] = rest.removeFirst() }
        }
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), let setting = Self.all.first(where: { "--" + $0.name == argument }) else {
                throw SettingsError(description: "there is no flag \(argument); --help lists all")
            }
            if setting.value.isEmpty {
                values[setting.name] = "1"
            } else {
                guard let value = rest.popFirst() else {
                    throw SettingsError(description: "\(argument) lacks its value")
                }
                values[setting.name] = value
            }
        }
    }

    /// What the program says to `--help`.
    package static var help: String {
        var text = """
            usage: thumbnail-server [ADDRESS [PORT]] [FLAGS]

            Each flag is a variable of the environment too: --max-age is IMAGE_PROXY_MAX_AGE. Keys are better there: others see flags.


            """
        for setting in all {
            let head = "  --\(setting.name) \(setting.value)"
            let end = setting.initial.isEmpty ? "" : " (\(setting.initial))"
            text += head + String(repeating: " ", count: max(1, 34 - head.count)) + setting.help + end + "\n"
        }
        return text
    }

    private static let all = [
        Setting(name: "address", value: "TEXT", help: "where it listens", initial: "127.0.0.1"),
        Setting(name: "port", value: "N", help: "0 is any that is free", initial: "8080"),
        Setting(name: "key", value: "HEX[,HEX]", help: "keys of signatures; several are valid at once"),
        Setting(name: "salt", value: "HEX[,HEX]", help: "their salts, in the same order"),
        Setting(name: "signature-size", value: "N", help: "bytes of a signature", initial: "32"),
        Setting(name: "allow-unsigned", value: "", help: "answers any address if there is no key"),
        Setting(
            name: "sources", value: "LIST",
            help: "prefixes of sources that are allowed, * is anything but a slash; all without"),
        Setting(
            name: "allow-networks", value: "LIST",
            help: "networks that are not public and may be asked: 10.0.0.0/8,127.0.0.1/32"),
        Setting(name: "local-root", value: "PATH", help: "folder whose files are local:///NAME"),
        Setting(name: "presets", value: "LIST", help: "name=options, separated by commas: avatar=rs:fill:96:96/g:sm"),
        Setting(name: "only-presets", value: "", help: "addresses have names of presets in place of options"),
        Setting(name: "quality", value: "N", help: "of formats that lose something", initial: "80"),
        Setting(name: "max-source-bytes", value: "N", help: "the most bytes of a source", initial: "33554432"),
        Setting(name: "max-source-pixels", value: "N", help: "the most pixels of a source", initial: "67108864"),
        Setting(
            name: "max-frames", value: "N", help: "the most frames of an animation; 1 makes stills of all",
            initial: "300"),
        Setting(name: "max-result-side", value: "N", help: "the longest side of a result", initial: "8192"),
        Setting(name: "max-work", value: "N", help: "sources under way at once", initial: "32"),
        Setting(
            name: "max-waiting", value: "N", help: "sources that wait for that; more are answered with 429",
            initial: "1000"),
        Setting(name: "memory", value: "BYTES", help: "for pixels under way", initial: "268435456"),
        Setting(name: "result-memory", value: "BYTES", help: "for results in memory", initial: "134217728"),
        Setting(name: "cache-dir", value: "PATH", help: "folder for sources and results; none without"),
        Setting(name: "cache-bytes", value: "N", help: "what they may take there, half each", initial: "10737418240"),
        Setting(
            name: "source-age", value: "SECONDS", help: "how long sources are fresh that say nothing of it",
            initial: "3600"),
        Setting(
            name: "stale-if-error", value: "SECONDS", help: "how much longer they do if their server fails",
            initial: "86400"),
        Setting(
            name: "max-age", value: "SECONDS", help: "the longest time that clients keep a picture", initial: "86400"),
        Setting(name: "timeout", value: "SECONDS", help: "for getting a source", initial: "30"),
        Setting(name: "watermark", value: "PATH", help: "the picture of the option watermark"),
        Setting(name: "fallback", value: "PATH", help: "stands in for sources that fail"),
        Setting(
            name: "log-level", value: "LEVEL", help: "trace, debug, info, notice, warning, error", initial: "notice"),
    ]

    // MARK: - Values

    package func text(_ name: String) -> String {
        values[name] ?? Self.all.first { $0.name == name }?.initial ?? ""
    }

    private func isOn(_ name: String) -> Bool { ["1", "true", "yes", "on"].contains(text(name).lowercased()) }

    private func list(_ name: String) -> [String] { text(name).split(separator: ",").map(String.init) }

    package func number(_ name: String, _ range: ClosedRange<Int> = 0...Int.max) throws(SettingsError) -> Int {
        guard let number = Int(text(name)), range.contains(number) else {
            throw SettingsError(description: "\(name) is a number of at least \(range.lowerBound)")
        }
        return number
    }

    private func seconds(_ name: String) throws(SettingsError) -> Duration {
        .seconds(try number(name, 0...Int(Int32.max)))
    }

    // MARK: - Parts

    /// The proxy of these settings; `nil` if it has no key and is not to do without.
    package func makeProxy() throws -> ImageProxy? {
        let (keys, salts) = (list("key"), list("salt"))
        if keys.isEmpty, !isOn("allow-unsigned") { return nil }
        guard let signatures = URLSignatures(keys: keys, salts: salts, byteCount: try number("signature-size", 1...32))
        else {
            throw SettingsError(description: "keys and salts are as many, in hexadecimal digits")
        }
        var configuration = ImageProxy.Configuration()
        configuration.signatures = signatures
        configuration.sources = AllowedSources(list("sources"))
        configuration.rules = OptionRules(presets: try presets(), allowsOnlyPresets: isOn("only-presets"))
        configuration.resultByteCount = try number("result-memory")
        configuration.maxWorkCount = try number("max-work", 1...100_000)
        configuration.maxWaitingCount = try number("max-waiting")
        configuration.maxAge = try seconds("max-age")
        if !text("fallback").isEmpty { configuration.fallback = try ImageData(contentsOfFile: text("fallback")) }
        var loader = ImageLoader.Configuration()
        if !text("cache-dir").isEmpty {
            let byteCount = try number("cache-bytes")
            loader.disk = try DiskCache(path: text("cache-dir") + "/sources", byteCount: byteCount / 2)
            configuration.results = try DiskCache(path: text("cache-dir") + "/results", byteCount: byteCount / 2)
        }
        loader.sources = try sources()
        loader.maxByteCount = try number("max-source-bytes")
        loader.maxTransferCount = configuration.maxWorkCount
        return ImageProxy(configuration, processing: try processing(), loader: loader)
    }

    private func presets() throws(SettingsError) -> [String: String] {
        var presets: [String: String] = [:]
        for text in list("presets") {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw SettingsError(description: "a preset is name=options, not \(text)") }
            presets[String(parts[0])] = String(parts[1])
        }
        let rules = OptionRules(presets: presets)
        for name in presets.keys {
            do throws(ProxyURLError) {
                try OptionRules.check(name, rules)
            } catch {
                throw SettingsError(description: "preset \(name): \(error)")
            }
        }
        return presets
    }

    private func sources() throws -> [any ImageSource] {
        var policy = AddressPolicy.publicOnly
        for text in list("allow-networks") {
            guard let network = IPNetwork(text) else { throw SettingsError(description: "\(text) is no network") }
            policy.allowedNetworks.append(network)
        }
        var http = HTTPSource.Configuration()
        http.addresses = policy
        http.maxByteCount = try number("max-source-bytes")
        http.unsaidFreshness = try seconds("source-age")
        http.staleIfError = try seconds("stale-if-error")
        http.totalTimeout = try seconds("timeout")
        var sources: [any ImageSource] = [HTTPSource(HTTPClientTransport(addresses: policy), http)]
        if !text("local-root").isEmpty { sources.append(LocalFiles(root: text("local-root"))) }
        return sources
    }

    private func processing() throws -> PictureProcessing {
        let memory = try number("memory", 1...Int.max)
        var limits = DecodingLimits.untrusted
        limits.maxPixelCount = try number("max-source-pixels", 1...Int.max)
        limits.maxInputByteCount = try number("max-source-bytes", 1...Int.max)
        limits.maxMemoryByteCount = memory
        var processing = PictureProcessing(limits: limits, budget: DecodingBudget(byteCount: memory))
        processing.maxFrameCount = try number("max-frames", 1...100_000)
        processing.maxResultSide = try number("max-result-side", 1...65_535)
        processing.quality = try number("quality", 1...100)
        if !text("watermark").isEmpty {
            var options = DecodingOptions()
            options.firstFrameOnly = true
            options.color = .converted(to: .sRGB)
            processing.watermark = try RasterImage(contentsOfFile: text("watermark"), options: options)
        }
        return processing
    }
}
