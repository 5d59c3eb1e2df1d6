// Work is in proportion to the bytes of the file and to the pixels that it describes.

#if canImport(Glibc)
internal import Glibc
import ImageInspection
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import ImageCodecsCore

extension HostileFileCheck {
    /// What a decode of the file may do at most, by what it is given and what it makes of it.
    ///
    /// - Parameter callCount: calls that fed the bytes.
    /// - Returns: Questions whether to go on, and units of work; `nil` if the file does not say how large it is.
    func allowedWork(callCount: Int) -> (checks: Int, units: Int)? {
        guard let info, let pixels = info.size.pixelCount else { return nil }
        // Each pass over the picture, a frame or a scan, and one more for its output.
        let passes = max(info.animation?.frameCount ?? 1, scanCount) + 1
        let rows = info.size.height.multipliedSaturated(by: passes)
        let samples = pixels.multipliedSaturated(by: passes)
        // The canvas of a frame is cleared, drawn on, saved, restored, converted and turned, which are four bytes a pixel each.
        let drawn = samples.multipliedSaturated(by: info.animation == nil ? 1 : 4)
        // Deflate makes at most 1032 bytes of one; of metadata no more than the limits admit. A byte of VP8L may stand for 158
        // lengths of prefix codes.
        let unpacked =
            switch info.format {
            case .png, .apng: min(options.limits.maxMetadataByteCount, file.count.multipliedSaturated(by: 1032))
            case .webP: file.count.multipliedSaturated(by: 16)
            case .gif: hiddenPixelCount
            default: 0
            }
        let rowBytes = rows.multipliedSaturated(by: Self.shortestRow)
        let each = [file.count, callCount, drawn, rowBytes, unpacked].reduce(0) {
            $0.addingSaturated($1.multipliedSaturated(by: Self.unitsEach))
        }
        // Each scan of a JPEG makes its tables anew.
        let tables = info.format == .jpeg ? min(scanCount, options.limits.maxScanCount) : 0
        let units = each.addingSaturated(tables.multipliedSaturated(by: Self.unitsPerScan))
        // Of a JPEG each block may be a restart interval.
        let places = [file.count, rows, samples / 64, callCount].reduce(0) { $0.addingSaturated($1) }
        return (places.multipliedSaturated(by: Self.checksEach).addingSaturated(units / Self.unitsPerCheck), units)
    }

    /// Pixels of images that are larger than the canvas they are drawn on: all are read.
    private var hiddenPixelCount: Int {
        guard let canvas = info?.size.pixelCount, let parts = try? FileListing(of: ImageData(file)).parts
        else { return file.count.multipliedSaturated(by: 1365) }
        return parts.reduce(0) { sum, part in
            guard case .count(let width)? = part.details.first(where: { $0.key == "width" })?.value,
                case .count(let height)? = part.details.first(where: { $0.key == "height" })?.value
            else { return sum }
            return sum.addingSaturated(max(0, width * height - canvas))
        }
    }

    /// Windows of LZW data, twice while they grow, of GIF images that are larger than the canvas: the header does not say
    /// that there are any, so the estimate leaves them out.
    var hiddenWindowByteCount: Int {
        guard info?.format == .gif else { return 0 }
        return min(hiddenPixelCount.multipliedSaturated(by: 2), 32 << 20)
    }

    /// Units for each byte of the file, each piece that it comes in, each pixel of a picture or scan, each byte of a frame's
    /// canvas, of a shortest row and of metadata.
    private static let unitsEach = 12
    /// Units for the Huffman tables of a scan: two for each of four components, of 1,316 numbers each.
    private static let unitsPerScan = 8 * 1316
    /// Questions for each byte, row of a pass, block and call.
    private static let checksEach = 2
    /// Units after which there is a question at the latest.
    private static let unitsPerCheck = 1 << 14
    /// Bytes that rows of bitmaps begin at a multiple of.
    private static let shortestRow = 64

    /// Scans that the file may have: places that look like the marker SOS.
    private var scanCount: Int {
        zip(file, file.dropFirst()).reduce(0) { $0 + ($1 == (0xFF, 0xDA) ? 1 : 0) }
    }

    /// Complains about work out of proportion.
    mutating func checkWork(_ log: WorkLog, _ name: String, callCount: Int = 1) {
        guard let allowed = allowedWork(callCount: callCount) else { return }
        if log.checkCount > allowed.checks {
            complain("\(name): asked \(log.checkCount) times whether to go on, \(allowed.checks) expected")
        }
        if log.unitCount > allowed.units {
            complain("\(name): \(log.unitCount) units of work, \(allowed.units) expected")
        }
    }
}

/// Time that the calling thread worked; what other programs do meanwhile is not in it.
struct ThreadTime {
    private let start = ThreadTime.now

    /// Time since this was made.
    var elapsed: Duration { Self.now - start }

    private static var now: Duration {
        var time = timespec()
        // SAFETY: the structure is this function's own.
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
