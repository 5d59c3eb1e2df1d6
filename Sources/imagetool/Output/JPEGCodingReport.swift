// What the tables of a JPEG file say about how it was written.

import ImageCodecs
import ImageInspection
import JPEGBaselineCodec

/// Quality and sampling of one file.
struct JPEGCodingReport: Sendable {
    /// Compares the table of the first component; that of the chroma may be any.
    private let quality: QualityEstimate?
    /// `4:2:0`, as the headers' description has it.
    private let subsampling: String?

    /// Bytes looked at first, and at most: thumbnails and profiles stand before the tables.
    private static let headByteCounts = [1 << 16, 1 << 19, 1 << 22]

    /// Looks ahead in a file up to its first scan; `nil` for other formats.
    ///
    /// - Parameter limits: of which time counts.
    init?(ahead reader: inout FileReader, limits: DecodingLimits) throws(ImageError) {
        let start = try reader.peek(ImageFormat.sniffingByteCount)
        guard start.withSpan({ ImageFormat(sniffing: $0) }) == .jpeg else { return nil }
        for byteCount in Self.headByteCounts {
            let head = try reader.peek(byteCount)
            // What is wrong with the file is reported by its inspection.
            guard let listing = try? JPEGMarkerListing(ImageData(head), limits: limits) else { return nil }
            if listing.hasScan || head.count < byteCount {
                self.init(listing)
                return
            }
        }
        return nil
    }

    /// The same of a file in memory.
    init?(_ data: ImageData, limits: DecodingLimits) {
        guard let listing = try? JPEGMarkerListing(data, limits: limits) else { return nil }
        self.init(listing)
    }

    private init(_ listing: JPEGMarkerListing) {
        quality = listing.qualityEstimate
        subsampling = listing.frame.flatMap(Self.subsampling)
    }

    /// How much less chroma there is than luma, as people write it; `nil` for gray and for unusual factors.
    private static func subsampling(_ frame: JPEGFrameHeader) -> String? {
        let factors = frame.components.map { SIMD2($0.horizontalSampling, $0.verticalSampling) }
        guard factors.count == 3, factors[1] == factors[2] else { return nil }
        let (luma, chroma) = (factors[0], factors[1])
        guard luma.x % chroma.x == 0, luma.y % chroma.y == 0 else { return nil }
        return switch (luma.x / chroma.x, luma.y / chroma.y) {
        case (1, 1): "4:4:4"
        case (2, 1): "4:2:2"
        case (2, 2): "4:2:0"
        case (1, 2): "4:4:0"
        case (4, 1): "4:1:1"
        case (4, 2): "4:1:0"
        default: nil
        }
    }

    var textLines: [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = []
        if let quality {
            let table = quality.isExact ? "exactly the standard's" : "nearest to the standard's"
            let note = "estimated from the luminance table, \(table) at this setting"
            lines.append(("quality", "\(quality.quality) of 100 (\(note))"))
        }
        if let subsampling { lines.append(("subsampling", subsampling)) }
        return lines
    }

    var members: [(key: String, value: JSONValue)] {
        [
            ("jpegQuality", .optional(quality?.quality)),
            ("jpegQualityIsExact", quality.map { .bool($0.isExact) } ?? .null),
            ("chromaSubsampling", subsampling.map { .string($0) } ?? .null),
        ]
    }
}
