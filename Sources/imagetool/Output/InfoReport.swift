// An ImageInfo as text for people and as JSON.

import ImageCodecs

/// What is told about one file.
struct InfoReport {
    let path: String
    let fileByteCount: Int
    let info: ImageInfo

    /// A line with the path, then indented lines of name and value.
    var text: String {
        var lines: [(name: String, value: String)] = [
            ("format", "\(info.format.name) (\(info.format.mimeType))"),
            ("size", "\(info.size) pixels"),
            ("samples", "\(info.colorDescription), \(info.bitDepth) bits" + (info.hasAlpha ? ", with alpha" : "")),
            ("storage", info.isProgressive ? "progressive" : "top to bottom"),
            ("orientation", "\(info.orientation) (\(info.orientation.rawValue))"),
            ("file", "\(fileByteCount) bytes"),
            ("decoded", "\(info.decodedByteCount) bytes, at most \(info.peakByteCount) while decoding"),
        ]
        if let animation = info.animation {
            let frames = animation.frameCount.map { "\($0) frames" } ?? "an unknown number of frames"
            let plays = animation.loopCount == 0 ? "for ever" : "\(animation.loopCount) times"
            lines.append(("animation", "\(frames), played \(plays)"))
        }
        if info.hasUndecodedAnimation { lines.append(("animation", "not decoded: only the still picture is")) }
        if let trailing = info.trailingByteCount, trailing > 0 { lines.append(("trailing", "\(trailing) bytes")) }
        lines += info.metadata.textLines
        return path.replacingControlCharacters
            + lines.map { "\n  " + $0.name.padded(to: 14) + $0.value.replacingControlCharacters }.joined()
    }

    var json: JSONValue {
        .object([
            ("path", .string(path)), ("format", .string(info.format.shortName)),
            ("mimeType", .string(info.format.mimeType)),
            ("width", .integer(info.size.width)), ("height", .integer(info.size.height)),
            ("frameCount", .optional(info.animation == nil ? 1 : info.animation?.frameCount)),
            ("loopCount", .optional(info.animation?.loopCount)),
            ("hasUndecodedAnimation", .bool(info.hasUndecodedAnimation)),
            ("hasAlpha", .bool(info.hasAlpha)), ("bitDepth", .integer(info.bitDepth)),
            ("color", .string(info.colorDescription)), ("isProgressive", .bool(info.isProgressive)),
            ("orientation", .integer(info.orientation.rawValue)), ("fileByteCount", .integer(fileByteCount)),
            ("decodedByteCount", .integer(info.decodedByteCount)), ("peakByteCount", .integer(info.peakByteCount)),
            ("trailingByteCount", .optional(info.trailingByteCount)), ("metadata", info.metadata.json),
        ])
    }
}

extension String {
    /// The string with spaces behind it.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(1, width - count)) }

    /// The string fit for one line of a terminal: neither text in a file nor a file's name may move the cursor, begin a
    /// line or change the direction of writing.
    var replacingControlCharacters: String {
        guard unicodeScalars.contains(where: \.isControlling) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControlling ? "·" : $0 }))
    }
}

extension Unicode.Scalar {
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
