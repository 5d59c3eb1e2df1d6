// All frames of an animation at hand: looked at first, then written, and written smaller if the file is too long.

import ImageCodecsCore

extension AnimationEncodingSession {
    /// Writes all frames of an animation, in two passes: to look at them, and to write them.
    ///
    /// With `EncodingOptions.maxFileByteCount` the animation is written with fewer and fewer colours if the format allows it, then
    /// smaller and smaller until it fits, within one clock; with `EncodingOptions.keepsPixels` with more and more effort instead.
    static func encode(
        _ source: inout AnimationSource, to format: ImageFormat, by coder: any AnimationEncodingCoder,
        options: EncodingOptions, _ sink: EncodedBytesSink
    ) throws(ImageError) -> PixelSize {
        try options.checkFileByteCount()
        var work = WorkGuard(options)
        guard let most = options.maxFileByteCount else {
            return try encodeOnce(&source, to: format, by: coder, options: options, work: &work, sink).size
        }
        var options = options
        options.memoryMeter = EncodingRequest(options: options).meter
        var attempt = try Attempt(&source, to: format, by: coder, options, atMost: most, &work)
        var smallest = attempt.file.byteCount
        let others = coder.otherOptions(than: options, writing: format)
        // Files get smaller by them: what is left between one that is too long and one that fits is halved.
        var (low, high) = (0, attempt.fits ? 0 : others.count)
        var best: Attempt?
        while low < high {
            let middle = (low + high) / 2
            attempt = try Attempt(&source, to: format, by: coder, others[middle], atMost: most, &work)
            smallest = min(smallest, attempt.file.byteCount)
            if attempt.fits { (best, high) = (attempt, middle) } else { low = middle + 1 }
        }
        if let best { attempt = best }
        while !attempt.fits {
            guard options.mayScaleDown, !options.keepsPixels, attempt.size != PixelSize(width: 1, height: 1),
                attempt.overhead <= most
            else {
                throw .tooLong(
                    format, options.keepsPixels ? "animation without loss" : "animation", smallest, allowed: most)
            }
            let smaller = EncodedFile(bytes: [], overhead: attempt.overhead, byteCount: attempt.file.byteCount)
                .size(smallerThan: attempt.size, forAtMost: most)
            // A smaller picture may lose a little less than the most.
            if !others.isEmpty { options = others[others.count / 2] }
            options.maxPixelSize = source.picture.orientation.swapsAxes ? smaller.transposed : smaller
            attempt = try Attempt(&source, to: format, by: coder, options, atMost: most, &work)
            smallest = min(smallest, attempt.file.byteCount)
        }
        try attempt.file.bytes.withBytes { (bytes) throws(ImageError) in try sink(bytes) }
        return attempt.size
    }

    /// A file that may be too long.
    private struct Attempt {
        var file: FileStart
        /// Width and height of the canvas in it.
        let size: PixelSize
        /// Bytes that no smaller canvas saves.
        let overhead: Int

        init(
            _ source: inout AnimationSource, to format: ImageFormat, by coder: any AnimationEncodingCoder,
            _ options: EncodingOptions, atMost most: Int, _ work: inout WorkGuard
        ) throws(ImageError) {
            var file = FileStart(limit: most, meter: options.memoryMeter)
            (size, overhead) = try AnimationEncodingSession.encodeOnce(
                &source, to: format, by: coder, options: options, work: &work
            ) { (piece) throws(ImageError) in try file.append(piece) }
            self.file = file
        }

        var fits: Bool { file.byteCount <= file.limit }
    }

    /// - Returns: width and height of the canvas in the file, and bytes that no smaller canvas saves.
    private static func encodeOnce(
        _ source: inout AnimationSource, to format: ImageFormat, by coder: any AnimationEncodingCoder,
        options: EncodingOptions, work: inout WorkGuard, _ sink: EncodedBytesSink
    ) throws(ImageError) -> (size: PixelSize, overhead: Int) {
        options.losses?.clear()
        var unlimited = options
        unlimited.maxFileByteCount = nil
        let fileByteCount = options.maxFileByteCount.map { FileStart.byteCount(limit: $0, source) } ?? 0
        var session = try AnimationEncodingSession(
            coder, to: format, source.picture, frameCount: source.frameCount, loopCount: source.loopCount,
            options: unlimited, convertsFrames: true,
            heldByteCount: source.convertedByteCount.addingSaturated(fileByteCount))
        if let most = options.maxFileByteCount, session.fixedByteCount > most {
            throw .tooLong(format, "animation", session.fixedByteCount, isLeast: true, allowed: most)
        }
        session.clock.work = work
        var bitmap = Bitmap.empty
        source.beginPass()
        for index in 0..<source.frameCount {
            try source.frame(at: index, into: &bitmap)
            try session.survey(bitmap)
        }
        source.beginPass()
        for index in 0..<source.frameCount {
            try source.frame(at: index, into: &bitmap)
            try session.write(bitmap, for: source.duration(at: index), to: sink)
        }
        try session.finish(to: sink)
        work = session.clock.work
        return (session.writtenSize, session.fixedByteCount)
    }
}

/// The bytes of a file up to a limit, and how many there would be.
private struct FileStart {
    let limit: Int
    private(set) var bytes: ByteCollector
    private(set) var byteCount = 0

    init(limit: Int, meter: MemoryMeter?) {
        self.limit = limit
        bytes = ByteCollector(meter: meter)
    }

    /// Bytes that two of them hold at most, of files that are seldom longer than twice the pixels. Saturates.
    static func byteCount(limit: Int, _ source: AnimationSource) -> Int {
        let frame = Bitmap.byteCount(size: source.picture.size, format: .rgba) ?? .max
        let longest = frame.multipliedSaturated(by: source.frameCount).multipliedSaturated(by: 2)
            .addingSaturated(1 << 16)
        return min(limit, longest).multipliedSaturated(by: 3)
    }

    mutating func append(_ piece: Span<UInt8>) throws(ImageError) {
        byteCount += piece.count
        if byteCount <= limit { try bytes.append(piece, work: .unlimited) }
    }
}
