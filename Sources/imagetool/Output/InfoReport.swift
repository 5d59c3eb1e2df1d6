// An ImageInfo as text for people and as JSON.

import ImageCodecs
import ImageColor

/// What is printed about one file.
struct InfoReport {
    let path: String
    let fileByteCount: Int
    let info: ImageInfo
    /// What the tables of a JPEG file say.
    var jpeg: JPEGCodingReport?
    /// What the chunks of a WebP file say.
    var webP: WebPCodingReport?
    /// Whether the place is printed where the picture was taken.
    var showsGPS = false
    /// Whether every tag and property is printed.
    var showsAllTags = false
    /// Every frame, if they are listed.
    var frames: FrameTable?

    private var exif: ExifReport? {
        info.metadata.photo.flatMap { ExifReport($0, showsGPS: showsGPS || showsAllTags) }
    }
    private var tags: ExifTagReport? {
        showsAllTags ? info.metadata.exif.flatMap { ExifBlock($0) }.map { ExifTagReport($0) } : nil
    }
    private var properties: XMPPropertyReport? {
        showsAllTags ? info.metadata.xmpPacket.map { XMPPropertyReport($0) } : nil
    }
    private var colors: ColorReportLines? { ColorReportLines(info.metadata) }
    private var profileDescription: String? {
        info.metadata.iccProfile.flatMap { $0.withSpan { ICCProfileDescription.text(of: $0) } }
    }

    /// A line with the path, then indented lines of name and value.
    var text: String {
        var lines: [(name: String, value: String)] = [
            ("format", "\(info.format.name) (\(info.format.mimeType))"),
            ("size", "\(info.size) pixels"),
            ("samples", "\(info.colorDescription), \(info.bitDepth) bits" + (info.hasAlpha ? ", with alpha" : "")),
            ("alpha", info.hasAlpha ? "yes" : "no"),
            ("frames", frameCount),
            ("storage", info.isProgressive ? "progressive" : "top to bottom"),
            ("orientation", "\(info.orientation) (\(info.orientation.rawValue))"),
            ("file", "\(fileByteCount) bytes"),
            ("decoded", "\(info.decodedByteCount) bytes, about \(info.estimatedPeakByteCount) while decoding"),
        ]
        if info.hasUndecodedAnimation { lines.append(("animation", "not decoded: only the still picture is")) }
        if let trailing = info.trailingByteCount, trailing > 0 { lines.append(("trailing", "\(trailing) bytes")) }
        if let jpeg { lines += jpeg.textLines }
        if let webP { lines += webP.textLines }
        if let colors { lines.append(("colours", colors.text)) }
        if let exif { lines += exif.textLines }
        lines += info.metadata.textLines
        if let tags { lines += tags.textLines }
        if let properties { lines += properties.textLines }
        if let frames { lines += frames.textLines }
        return path.replacingControlCharacters
            + lines.map { "\n  " + $0.name.padded(to: 14) + $0.value.replacingControlCharacters }.joined()
    }

    private var frameCount: String {
        guard let animation = info.animation else { return "1" }
        let count = animation.frameCount.map(String.init) ?? "an unknown number"
        return count + ", played " + (animation.loopCount == 0 ? "for ever" : "\(animation.loopCount) times")
    }

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("path", .string(path)), ("format", .string(info.format.shortName)),
            ("mimeType", .string(info.format.mimeType)),
            ("width", .integer(info.size.width)), ("height", .integer(info.size.height)),
            ("frameCount", .optional(info.animation == nil ? 1 : info.animation?.frameCount)),
            ("loopCount", .optional(info.animation?.loopCount)),
            ("hasUndecodedAnimation", .bool(info.hasUndecodedAnimation)),
            ("hasAlpha", .bool(info.hasAlpha)), ("bitDepth", .integer(info.bitDepth)),
            ("color", .string(info.colorDescription)), ("isProgressive", .bool(info.isProgressive)),
            ("orientation", .integer(info.orientation.rawValue)), ("fileByteCount", .integer(fileByteCount)),
            ("decodedByteCount", .integer(info.decodedByteCount)),
            ("estimatedPeakByteCount", .integer(info.estimatedPeakByteCount)),
            ("trailingByteCount", .optional(info.trailingByteCount)), ("metadata", info.metadata.json),
        ]
        if let jpeg { members += jpeg.members }
        if let webP { members += webP.members }
        if let profileDescription { members.append(("iccProfileDescription", .string(profileDescription))) }
        if let colors { members.append(("colors", colors.json)) }
        if let exif { members.append(("exif", exif.json)) }
        if let tags { members.append(("exifTags", tags.json)) }
        if let properties { members.append(("xmpProperties", properties.json)) }
        if let frames { members += frames.members }
        return .object(members)
    }

    /// The template with this file's properties in its places.
    func text(_ template: Template<InfoField>) -> String {
        template.filled { field in
            switch field {
            case .path: path.replacingControlCharacters
            case .name: FilePath.name(path).replacingControlCharacters
            case .format: info.format.shortName
            case .width: String(info.size.width)
            case .height: String(info.size.height)
            case .frames: info.animation == nil ? "1" : info.animation?.frameCount.map(String.init) ?? "?"
            case .alpha: info.hasAlpha ? "yes" : "no"
            case .bytes: String(fileByteCount)
            case .orientation: String(info.orientation.rawValue)
            case .mime: info.format.mimeType
            }
        }
    }
}

/// What `info --format` can print.
enum InfoField: String, TemplateField {
    case path, name, format, width, height, frames, alpha, bytes, orientation, mime
}

extension String {
    /// The string with spaces after it.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(1, width - count)) }

    /// The string fit for one line of a terminal: neither text in a file nor a file's name may move the cursor, begin a
    /// line or change the direction of writing. A byte of a name that is no UTF-8 is shown as what cannot be shown.
    var replacingControlCharacters: String {
        guard unicodeScalars.contains(where: { $0.shown != $0 }) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map(\.shown)))
    }
}

extension Unicode.Scalar {
    /// What is shown of it on a terminal.
    fileprivate var shown: Unicode.Scalar {
        if SystemPath.isByte(self) { return "\u{FFFD}" }
        return isControlling ? "·" : self
    }

    /// Whether it says how to show other characters, or where.
    fileprivate var isControlling: Bool {
        // Printable ASCII, without a look at tables.
        if (0x20..<0x7F).contains(value) { return false }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
