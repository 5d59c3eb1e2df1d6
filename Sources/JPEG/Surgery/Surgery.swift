// A file read, changed and coded anew, whatever is done with its coefficients.

package import ImageCodecsCore
import ImagePhotoMetadata
import JPEGBaselineCodec

/// Writes the coefficients of a file again.
package struct Surgery: Sendable {
    /// A new file.
    package struct Result: Sendable {
        package var file: ImageData
        /// The picture's, in pixels.
        package let size: PixelSize
        /// The first damage that was tolerated: what the file has lost is not in the new one.
        package let damage: ImageError?
    }

    let options: EncodingOptions
    let decoding: DecodingOptions

    /// Counts the coefficients.
    var meter: MemoryMeter? { decoding.memoryMeter }

    /// Bounds on reading.
    var limits: DecodingLimits { decoding.limits }

    /// - Parameters:
    ///   - options: effort, metadata and limits count, and of JPEG's own options whether the file is progressive, and restart intervals.
    ///   - limits: bounds on reading.
    ///   - strictness: what is done about damage.
    package init(
        _ options: EncodingOptions, limits: DecodingLimits, strictness: DecodingOptions.Strictness
    ) {
        self.options = options
        var decoding = DecodingOptions()
        decoding.limits = limits
        decoding.strictness = strictness
        // One meter for both halves: the coefficients that are read are those that are written.
        decoding.memoryMeter =
            options.memoryMeter
            ?? MemoryMeter(limit: min(limits.maxMemoryByteCount, options.limits.maxMemoryByteCount))
        self.decoding = decoding
    }

    /// Codes a file anew.
    ///
    /// - Returns: a new file; `file` itself, if that is no longer and nothing was to be left out or changed.
    package func optimized(_ file: ImageData) throws(ImageError) -> Result {
        let result = try rewritten(file) { (_, _, _) throws(ImageError) in }
        let asksForNothingElse =
            options.metadata == .all && options.jpeg.isProgressive == nil && options.jpeg.restartInterval == 0
        guard asksForNothingElse, result.damage == nil, file.count <= result.file.count else { return result }
        return Result(file: file, size: result.size, damage: nil)
    }

    /// Writes a file with other coefficients.
    ///
    /// - Parameter change: gets the picture, and how it has to be turned.
    func rewritten(
        _ file: ImageData,
        _ change: (inout CoefficientPicture, inout Orientation, inout WorkGuard) throws(ImageError) -> Void
    ) throws(ImageError) -> Result {
        guard (0...65535).contains(options.jpeg.restartInterval) else {
            throw .invalidArgument("a restart interval of \(options.jpeg.restartInterval) MCUs is not in 0...65535")
        }
        return try file.withBytes { (bytes) throws(ImageError) in
            var work = WorkGuard(decoding)
            work.begin()
            var stored = try read(bytes, &work)
            var orientation = stored.metadata.orientation
            try change(&stored.picture, &orientation, &work)
            return try written(stored, orientation, bytes, &work)
        }
    }

    /// The coefficients of a file.
    func read(_ bytes: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> StoredPicture {
        var reader = CoefficientReader(decoding)
        return try reader.read(bytes, work: &work)
    }

    /// Writes a picture that was read from `bytes`.
    func written(
        _ stored: StoredPicture, _ orientation: Orientation, _ bytes: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> Result {
        let segments = try KeptSegments(
            of: bytes.extracting(first: stored.end), options.metadata, orientation: orientation,
            stored.picture.colorModel, &work)
        work.end()
        var written = try coded(stored, segments)
        append(bytes.extracting(droppingFirst: stored.end), of: stored, segments, to: &written)
        return Result(file: ImageData(written.bytes), size: stored.picture.geometry.size, damage: stored.damage)
    }

    /// The file up to its end of image.
    private func coded(_ stored: StoredPicture, _ segments: KeptSegments) throws(ImageError) -> MarkerWriter {
        var work = WorkGuard(options)
        work.begin()
        let interval = options.jpeg.restartInterval
        var writer = try CoefficientFileWriter(
            stored.picture, process: .sequential, segments: segments.bytes,
            restartInterval: interval > 0 ? interval : nil, meter: decoding.memoryMeter, work: &work)
        try writer.useSmallest(of: processes(stored), sampling: sampledBlockCount, work: &work)
        var file = MarkerWriter()
        try writer.write(work: &work) { (bytes) throws(ImageError) in
            file.append(copying: Span<UInt8>(_bytes: bytes))
        }
        return file
    }

    /// Blocks that choices are made by.
    private var sampledBlockCount: Int { options.effort == .best ? 1 << 14 : 1 << 12 }

    /// What is compared: with the least effort the process stays what it is.
    private func processes(_ stored: StoredPicture) -> [CoefficientFileWriter.Process] {
        let progressive = CoefficientFileWriter.Process.progressive(
            options.effort == .fast ? .fine : .sampled(blockCount: sampledBlockCount))
        let wanted = options.jpeg.isProgressive ?? (options.effort == .fast ? stored.isProgressive : nil)
        return wanted.map { $0 ? [progressive] : [.sequential] } ?? [progressive, .sequential]
    }

    /// Appends what follows the picture, which an index of further pictures then finds where it is now.
    private func append(
        _ rest: Span<UInt8>, of stored: StoredPicture, _ segments: KeptSegments, to file: inout MarkerWriter
    ) {
        guard options.metadata == .all else { return }
        if let index = segments.index {
            // After SOI.
            let start = 2 + index.start
            for correction in index.read.corrections(end: stored.end, newEnd: file.bytes.count, newStart: start) {
                file.replace(at: start + correction.place, with: correction.bytes)
            }
        }
        file.append(copying: rest)
    }
}
