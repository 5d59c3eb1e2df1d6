// Files of any kind, sound or not: what can be decoded of them is written as PNG, JPEG and WebP, with all that they say.

import CodecTestSupport
import HostileFiles
import ImageCodecs
import ImageCodecsCore
import JPEGCodec
import PNGCodec

enum EncodeAgainCheck {
    /// The file that any bytes become: themselves if they are one, otherwise one of a generator, now and then changed.
    static func file(_ bytes: [UInt8]) -> [UInt8] {
        guard FileUnits(bytes) == nil else { return bytes }
        var source = DecisionSource(bytes)
        let format = source.pick(StructuredFormat.allCases)
        var choices = DecisionSource(hashOf: bytes)
        // Half of the files are sound, but for what is changed afterwards.
        source.isCalm = choices.oneIn(2)
        let file = format.file(source)
        guard choices.oneIn(3) else { return file }
        let (place, value) = (choices.below(1 << 16), choices.byte())
        return UnitMutator.mutated(file, largest: 1 << 20, &choices) { body, _ in
            guard !body.isEmpty else { return body }
            var body = body
            body[place % body.count] = value
            return body
        } ?? file
    }

    static func violations(_ bytes: [UInt8]) -> [String] {
        let file = file(bytes)
        var source = DecisionSource(hashOf: file)
        var options = DecodingOptions()
        options.limits = .small
        options.strictness = source.oneIn(5) ? .strict : .tolerant
        options.appliesOrientation = source.oneIn(2)
        options.pixelFormat = source.oneIn(2) ? nil : source.pick(PixelFormat.all)
        options.firstFrameOnly = source.oneIn(2)
        if source.oneIn(4) {
            options.size = .fitting(PixelSize(width: 1 + source.below(40), height: 1 + source.below(40)))
        }
        guard let image = try? StructuredFormat.registry.decode(ImageData(file), options: options) else { return [] }
        var encoding = EncodingOptions()
        encoding.effort = source.pick(EncodingOptions.Effort.allCases)
        encoding.quality = source.oneIn(3) ? Double(source.below(101)) / 100 : nil
        encoding.embedsThumbnail = source.oneIn(2)
        encoding.jpeg.isProgressive = source.pick([nil, true, false])
        encoding.jpeg.restartInterval = source.oneIn(3) ? 1 + source.below(9) : 0
        if source.oneIn(5) { encoding.maxFileByteCount = 1 << (8 + source.below(6)) }
        if source.oneIn(5) { encoding.maxPixelSize = PixelSize(width: 1 + source.below(90), height: source.below(90)) }
        return [ImageFormat.jpeg, .png, .webP].flatMap { format in
            let encoding = StructuredFormat.registry.qualityUsed(encoding, writing: format)
            return violations(image, format, encoding) + conversionViolations(file, format, options, encoding)
        }
    }

    private static func violations(
        _ image: RasterImage, _ format: ImageFormat, _ options: EncodingOptions
    ) -> [String] {
        // A long metadata block and too many plays are refused by name, a short file cannot always be had; nothing else is in the way.
        let longest = image.metadata.exif?.count ?? 0
        let plays = image.animation?.loopCount ?? 0
        do throws(ImageError) {
            let once = try write(image, format, options)
            var plain = options
            plain.embedsThumbnail = false
            let again = try write(once, format, plain)
            let isSame = once.metadata == again.metadata && once.orientation == again.orientation
            return isSame || options.maxFileByteCount != nil
                ? [] : ["\(format.name) \(image.size): other metadata the second time"]
        } catch .invalidArgument(let text) where text.contains("are allowed") && options.maxFileByteCount != nil {
            return []
        } catch .invalidArgument(let text) where text.contains("has room for") && longest > 65400 {
            return []
        } catch .invalidArgument(let text) where text.contains("plays") && format == .webP && plays > 65535 {
            return []
        } catch {
            return ["\(format.name) \(image.size) \(image.bitmap.format): \(error.code) \(error)"]
        }
    }

    /// A conversion, whose rows may come from a running decode, makes the file that decoding and then encoding makes; of a
    /// damaged file some file, for rows that are missing need not look the same.
    private static func conversionViolations(
        _ file: [UInt8], _ format: ImageFormat, _ decoding: DecodingOptions, _ encoding: EncodingOptions
    ) -> [String] {
        var conversion = ImageConversion(encoding: encoding)
        conversion.decoding = decoding
        conversion.decoding.firstFrameOnly = true
        conversion.encoding.firstFrameOnly = true
        let meter = MemoryMeter()
        conversion.encoding.memoryMeter = meter
        var found: [String] = []
        var isWhole = true
        func encoded(_ decoding: DecodingOptions, _ encoding: EncodingOptions) throws(ImageError) -> [UInt8] {
            var image = try CoderRegistry.shared.decode(ImageData(file), options: decoding)
            image.animation = nil
            isWhole = image.partial == nil
            // A preview shows what the picture was before it was scaled or turned.
            let info = try? CoderRegistry.shared.inspect(ImageData(file), options: conversion.decoding)
            let isChanged = info.map {
                $0.decodedSize != $0.size || (decoding.appliesOrientation && $0.orientation != .up)
            }
            if isChanged ?? true { image.metadata.exif = image.metadata.exif.map { ExifThumbnail.removed(from: $0) } }
            return try CoderRegistry.shared.encode(image, to: format, options: encoding)
        }
        let expected = outcome { () throws(ImageError) in
            var (decoding, encoding) = (conversion.decoding, encoding)
            let losses = LossLog()
            encoding.losses = losses
            let stored = try encoded(decoding, encoding)
            // What the new file cannot say of the colours is applied.
            let colors: Set<ImageMetadata.Kind> = [.iccProfile, .codePoints, .gamma, .chromaticities]
            guard !losses.lostMetadata.isDisjoint(with: colors) else { return stored }
            decoding.color = .converted(to: .sRGB)
            return try encoded(decoding, encoding)
        }
        let converted = outcome { () throws(ImageError) in
            var bytes: [UInt8] = []
            try conversion.convert(ImageData(file), to: format) { bytes.append(contentsOf: $0) }
            return bytes
        }
        if expected.error != converted.error || (isWhole && expected != converted) {
            found.append("\(format.name) \(encoding.effort): conversion \(converted), not \(expected)")
        }
        if meter.current != 0 { found.append("\(meter.current) bytes are held after a conversion") }
        return found
    }

    /// A file, or why there is none.
    private struct Outcome: Equatable, CustomStringConvertible {
        var file: [UInt8] = []
        var error: String?

        var description: String { error ?? "a file of \(file.count) bytes" }
    }

    private static func outcome(_ body: () throws(ImageError) -> [UInt8]) -> Outcome {
        do throws(ImageError) {
            return Outcome(file: try body())
        } catch {
            return Outcome(error: error.code)
        }
    }

    /// What comes back of an image that is written.
    private static func write(
        _ image: RasterImage, _ format: ImageFormat, _ options: EncodingOptions
    ) throws(ImageError) -> RasterImage {
        var decoding = DecodingOptions()
        decoding.appliesOrientation = false
        decoding.pixelFormat = nil
        let file = try StructuredFormat.registry.encode(image, to: format, options: options)
        let read = try StructuredFormat.registry.decode(ImageData(file), options: decoding)
        guard read.orientation == image.orientation else {
            throw .invalidArgument("orientation \(read.orientation), not \(image.orientation)")
        }
        return read
    }
}
