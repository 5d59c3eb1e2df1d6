// The formats that can be written: those of the registered coders, and a few plain ones of the tool's own.

import ArgumentParser
import ImageCodecs

/// A format named on the command line or by a file extension.
enum OutputFormat: Sendable {
    /// Written by a coder of the registry.
    case coded(ImageFormat)
    /// A portable anymap.
    case portable(PNMWriter)
    /// The pixels and nothing else, without row padding.
    case raw

    /// Whether it is one of the tool's own, which hold pixels and nothing about them.
    var isPlain: Bool {
        if case .coded = self { false } else { true }
    }

    var isJPEG: Bool { if case .coded(.jpeg) = self { true } else { false } }

    /// Every name that can be asked for, as the registered coders have it.
    static var names: [String] {
        ImageFormat.all.filter { CoderRegistry.shared.canEncode(to: $0) }.map(\.shortName)
            + PNMWriter.allCases.map(\.rawValue) + ["raw"]
    }

    /// The names of those that may lose something.
    static var lossyNames: [String] {
        ImageFormat.all.filter { CoderRegistry.shared.usesQuality(writing: $0) }.map(\.shortName)
    }

    /// Refuses a quality that means nothing, as encoding would, and losslessness for a format that always loses something.
    ///
    /// - Parameter optionOf: how an option is called where the request comes from.
    func check(
        _ options: EncodingOptions, isLossless: Bool, optionOf: (String) -> String
    ) throws(ImageError) {
        if case .coded(let format) = self {
            if isLossless, CoderRegistry.shared.traits(writing: format, options: options)?.quality == .setsLoss {
                throw .invalidArgument(
                    "\(format.shortName) always loses something: \(optionOf("lossless")) is for other formats"
                        + (isJPEG ? ", and for jpeg files cut and turned" : ""))
            }
            if CoderRegistry.shared.usesQuality(writing: format, options: options) {
                return try checkLook(options, optionOf: optionOf)
            }
        }
        try checkLook(options, optionOf: optionOf)
        guard options.quality != nil else { return }
        let reason = "\(name) loses nothing, so \(optionOf("quality")) means nothing for it"
        guard case .coded(let format) = self else { throw .invalidArgument(reason) }
        if format == .webP {
            throw .invalidArgument(
                "\(reason) with \(optionOf("lossless")): \(optionOf("effort")) says how much time to take for a small file"
            )
        }
        throw .invalidArgument(
            "\(reason): \(optionOf("effort")) says how much time to take for a small file, "
                + "and \(optionOf("format")) asks for another format, such as jpeg")
    }

    /// Refuses a look that nothing can be lost for.
    private func checkLook(_ options: EncodingOptions, optionOf: (String) -> String) throws(ImageError) {
        guard options.targetQuality != nil else { return }
        if case .coded(let format) = self, CoderRegistry.shared.usesTargetQuality(writing: format, options: options) {
            return
        }
        throw .invalidArgument("\(name) loses nothing with these options, so \(optionOf("look")) means nothing for it")
    }

    /// What to say about a name or a file extension that is none of a format that can be written.
    static func refusal(of name: String) -> String {
        let what = name.isEmpty ? "files without an extension" : ".\(name) files".replacingControlCharacters
        return "cannot write \(what); \(names.list(and: "and")) can be written"
    }

    /// The format of a name such as `png`, or of a file extension such as `jpg`.
    init?(name: String) {
        let name = name.lowercased()
        if name == "raw" || name == "rgba" {
            self = .raw
        } else if let writer = PNMWriter(rawValue: name) {
            self = .portable(writer)
        } else if let format = ImageFormat.all.first(where: { $0.shortName == name })
            ?? ImageFormat(fileExtension: name), CoderRegistry.shared.canEncode(to: format)
        {
            self = .coded(format)
        } else {
            return nil
        }
    }

    /// The name it is asked for by.
    var name: String {
        switch self {
        case .coded(let format): format.shortName
        case .portable(let writer): writer.rawValue
        case .raw: "raw"
        }
    }

    /// The usual extension of a file in this format.
    var fileExtension: String {
        switch self {
        case .coded(let format): format.fileExtensions.first ?? format.shortName
        case .portable(let writer): writer.rawValue
        case .raw: "raw"
        }
    }

    /// The bytes of a file that no coder writes.
    func encode(_ image: RasterImage, pixelFormat: PixelFormat, options: EncodingOptions) throws(ImageError) -> [UInt8]
    {
        var bytes: [UInt8] = []
        switch self {
        case .coded(let format): return try CoderRegistry.shared.encode(image, to: format, options: options)
        case .portable(let writer): bytes = try writer.encode(options.prepared(image, keepsAlpha: writer == .pam))
        case .raw:
            let bitmap = try options.prepared(image, keepsAlpha: pixelFormat.hasAlpha)
            bytes.reserveCapacity(bitmap.size.pixelCount.map { $0 * pixelFormat.bytesPerPixel } ?? 0)
            try bitmap.forEachRow(in: pixelFormat) { bytes.append(contentsOf: $0) }
        }
        if let most = options.maxFileByteCount, bytes.count > most {
            throw .invalidArgument(
                "the \(fileExtension) file has \(bytes.count) bytes, \(most) are allowed by --max-bytes")
        }
        return bytes
    }
}

extension OutputFormat {
    /// Remarks about what a picture has lost.
    func remarks(_ losses: LossLog) -> [ConversionRemark] {
        if case .coded(let format) = self { return losses.remarks(writing: format) }
        return [losses.alphaRemark(writing: { if case .raw = self { "such raw" } else { name } }())].compactMap { $0 }
    }
}

extension OutputFormat: ExpressibleByArgument {
    init?(argument: String) { self.init(name: argument) }
    static var allValueStrings: [String] { names }
    var defaultValueDescription: String { fileExtension }
}
