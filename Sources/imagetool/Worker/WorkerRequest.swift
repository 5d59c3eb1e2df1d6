// One job as an engine sends it: where the picture is, what to do with it, where the result goes.

import FoundationEssentials
import ImageCodecs

/// A job, its keys checked.
struct WorkerRequest: Sendable {
    enum Operation: String, CaseIterable, Sendable {
        case info, checksum, thumbnail, convert
    }

    enum Input: Sendable {
        case path(String)
        case bytes([UInt8])
    }

    let operation: Operation
    let input: Input
    /// `nil` for a result that comes back in the answer.
    let output: String?
    let conversion: PictureConversion
    let format: OutputFormat?
    let isForced: Bool
    let showsGPS: Bool

    /// - Throws: `invalidArgument` for a key that is not known, or a value that makes no sense.
    init(_ members: [String: JSONValue], limits: DecodingLimits) throws(ImageError) {
        var reader = RequestReader(members)
        reader.pass("id")
        guard let operation: Operation = try reader.choice("operation") else {
            throw .invalidArgument("\"operation\" is missing: \(RequestReader.list(Operation.self))")
        }
        self.operation = operation
        conversion = try Self.conversion(&reader, operation, limits: limits)
        input = try Self.input(&reader)
        output = try reader.string("output")
        let formatName = try reader.string("format")
        format = formatName.flatMap { OutputFormat(name: $0) }
        if let formatName, format == nil {
            throw .invalidArgument("\"format\": " + OutputFormat.refusal(of: formatName))
        }
        isForced = try reader.bool("force") ?? false
        showsGPS = try reader.bool("gps") ?? false
        try reader.finish()
        if output == "-" { throw .invalidArgument("\"output\" cannot be standard output; leave it out for base64") }
        if operation == .thumbnail, conversion.reduction.size == nil, conversion.reduction.limitBytes == nil {
            throw .invalidArgument("a thumbnail needs a \"size\" or \"limitBytes\"")
        }
    }

    private static func input(_ reader: inout RequestReader) throws(ImageError) -> Input {
        let path = try reader.string("path")
        let base64 = try reader.string("base64")
        if let path, base64 == nil {
            guard path != "-", !StandardDescriptors.isStandardInput(path) else {
                throw .invalidArgument("\"path\" cannot be standard input: jobs come from there")
            }
            return .path(path)
        }
        guard let base64, path == nil else { throw .invalidArgument("give either \"path\" or \"base64\"") }
        guard let data = Data(base64Encoded: base64) else { throw .invalidArgument("\"base64\" is not valid base64") }
        return .bytes(Array(data))
    }

    private static func conversion(
        _ reader: inout RequestReader, _ operation: Operation, limits: DecodingLimits
    ) throws(ImageError) -> PictureConversion {
        var options = DecodingOptions()
        options.pixelFormat = operation == .checksum ? .rgba : operation == .info ? options.pixelFormat : nil
        // A checksum is of all frames; the estimate of an inspection is for one, as that of info.
        options.firstFrameOnly = operation != .checksum
        options.appliesOrientation =
            operation == .checksum ? false : try reader.bool("appliesOrientation") ?? true
        options.strictness = try reader.bool("tolerant") ?? false ? .tolerant : .strict
        options.maxThreadCount = try reader.count("threads") ?? 1
        options.thumbnailQuality = try reader.choice("thumbnailQuality") ?? .best
        options.scaling = try reader.choice("scaling") ?? .asStored
        options.limits = try Self.limits(&reader, limits)
        options.convertsToSRGB = try reader.bool("srgb") ?? (operation == .thumbnail)
        var conversion = PictureConversion(decoding: options, reduction: try reduction(&reader))
        conversion.wantsAllFrames = !(try reader.bool("firstFrame") ?? (operation == .thumbnail))
        conversion.encoding.quality = try reader.number("quality", in: 0...100).map { $0 / 100 }
        conversion.encoding.targetQuality = try reader.number("look", in: 0...100)
        conversion.encoding.effort = try reader.choice("effort") ?? .default
        conversion.encoding.maxFileByteCount = try reader.byteCount("maxBytes")
        conversion.isLossless = try reader.bool("lossless") ?? false
        conversion.encoding.keepsPixels = conversion.isLossless
        if try reader.bool("lossy") ?? false { conversion.encoding.webp.isLossless = false }
        conversion.encoding.webp.choosesLoss = try reader.bool("auto") ?? false
        conversion.encoding.webp.isNearLossless = try reader.bool("nearLossless") ?? false
        conversion.encoding.webp.keepsInvisibleColors = try reader.bool("exact") ?? false
        if let text = try reader.string("background") {
            guard let color = OpaqueColor(argument: text) else {
                throw .invalidArgument("\"background\" must be a colour such as \"ff8000\"")
            }
            conversion.encoding.background = color.components
        }
        let usual: EncodingOptions.MetadataPolicy = operation == .thumbnail ? .colors : .all
        conversion.encoding.metadata = try reader.choice("metadata") ?? usual
        return conversion
    }

    private static func reduction(_ reader: inout RequestReader) throws(ImageError) -> PictureReduction {
        var reduction = PictureReduction()
        if let text = try reader.string("size") {
            guard let size = SizeRequest(text) else {
                throw .invalidArgument("\"size\" must be of the form \(SizeRequest.forms)")
            }
            reduction.size = size
        }
        reduction.fit = try reader.choice("fit") ?? .fit
        reduction.gravity = try reader.choice("gravity") ?? .center
        reduction.limitBytes = try reader.byteCount("limitBytes")
        return reduction
    }

    private static func limits(
        _ reader: inout RequestReader, _ usual: DecodingLimits
    ) throws(ImageError) -> DecodingLimits {
        let preset: LimitArguments.Preset? = try reader.choice("limits")
        var limits = preset?.limits ?? usual
        if let count = try reader.count("maxDimension") { limits.maxDimension = count }
        if let count = try reader.count("maxPixels") { limits.maxPixelCount = count }
        if let count = try reader.byteCount("maxMemory") { limits.maxMemoryByteCount = count }
        if let count = try reader.count("maxFrames") { limits.maxFrameCount = count }
        if let count = try reader.count("maxFramePixels") { limits.maxFramePixelCount = count }
        if let count = try reader.count("maxScans") { limits.maxScanCount = count }
        if let count = try reader.byteCount("maxInput") { limits.maxInputByteCount = count }
        if let count = try reader.byteCount("maxMetadata") { limits.maxMetadataByteCount = count }
        if let seconds = try reader.number("maxTime", in: 1e-9...1e9) { limits.maxTime = .seconds(seconds) }
        return limits
    }
}
