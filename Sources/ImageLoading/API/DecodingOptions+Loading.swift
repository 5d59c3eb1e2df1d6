// How pictures are decoded if a request says nothing, and options as part of a key.

public import ImageCodecsCore

extension DecodingOptions {
    /// What a request asks for if it says nothing: the whole picture, ready to be shown.
    public static let loading: DecodingOptions = {
        let options = DecodingOptions()
        // Conversion to sRGB is set here, and its place in a key is in `variant` below.
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
        if pixelFormat != .bgraPremultiplied { text += ",\(pixelFormat.map { "\($0)" } ?? "own")" }
        if firstFrameOnly { text += ",first" }
        if !appliesOrientation { text += ",as stored" }
        if strictness == .tolerant { text += ",tolerant" }
        if scaleFactor > 1 { text += ",@\(scaleFactor)" }
        if let formatHint { text += ",\(formatHint.name)" }
        return text
    }
}
