// encode ∘ decode: any picture, any options, PNG, JPEG, GIF and WebP.
//
// A request is refused for a reason that can be told beforehand, or the file is read strictly in its size: the same from rows
// and from a bitmap, within the estimate, within the size limit, with the metadata that were to be written.

import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import ImageEncoding
import ImagePhotoMetadata
import JPEGBaselineCodec
import JPEGCodec
import PNGCodec
import WebPCodec

enum EncodeDecodeCheck {
    static let registry = CoderRegistry([JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder()])

    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        do throws(ImageError) {
            let recipe = try EncodingRecipe(&source)
            return violations(recipe).map { "\(recipe): \($0)" }
        } catch {
            return ["no picture: \(error)"]
        }
    }

    /// What is wrong with how the recipe's picture is written.
    static func violations(_ recipe: EncodingRecipe) -> [String] {
        let bitmap = written(recipe, from: .bitmap)
        let rows = written(recipe, from: .rows)
        var found = bitmap.violations + rows.violations.map { "rows: \($0)" }
        switch (bitmap.file, rows.file) {
        case (let file?, let other?):
            if file != other { found.append("rows make another file than the bitmap") }
            found += fileViolations(file, recipe, bitmap.losses)
        case (nil, nil): break
        default:
            // Rows are held where a bitmap need not be, so a limit on memory may be between.
            if !recipe.limitsMemory { found.append("only one of bitmap and rows is refused") }
        }
        if rows.file != nil, let misuse = recipe.misuse { found += violations(recipe, misusedBy: misuse) }
        return found
    }

    /// A sink that fails and rows that are wrong end a session; nothing is held, and it says the same again.
    private static func violations(_ recipe: EncodingRecipe, misusedBy misuse: EncodingRecipe.Misuse) -> [String] {
        var options = recipe.options
        let meter = MemoryMeter()
        options.memoryMeter = meter
        var found: [String] = []
        do throws(ImageError) {
            try misused(misuse, recipe, options)
            found.append("\(misuse) does not matter")
        } catch {
            let expected = misuse == .failingSink ? "inputOutput" : "invalidArgument"
            if error.code != expected { found.append("\(misuse): \(error.code) \(error)") }
        }
        if meter.current != 0 { found.append("\(misuse): \(meter.current) bytes are held after the end") }
        return found
    }

    private static func misused(
        _ misuse: EncodingRecipe.Misuse, _ recipe: EncodingRecipe, _ options: EncodingOptions
    ) throws(ImageError) {
        let bitmap = recipe.image.bitmap
        var session = try registry.makeEncodingSession(
            to: recipe.format, EncodedPicture(recipe.image), from: .rows, options: options)
        let sink: EncodedBytesSink = { (_) throws(ImageError) in
            if misuse == .failingSink { throw .inputOutput(path: "", message: "full") }
        }
        var failure: ImageError?
        do throws(ImageError) {
            for y in 0..<bitmap.height - (misuse == .missingRow ? 1 : 0) {
                try bitmap.withRow(y) { (row) throws(ImageError) in
                    let isShort = misuse == .shortRow && y == bitmap.height / 2
                    try session.write(isShort ? row.extracting(droppingLast: 1) : row, to: sink)
                }
            }
            if misuse == .extraRow {
                try bitmap.withRow(0) { (row) throws(ImageError) in try session.write(row, to: sink) }
            }
            try session.finish(to: sink)
        } catch {
            failure = error
        }
        guard let failure else { return }
        do throws(ImageError) {
            try session.finish(to: sink)
        } catch {
            throw error == failure ? error : .unknownFormat
        }
    }

    private struct Outcome {
        var file: [UInt8]?
        let losses = LossLog()
        var violations: [String] = []
    }

    /// Writes a picture, its rows one by one or all at once.
    private static func written(_ recipe: EncodingRecipe, from origin: EncodingSession.Source) -> Outcome {
        var outcome = Outcome()
        var options = recipe.options
        let meter = MemoryMeter()
        options.memoryMeter = meter
        options.losses = outcome.losses
        var estimate: Int?
        do throws(ImageError) {
            outcome.file = try write(recipe, from: origin, options) { estimate = $0 }
            if let reason = recipe.refusal { outcome.violations.append("written in spite of \(reason)") }
        } catch {
            if let violation = recipe.violation(of: error, estimate: estimate) { outcome.violations.append(violation) }
        }
        if let estimate, meter.peak > estimate { outcome.violations.append("held \(meter.peak) of \(estimate) bytes") }
        if meter.current != 0 { outcome.violations.append("\(meter.current) bytes are held after the end") }
        return outcome
    }

    private static func write(
        _ recipe: EncodingRecipe, from origin: EncodingSession.Source, _ options: EncodingOptions,
        _ estimated: (Int) -> Void
    ) throws(ImageError) -> [UInt8] {
        let bitmap = recipe.image.bitmap
        var session = try registry.makeEncodingSession(
            to: recipe.format, EncodedPicture(recipe.image), from: origin, options: options)
        estimated(session.estimatedPeakByteCount)
        var file: [UInt8] = []
        var hasEmptyPieces = false
        let sink: EncodedBytesSink = { piece in
            hasEmptyPieces = hasEmptyPieces || piece.isEmpty
            file.append(contentsOf: piece)
        }
        switch origin {
        case .bitmap: try session.encode(bitmap, to: sink)
        case .rows:
            for y in 0..<bitmap.height {
                try bitmap.withRow(y) { (row) throws(ImageError) in try session.write(row, to: sink) }
            }
            try session.finish(to: sink)
        }
        if hasEmptyPieces { throw .invalidArgument("an empty piece came") }
        return file
    }

    /// What is wrong with a file.
    private static func fileViolations(
        _ file: [UInt8], _ recipe: EncodingRecipe, _ losses: LossLog
    ) -> [String] {
        var found: [String] = []
        if let most = recipe.options.maxFileByteCount, file.count > most {
            found.append("\(file.count) bytes, \(most) are allowed")
        }
        var options = DecodingOptions()
        options.limits = .unlimited
        options.appliesOrientation = false
        options.strictness = .strict
        options.pixelFormat = recipe.format == .png ? .rgba16 : recipe.format == .webP ? .rgba : nil
        do throws(ImageError) {
            let read = try registry.decode(ImageData(file), options: options)
            if !recipe.allows(read.size) { found.append("\(read.size) pixels came back") }
            // GIF has no place for it.
            if recipe.format != .gif, read.orientation != recipe.image.orientation {
                found.append("orientation \(read.orientation)")
            }
            if read.size == recipe.image.size { found += try pixelViolations(read.bitmap, recipe, losses) }
            found += recipe.metadataViolations(read.metadata, of: read.bitmap.format)
        } catch {
            found.append("cannot be read: \(error)")
        }
        return found
    }

    /// Without loss the pixels are those of the picture; with some, one colour is still about that colour.
    private static func pixelViolations(
        _ bitmap: Bitmap, _ recipe: EncodingRecipe, _ losses: LossLog
    ) throws(ImageError) -> [String] {
        let source = recipe.image.bitmap
        guard recipe.format != .gif else { return [] }
        if recipe.format == .webP, !recipe.writesLossyWebP { return try webPViolations(bitmap, recipe) }
        guard recipe.format == .jpeg || recipe.format == .webP else {
            let flat = try recipe.options.background.map { (color) throws(ImageError) in
                try source.flattened(onto: color)
            }
            if try bitmap == (flat ?? source).converted(to: .rgba16) { return [] }
            return fewerColorsViolations(bitmap, recipe, losses)
        }
        guard recipe.isFlat, recipe.options.quality ?? 0.8 >= 0.7, recipe.options.maxFileByteCount == nil else {
            return []
        }
        let (first, second) = (
            try source.converted(to: .rgb).packedBytes(), try bitmap.converted(to: .rgb).packedBytes()
        )
        let largest = zip(first, second).map { abs(Int($0) - Int($1)) }.max() ?? 0
        return largest <= 16 ? [] : ["a flat picture is off by \(largest)"]
    }
}

