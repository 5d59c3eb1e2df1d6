// How many bytes a picture's samples have, and how many they are coded in.

package import ImageCodecsCore

/// Bytes of the samples at the file's own depth, rows padded to whole bytes, against bytes of coded data.
package struct CompressionRatio: Sendable {
    package let rawByteCount: Int
    package let codedByteCount: Int

    /// - Parameter data: the file that `listing` is of; `nil` for formats and headers that do not say.
    package init?(_ listing: FileListing, _ data: ImageData) {
        let raw: Int?
        var coded = 0
        switch listing.format {
        case .png, .apng:
            raw = listing.parts.first { $0.name == "IHDR" }.flatMap { Self.pngByteCount($0, data) }
            for part in listing.parts where part.name == "IDAT" {
                coded += min(part.byteCount ?? 0, max(0, data.count - part.offset - 8))
            }
        case .jpeg:
            raw = listing.parts.first { $0.name.hasPrefix("SOF") }.flatMap { Self.jpegByteCount($0, data) }
            for case .count(let count) in listing.parts.flatMap(\.details).filter({ $0.key == "codedByteCount" }).map(
                \.value)
            {
                coded += count
            }
        default: return nil
        }
        guard let raw, raw > 0, coded > 0 else { return nil }
        (rawByteCount, codedByteCount) = (raw, coded)
    }

    /// From IHDR (PNG 3rd ed. §11.2.1).
    private static func pngByteCount(_ header: FileListing.Part, _ data: ImageData) -> Int? {
        guard let body = data.bytes(header.offset + 8..<header.offset + 18),
            let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][body[9]]
        else { return nil }
        let width = body[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let height = body[4..<8].reduce(0) { $0 << 8 | Int($1) }
        return byteCount(width, height, bitsPerPixel: channels * Int(body[8]))
    }

    /// From the frame header (T.81 §B.2.2): every component at full size.
    private static func jpegByteCount(_ frame: FileListing.Part, _ data: ImageData) -> Int? {
        guard let body = data.bytes(frame.offset + 4..<frame.offset + 10) else { return nil }
        let (height, width) = (Int(body[1]) << 8 | Int(body[2]), Int(body[3]) << 8 | Int(body[4]))
        return byteCount(width, height, bitsPerPixel: Int(body[0]) * Int(body[5]))
    }

    private static func byteCount(_ width: Int, _ height: Int, bitsPerPixel: Int) -> Int? {
        // Below 2^32 times at most 255 * 255, so that only the last product can overflow.
        let row = (width * bitsPerPixel + 7) / 8
        let (bytes, overflow) = row.multipliedReportingOverflow(by: height)
        return overflow ? nil : bytes
    }
}
