// A WebP file written anew, smaller, with the same pixels.

public import ImageCodecsCore
import ImagePhotoMetadata

extension WebPCoder {
    /// Writes a WebP file anew, so that it gets smaller and no pixel changes.
    ///
    /// Every lossless bitstream, also those in frames of an animation, is encoded again, and stays as it is if that is not shorter.
    /// Lossy bitstreams, their alpha, durations and the places of frames stay as they are. Chunks of unknown types are left out, and
    /// the extended header if nothing needs it. Metadata are kept as `EncodingOptions.metadata` asks; the orientation always is.
    ///
    /// - Parameters:
    ///   - file: a WebP file.
    ///   - options: effort, metadata and limits count, and ``WebPEncodingOptions/keepsInvisibleColors``; by default with
    ///     `EncodingOptions.Effort.best`.
    ///   - limits: bounds on reading it.
    /// - Returns: a new file; `file` itself if that is no longer, and nothing was to be left out.
    /// - Throws: `unknownFormat` for a file that is no WebP; what decoding all of it strictly and encoding it throw.
    public func optimized(
        _ file: ImageData, options: EncodingOptions = .best, limits: DecodingLimits = .default
    ) throws(ImageError) -> ImageData {
        // Damage is not passed on as if it were a picture, in bitstreams that stay as they are neither.
        var decoding = DecodingOptions()
        decoding.limits = limits
        decoding.appliesOrientation = false
        try decodeFrames(of: file, options: decoding) { _, _, _ in }
        let bytes = try rewritten(file, limits) { (list, bytes, work) throws(ImageError) -> [UInt8] in
            var shortening = BitstreamShortening(options, limits)
            let frameCount = list.chunks.count { $0.type == .frame }
            var doneCount = 0
            let metadata = try list.metadata(of: bytes, options.metadata)
            return try RewrittenFile(list, metadata, keepsUnknown: false).bytes(of: bytes, work: &work) {
                (chunk, payload) throws(ImageError) in
                options.progress?.report(.compressing, doneCount, of: frameCount)
                doneCount += 1
                return try shortening.shorter(than: payload, offset: chunk.bodyOffset)
            }
        }
        return options.metadata == .all && file.count <= bytes.count ? file : ImageData(bytes)
    }

    /// Which kinds of bitstreams a file has.
    ///
    /// - Throws: as ``optimized(_:options:limits:)``.
    package func kinds(in file: ImageData, limits: DecodingLimits) throws(ImageError) -> Set<PictureHeader.Kind> {
        var kinds: Set<PictureHeader.Kind> = []
        _ = try rewritten(file, limits) { (list, bytes, work) throws(ImageError) -> [UInt8] in
            for chunk in list.chunks {
                if let kind = PictureHeader.kind(of: chunk.type) { kinds.insert(kind) }
                guard chunk.type == .frame else { continue }
                for inner in try ChunkList.chunks(in: chunk, of: bytes, work: &work) {
                    if let kind = PictureHeader.kind(of: inner.type) { kinds.insert(kind) }
                }
            }
            return []
        }
        return kinds
    }

    /// Takes a file apart, within one clock.
    func rewritten(
        _ file: ImageData, _ limits: DecodingLimits,
        _ body: (ChunkList, Span<UInt8>, inout WorkGuard) throws(ImageError) -> [UInt8]
    ) throws(ImageError) -> [UInt8] {
        try limits.check(inputByteCount: file.count)
        var work = WorkGuard(limits: limits)
        work.begin()
        return try file.withBytes { (bytes) throws(ImageError) in
            let list = try ChunkList(bytes, limits: limits, work: &work)
            try limits.check(frameCount: list.chunks.count { $0.type == .frame })
            return try body(list, bytes, &work)
        }
    }
}

extension ChunkList {
    /// What is kept of the metadata of a file: the chunk of each kind that is read, as it is.
    fileprivate func metadata(
        of file: Span<UInt8>, _ policy: EncodingOptions.MetadataPolicy
    ) throws(ImageError) -> WrittenMetadata {
        func payload(_ type: FourCC) -> [UInt8]? { self.metadata(type, of: file) }
        // In a simple file they are chunks of unknown types.
        guard extended != nil else { return WrittenMetadata(profile: nil, exif: nil, xmp: nil) }
        let exif = payload(.exif)
        if policy == .all {
            return WrittenMetadata(profile: payload(.colorProfile), exif: exif, xmp: payload(.xmp))
        }
        let orientation = exif.flatMap { exif in exif.withSpan { exifOrientation(in: $0) } } ?? .up
        return WrittenMetadata(
            profile: policy == .colors ? payload(.colorProfile) : nil,
            exif: ExifBlock.bytes(nil, orientation: orientation), xmp: nil)
    }
}
