// How pictures are decoded if a request says nothing, and options as part of a key.

public import ImageCodecsCore

extension DecodingOptions {
    /// What a request asks for if it says nothing: the whole picture, ready to be shown, in sRGB.
    public static let loading: DecodingOptions = {
        var options = DecodingOptions()
        options.color = .converted(to: .sRGB)
        return options
    }()

    /// What these options make of a picture, as text: equal exactly if the pixels are. Never empty.
    var variant: String {
        guard self != .loading else { return "d" }
        var text = "d"
        switch size {
        case .full: break
        case .fitting(let box, let fit):
            text += ",\(box.width)x\(box.height) \(fit.rawValue) \(thumbnailQuality.rawValue)"
        case .atMost(let byteCount): text += ",\(byteCount) bytes \(thumbnailQuality.rawValue)"
        }
        if size != .full, scaling == .linear { text += ",linear" }
        switch color {
        case .asStored: text += ",stored colors"
        case .converted(let space, let strictness):
            text += ",\(space.rawValue)"
            if strictness == .strict { text += " strictly" }
        }
        if pixelFormat != .bgraPremultiplied { text += ",\(pixelFormat.map { "\($0)" } ?? "own")" }
        if firstFrameOnly { text += ",first" }
        if !appliesOrientation { text += ",as stored" }
        if strictness == .tolerant { text += ",tolerant" }
        if scaleFactor > 1 { text += ",@\(scaleFactor)" }
        if let formatHint { text += ",\(formatHint.name)" }
        return text
    }
}