extension EncodeDecodeCheck {
    /// A PNG file has other colours only where its size is limited, at most as many as a palette holds, and that is said.
    private static func fewerColorsViolations(
        _ bitmap: Bitmap, _ recipe: EncodingRecipe, _ losses: LossLog
    ) -> [String] {
        let options = recipe.options
        guard options.maxFileByteCount != nil, options.png.mayReduceColors else { return ["other pixels came back"] }
        let bytes = bitmap.packedBytes()
        let pixels = stride(from: 0, to: bytes.count, by: 8).map { bytes[$0..<$0 + 8] }
        let colorCount = Set(pixels).count
        return (colorCount > 256 ? ["\(colorCount) colours came back"] : [])
            + (losses.count(of: .colors) > 0 ? [] : ["that colours are lost is not said"])
    }

    /// Without loss the pixels are those of the picture in eight bits; invisible ones may have other colours.
    private static func webPViolations(_ bitmap: Bitmap, _ recipe: EncodingRecipe) throws(ImageError) -> [String] {
        let (options, isLimited) = (recipe.options, recipe.options.maxFileByteCount != nil)
        let isExact = options.webp.isNearLossless ? options.quality == 1 && !isLimited : true
        guard isExact, options.webp.isLossless == true || !isLimited else { return [] }
        let flat = try recipe.options.background.map { (color) throws(ImageError) in
            try recipe.image.bitmap.flattened(onto: color)
        }
        let expected = try (flat ?? recipe.image.bitmap).converted(to: .rgba)
        guard !recipe.options.webp.keepsInvisibleColors else {
            return bitmap == expected ? [] : ["other pixels came back"]
        }
        return visible(bitmap) == visible(expected) ? [] : ["other visible pixels came back"]
    }

