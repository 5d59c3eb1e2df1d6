// Shared implementation of the coders and decoders whose format is decoded by a `DecodingSession`.
//
// Both protocols are `package`, their members `public`: a format's coder says how its stream decoder is made, and gets
// inspection, decoding in one shot, into a bitmap and in pieces from here.

/// A coder that decodes by sessions.
package protocol SessionCoder: IncrementalImageCoder, IncrementallyInspectingCoder {
    associatedtype Stream: StreamDecoder

    /// Makes the decoder of one file.
    ///
    /// - Parameter reusable: a bitmap whose memory is reused when it fits and nobody else holds it.
    func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> Stream
}

extension SessionCoder {
    /// Reads the headers and what follows the image data, which are passed over.
    public func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        var session = makeSession(options, .inspection, inputByteCount: data.count)
        return try session.inspectAll(data)
    }

    /// Decodes a whole file.
    public func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        var session = makeSession(options, .oneShot, inputByteCount: data.count)
        return try session.decodeAll(data)
    }

    /// Decodes a whole file into the memory of `bitmap` if it fits; see `ImageCoder`.
    @discardableResult
    public func decode(
        _ data: ImageData, into bitmap: inout Bitmap, options: DecodingOptions
    ) throws(ImageError) -> PartialReport? {
        // The only reference travels inwards: a bitmap that somebody else holds is not reused.
        var session = makeSession(options, .oneShot, inputByteCount: data.count, reusable: bitmap.moved())
        return try session.decodeAll(data, into: &bitmap)
    }

    /// A decoder that has seen nothing yet.
    public func makeIncrementalDecoder(options: DecodingOptions) -> any IncrementalImageDecoder {
        makeSession(options, .incremental)
    }

    package func makeInspector(options: DecodingOptions, inputByteCount: Int) -> any IncrementalInspector {
        SessionInspector(makeSession(options, .inspection, inputByteCount: inputByteCount))
    }

    func makeSession(
        _ options: DecodingOptions, _ purpose: DecodingPurpose, inputByteCount: Int = .max,
        reusable: consuming Bitmap? = nil
    ) -> DecodingSession<Stream> {
        let request = DecodingRequest(options: options, purpose: purpose, inputByteCount: inputByteCount)
        return DecodingSession(request, makeStream(request, reusable: reusable))
    }
}

/// A format's decoder as applications see it: a session under a name of its own.
package protocol SessionDecoder: IncrementalImageDecoder {
    associatedtype Stream: StreamDecoder

    var session: DecodingSession<Stream> { get set }
}

extension SessionDecoder {
    /// What the headers say, once they are complete.
    public var info: ImageInfo? { session.info }

    /// Decodes as far as `newBytes` allow; see `IncrementalImageDecoder`.
    public mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        try session.append(newBytes)
    }

    /// Says that no more bytes will come; see `IncrementalImageDecoder`.
    public mutating func finish() throws(ImageError) -> DecodingProgress { try session.finish() }

    /// The picture so far; see `IncrementalImageDecoder`.
    public mutating func image() throws(ImageError) -> RasterImage? { try session.image() }

    /// The whole frames so far; see `IncrementalImageDecoder`.
    public mutating func animation() throws(ImageError) -> (any AnimatedImageProvider)? { try session.animation() }
}
