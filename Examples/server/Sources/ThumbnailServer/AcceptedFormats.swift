// The header `Accept`: which of the formats that a server writes does the client like best?

import ImageCodecs

/// The media ranges of an `Accept` header and their weights.
///
/// Source: RFC 9110 §12.5.1 "Accept", §12.4.2 "Quality Values".
package struct AcceptedFormats: Sendable {
    /// `image/webp`, `image/*` or `*/*`, in lower case, and what it is worth: 0 (not acceptable) ... 1.
    private struct Range {
        var type: Substring
        var quality = 1.0
    }

    private var ranges: [Range]

    /// - Parameter header: the header's value; `nil` if there is none, which accepts everything.
    package init(_ header: String?) {
        ranges = (header ?? "*/*").lowercased().split(separator: ",").map { element in
            let parts = element.split(separator: ";").map { $0.drop { $0.isWhitespace } }
            var range = Range(type: parts.first?.prefix { !$0.isWhitespace } ?? "")
            for parameter in parts.dropFirst() where parameter.hasPrefix("q=") {
                let quality = Double(parameter.dropFirst(2).prefix { !$0.isWhitespace }) ?? 0
                range.quality = quality.isFinite ? min(max(quality, 0), 1) : 0
            }
            return range
        }
    }

    /// What a format is worth to the client: the weight of the most specific range that names it, 0 if none does.
    package func quality(of format: ImageFormat) -> Double {
        for type in [format.mimeType, "image/*", "*/*"] {
            if let range = ranges.first(where: { $0.type == type }) { return range.quality }
        }
        return 0
    }

    /// The format that the client likes best, the earlier one of several; `nil` if it accepts none of them.
    package func best(of offered: [ImageFormat]) -> ImageFormat? {
        var best: (format: ImageFormat?, quality: Double) = (nil, 0)
        for format in offered where quality(of: format) > best.quality { best = (format, quality(of: format)) }
        return best.format
    }
}

/// What thumbnails are written as. Of formats that are liked alike, JPEG is the one that is written soonest.
package struct ThumbnailFormats: Sendable {
    /// The format of pictures without transparent pixels, and of those with.
    package let opaque, transparent: ImageFormat

    /// - Returns: `nil` if the client accepts none of the formats.
    package init?(_ accepted: AcceptedFormats) {
        guard let opaque = accepted.best(of: [.jpeg, .webP, .png]),
            let transparent = accepted.best(of: [.webP, .png, .jpeg])
        else { return nil }
        (self.opaque, self.transparent) = (opaque, transparent)
    }
}