    /// The bytes of a picture in straight RGBA, transparent pixels zero.
    private static func visible(_ bitmap: Bitmap) -> [UInt8] {
        var bytes = bitmap.packedBytes()
        for place in stride(from: 0, to: bytes.count, by: 4) where bytes[place + 3] == 0 {
            for channel in 0..<3 { bytes[place + channel] = 0 }
        }
        return bytes
    }
}

extension EncodingRecipe: CustomStringConvertible {
    var description: String {
        var text = "\(image.size) \(image.bitmap.format) as \(format.name), \(options.effort)"
        if let quality = options.quality { text += ", quality \(quality)" }
        if format == .jpeg { text += ", \(options.jpeg)" }
        if let most = options.maxFileByteCount {
            text += ", at most \(most) bytes\(options.mayScaleDown ? "" : " in this size")"
        }
        if let box = options.maxPixelSize { text += ", in \(box)" }
        if options.embedsThumbnail { text += ", with a preview" }
        return text
    }

    var limitsMemory: Bool { options.limits != .default }

    /// Whether the file's picture may have this size.
    func allows(_ size: PixelSize) -> Bool {
        let box = options.maxPixelSize.map { image.orientation.swapsAxes ? $0.transposed : $0 }
        let largest = box.map { image.size.fitted(in: $0) } ?? image.size
        guard options.maxFileByteCount != nil, options.mayScaleDown else { return size == largest }
        return size.width <= largest.width && size.height <= largest.height && !size.isEmpty
    }
}

// MARK: - Refusals

extension EncodingRecipe {
    /// Whether the file's pixels have no chroma, or are inks.
    private var hasChroma: Bool {
        let background = options.background ?? SIMD3(repeating: 255)
        switch image.bitmap.format.layout {
        case .cmyk, .gray: return false
        case .grayAlpha: return background.x != background.y || background.y != background.z
        case .bgra, .rgba, .rgb: return true
        }
    }

    /// Why the request must be refused whatever the picture shows, if it must.
    var refusal: String? {
        if let most = options.maxFileByteCount, most < 1 { return "a file of \(most) bytes" }
        if options.quality != nil, !usesQuality { return "a quality of what loses nothing" }
        if format == .gif {
            if !(2...256).contains(options.gif.colorCount) { return "a table of \(options.gif.colorCount) colours" }
            return options.maxPixelSize == nil && max(image.size.width, image.size.height) > 65535
                ? "a side that long" : nil
        }
        if format == .webP, options.webp.isLossless == false, options.webp.isNearLossless { return "loss and none" }
        if format == .webP, options.maxPixelSize == nil,
            max(image.size.width, image.size.height) > (writesLossyWebP ? 16383 : 16384)
        {
            return "a side that long"
        }
        guard format == .jpeg || (format == .webP && (options.webp.isNearLossless || writesLossyWebP)) else {
            return nil
        }
        if let quality = options.quality, !(quality >= 0 && quality <= 1) { return "quality \(quality)" }
        guard format == .jpeg else { return nil }
        if !(0...65535).contains(options.jpeg.restartInterval) { return "restart interval" }
        if options.jpeg.subsampling != nil, !hasChroma { return "chroma that the picture has not" }
        if options.jpeg.tables == .fitted, image.bitmap.format == .cmyk { return "fitted tables for inks" }
        if options.maxPixelSize == nil, max(image.size.width, image.size.height) > longestSide {
            return "a side that long"
        }
        return nil
    }

    /// The longest side that a file of the format may have with these options.
    private var longestSide: Int {
        switch format {
        case .webP: options.webp.isLossless == true || options.webp.isNearLossless ? 16384 : 16383
        case .jpeg where !options.jpeg.allowsLongSides: 65500
        default: 65535
        }
    }

    /// Whether the request may be refused, whatever the picture shows.
    private var mayBeRefused: Bool {
        refusal != nil || max(image.size.width, image.size.height) > longestSide
            || (options.metadata == .all && (image.metadata.exif ?? []).count > 65400)
    }

