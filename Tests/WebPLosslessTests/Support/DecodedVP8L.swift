// Runs the stream decoder on bytes, whole or in pieces.

import CodecTestSupport
import ImageCodecsCore
import WebPLosslessCodec

/// What came of a bitstream.
struct DecodedVP8L {
    /// Rows as they were handed over, one after another.
    private(set) var bytes: [UInt8] = []
    private(set) var stream: VP8LStream
    private(set) var error: ImageError?
    /// The most memory that was held.
    let peak: Int

    /// - Parameters:
    ///   - pieceSize: how many bytes more are there each time.
    ///   - windowSlack: pixels that are held besides those that a copy can reach.
    init(
        _ file: [UInt8], _ role: VP8LStream.Role = .picture, extent: VP8LStream.Extent = .rows, pieceSize: Int = .max,
        work: WorkGuard = .unlimited, windowSlack: Int = VP8LStream.largeWindowSlack, memoryLimit: Int = .max
    ) {
        let meter = MemoryMeter(limit: memoryLimit)
        var stream = VP8LStream(role, extent: extent, meter: meter, windowSlack: windowSlack)
        var rows: [UInt8] = []
        var work = work
        var (start, end) = (0, min(file.count, pieceSize))
        do throws(ImageError) {
            while !stream.isComplete {
                let used = try stream.consume(
                    file.span.extracting(start..<end), offset: start, isFinal: end == file.count, work: &work
                ) { row, y in rows.append(row) }
                start += used
                if used == 0 {
                    guard end < file.count else { break }
                    end = min(file.count, end + min(pieceSize, file.count))
                }
            }
        } catch {
            self.error = error
        }
        bytes = rows
        peak = meter.peak
        self.stream = stream
    }

    /// Whether no more was held than is estimated for a picture of this size, besides the tables that `file` codes.
    func isWithinEstimate(_ file: [UInt8], _ role: VP8LStream.Role = .picture, size: PixelSize) -> Bool {
        peak <= VP8LStream.estimatedByteCount(role, size: size) + 128 * file.count + 65536
    }

    /// The rows as pixels.
    var pixels: [UInt32] { bytes.littleEndianWords }
}
