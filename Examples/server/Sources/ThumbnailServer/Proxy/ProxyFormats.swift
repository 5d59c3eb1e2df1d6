// Which format a client gets that asks for none in the address.

import ImageCodecs

/// What the header `Accept` says, as far as it decides on a result: few kinds, so that results are shared.
struct ProxyFormats: Hashable, Sendable {
    /// Whether WebP is named, which is written then whatever the source is.
    let prefersWebP: Bool
    /// The formats that are taken.
    let accepted: [ImageFormat]

    /// - Parameter header: the header's value; `nil` if there is none, which accepts everything.
    init(_ header: String?) {
        let formats = AcceptedFormats(header)
        accepted = [.jpeg, .png, .gif, .webP].filter { formats.quality(of: $0) > 0 }
        prefersWebP = accepted.contains(.webP) && header?.lowercased().contains("image/webp") == true
    }

    /// Equal for clients that get the same.
    var key: String { prefersWebP ? "webp" : accepted.map { String($0.name.prefix(1)) }.joined() }

    /// The format for a picture: that of its source if it can be, else one that keeps what the picture has.
    func format(for kind: PictureKind) -> ImageFormat {
        if prefersWebP { return .webP }
        var wanted: [ImageFormat] =
            if kind.isAnimated { [.gif, .webP, .png, .jpeg] } else if kind.hasAlpha { [.png, .webP, .gif, .jpeg] } else
            {
                [.jpeg, .webP, .png, .gif]
            }
        let own: ImageFormat = kind.source == .apng ? .png : kind.source
        if own != .webP, !kind.isAnimated || own != .jpeg { wanted.insert(own, at: 0) }
        return wanted.first { accepted.contains($0) } ?? .jpeg
    }
}