    /// What is wrong with an error.
    ///
    /// - Parameter estimate: of the session; `nil` if there was none.
    func violation(of error: ImageError, estimate: Int?) -> String? {
        switch error {
        case .unsupported(.webP, _):
            if refusal != nil { return nil }
        case .invalidArgument(let text):
            if mayBeRefused { return nil }
            guard let most = options.maxFileByteCount, text.contains(", \(most) are allowed") else { break }
            return fits(most) ? "refused though a file fits: \(text)" : nil
        case .limitExceeded(.dimension, let requested, let allowed):
            if mayBeRefused, requested > allowed { return nil }
        case .limitExceeded(.encodingMemory, let requested, let allowed):
            let isRight = allowed == options.limits.maxMemoryByteCount && requested > allowed && estimate == nil
            if isRight, limitsMemory || options.maxFileByteCount ?? 0 > 1 << 31 { return nil }
        default: break
        }
        return "\(error.code): \(error)"
    }

    /// Whether a file of no more than so many bytes can be had by asking for less quality or for one pixel.
    private func fits(_ most: Int) -> Bool {
        var options = options
        options.maxFileByteCount = nil
        options.limits = .default
        // GIF files lose colours to meet a size; quality is about their strings, and stays.
        if format != .gif { options.quality = 0 }
        options = EncodeDecodeCheck.registry.qualityUsed(options, writing: format)
        options.gif.colorCount = min(16, options.gif.colorCount)
        if self.options.mayScaleDown { options.maxPixelSize = PixelSize(width: 1, height: 1) }
        guard let file = try? EncodeDecodeCheck.registry.encode(image, to: format, options: options) else {
            return false
        }
        return file.count <= most
    }
}

// MARK: - Metadata

extension EncodingRecipe {
    /// A packet with zeros in the place of its extension's digest, which is corrected where it is written.
    private static func withoutExtensionName(_ packet: [UInt8]?) -> [UInt8]? {
        guard var packet else { return nil }
        let attribute = Array("HasExtendedXMP=\"".utf8)
        guard packet.count >= attribute.count + 32 else { return packet }
        for start in 0...packet.count - attribute.count - 32
        where packet[start..<start + attribute.count].elementsEqual(attribute) {
            for index in start + attribute.count..<start + attribute.count + 32 { packet[index] = 0 }
        }
        return packet
    }

    /// What came back of the metadata that is not what went in.
    func metadataViolations(_ read: ImageMetadata, of pixelFormat: PixelFormat) -> [String] {
        let wanted: ImageMetadata
        switch options.metadata {
        case .all: wanted = image.metadata
        case .colors: wanted = image.metadata.colors
        case .none: wanted = ImageMetadata()
        }
        var found: [String] = []
        func expect<Value: Equatable>(_ name: String, _ value: Value?, _ expected: Value?) {
            if value != expected { found.append("\(name) \(value as Any), not \(expected as Any)".shortened) }
        }
        if format == .webP {
            expect("XMP", read.xmp, wanted.xmp.flatMap { $0.isEmpty ? nil : $0 })
            let isRGB = wanted.iccProfile.map { ICCColorSpace(ofProfile: $0) == .rgb } ?? false
            expect("profile", read.iccProfile, isRGB ? wanted.iccProfile : nil)
        }
        guard format == .jpeg else { return [] }
        // One that is longer than a segment comes back as several.
        if wanted.comments.contains(where: { $0.utf8.count > 65533 }) {
            expect("comments", read.comments.joined(), wanted.comments.joined())
        } else {
            expect("comments", read.comments, wanted.comments)
        }
        expect("XMP", Self.withoutExtensionName(read.xmp), Self.withoutExtensionName(wanted.xmp))
        expect("IPTC", read.iptc, wanted.iptc)
        if let profile = read.iccProfile { expect("profile", profile, wanted.iccProfile) }
        if options.embedsThumbnail == false, wanted.exif == nil, image.orientation == .up {
            expect("EXIF", read.exif, nil)
        }
        if let exif = read.exif, options.embedsThumbnail, let preview = ExifThumbnail.jpeg(in: exif) {
            if (try? JPEGCoder().decode(ImageData(preview), options: .default)) == nil, !hasOwnPreview(wanted) {
                found.append("a preview that cannot be read")
            }
        }
        return found
    }

    private func hasOwnPreview(_ metadata: ImageMetadata) -> Bool {
        metadata.exif.map { ExifThumbnail.jpeg(in: $0) != nil } ?? false
    }
}

extension String {
    /// The beginning of a long text.
    fileprivate var shortened: String { count <= 300 ? self : "\(prefix(300))…" }
}
