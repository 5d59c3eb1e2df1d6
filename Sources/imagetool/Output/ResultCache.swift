// Results of earlier runs: a file that did not change is not decoded again.

import ArgumentParser
import FoundationEssentials
import ImageCaching
import ImageCodecs
import ImageLoading

/// Where results are kept.
struct CacheArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep results in this folder, and take them from there if a file was not changed since and everything asked for is the same.",
            valueName: "folder"))
    var cache: String?

    @Option(
        help: ArgumentHelp(
            "Most bytes that the folder takes; what was not used for the longest time goes.", valueName: "size"))
    var cacheSize = ByteCount(bytes: 1 << 30)

    /// The cache of a conversion; `nil` if none was asked for.
    ///
    /// - Throws: `inputOutput` if the folder cannot be used.
    func results(_ conversion: PictureConversion) throws -> ResultCache? {
        guard let cache else { return nil }
        return ResultCache(try DiskCache(path: cache, byteCount: cacheSize.bytes, maxAge: nil), conversion)
    }
}

/// Results by what they were made of: file, length, time of change, and all that was asked for.
final class ResultCache: Sendable {
    private let disk: DiskCache
    private let settings: String

    init(_ disk: DiskCache, _ conversion: PictureConversion) {
        self.disk = disk
        settings = ImageTool.configuration.version + " " + Self.text(conversion)
    }

    /// All that decides on the bytes of a result.
    private static func text(_ conversion: PictureConversion) -> String {
        var conversion = conversion
        // Who watches and how many threads work changes no byte.
        (conversion.encoding.progress, conversion.encoding.stopwatch) = (nil, nil)
        conversion.decoding.maxThreadCount = 1
        let encoding = conversion.encoding
        // Options of formats are in a dictionary, whose order is another in each process.
        let general = Mirror(reflecting: encoding).children.filter { $0.label != "formatOptions" }.map { "\($0)" }
        let look = encoding.targetQuality ?? -1
        let formats = "\(look) \(encoding.png) \(encoding.gif) \(encoding.jpeg) \(encoding.webp)"
        let rest = Mirror(reflecting: conversion).children.filter { $0.label != "encoding" }.map { "\($0)" }
        return (rest + general + [formats]).joined(separator: " ")
    }

    /// The result of an earlier run, and what was known of it.
    func find(_ key: CacheKey) -> (bytes: ImageData, result: PictureConversion.Result)? {
        guard let entry = disk.entry(for: key), let result = Self.result(entry) else { return nil }
        return (entry.bytes, result)
    }

    /// Keeps a result.
    func store(_ bytes: [UInt8], _ result: PictureConversion.Result, for key: CacheKey) {
        // What people are warned of is done again, so that they are warned again.
        guard result.warnings.isEmpty, result.partial == nil else { return }
        let attributes = [
            "width": "\(result.size.width)", "height": "\(result.size.height)", "input": "\(result.inputByteCount)",
        ]
        // A full disk is no reason to fail: the result is written where it belongs.
        try? disk.insert(DiskEntry(bytes: ImageData(bytes), attributes: attributes), for: key)
    }

    /// What the result of a file is found by; `nil` for what is no file.
    func key(_ file: InputFile, _ format: OutputFormat) -> CacheKey? {
        guard file.path != "-", file.problem == nil else { return nil }
        let path = file.path.hasPrefix("/") ? file.path : FileManager.default.currentDirectoryPath + "/" + file.path
        guard let version = FileSource().version(of: path) else { return nil }
        return CacheKey(source: path + "\u{0}" + version, variant: "\(format) \(settings)")
    }

    private static func result(_ entry: DiskEntry) -> PictureConversion.Result? {
        let numbers = ["width", "height", "input"].compactMap { entry.attributes[$0].flatMap { Int($0) } }
        guard numbers.count == 3 else { return nil }
        return PictureConversion.Result(
            size: PixelSize(width: numbers[0], height: numbers[1]), partial: nil, warnings: [],
            byteCount: entry.bytes.count,
            inputByteCount: numbers[2])
    }

    /// Writes down what is there, so that the next run begins at once.
    func close() { disk.close() }
}
