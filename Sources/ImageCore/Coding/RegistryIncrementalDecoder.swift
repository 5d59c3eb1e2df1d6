// Incremental decoding before the format is known: collects the first bytes, then hands over.

/// Waits for enough bytes to pick a coder, then forwards to that coder's incremental decoder.
///
/// Coders may know signatures that ``ImageFormat`` does not, so bytes are refused only when there are as many as a
/// signature may take, or no more will come.
///
/// Files of coders that cannot decode incrementally are collected and decoded when they are complete.
struct RegistryIncrementalDecoder: IncrementalImageDecoder {
    private enum State {
        case sniffing([UInt8])
        case decoding(any IncrementalImageDecoder)
        case collecting([UInt8], any ImageCoder)
        case done(Image, ImageInfo?, byteCount: Int)
        case failed(ImageError)
    }

    private let coders: [any ImageCoder]
    private let options: DecodingOptions
    private var state = State.sniffing([])

    init(coders: [any ImageCoder], options: DecodingOptions) {
        self.coders = coders
        self.options = options
    }

    var info: ImageInfo? {
        switch state {
        case .decoding(let decoder): return decoder.info
        case .collecting(let bytes, let coder): return try? coder.inspect(ImageData(bytes), options: options)
        case .done(_, let info, _): return info
        case .sniffing, .failed: return nil
        }
    }

    mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        switch state {
        case .sniffing(var bytes):
            state = .sniffing([])
            bytes.append(newBytes)
            return try sniff(bytes, isComplete: false)
        case .decoding(var decoder):
            // Released first, so that the decoder's buffers are not shared while it writes to them.
            state = .sniffing([])
            defer { state = .decoding(decoder) }
            return try decoder.append(newBytes)
        case .collecting(var bytes, let coder):
            state = .sniffing([])
            bytes.append(newBytes)
            state = .collecting(bytes, coder)
            return DecodingProgress(stage: .header, bytesConsumed: 0)
        case .done(_, _, let byteCount):
            return DecodingProgress(stage: .complete, bytesConsumed: byteCount)
        case .failed(let error):
            throw error
        }
    }

    mutating func finish() throws(ImageError) -> DecodingProgress {
        switch state {
        case .sniffing(let bytes):
            let progress = try sniff(bytes, isComplete: true)
            guard case .sniffing = state else { return try finish() }
            return progress
        case .decoding(var decoder):
            state = .sniffing([])
            defer { state = .decoding(decoder) }
            return try decoder.finish()
        case .collecting(let bytes, let coder):
            do {
                let image = try coder.decode(ImageData(bytes), options: options)
                state = .done(image, info, byteCount: bytes.count)
                return DecodingProgress(
                    stage: .complete, changed: PixelRect(image.size), bytesConsumed: bytes.count)
            } catch {
                state = .failed(error)
                throw error
            }
        case .done(_, _, let byteCount):
            return DecodingProgress(stage: .complete, bytesConsumed: byteCount)
        case .failed(let error):
            throw error
        }
    }

    func image() throws(ImageError) -> Image? {
        switch state {
        case .decoding(let decoder): try decoder.image()
        case .done(let image, _, _): image
        case .sniffing, .collecting, .failed: nil
        }
    }

    private mutating func sniff(_ bytes: [UInt8], isComplete: Bool) throws(ImageError) -> DecodingProgress {
        let header = Array(bytes.prefix(ImageFormat.sniffingByteCount))
        if let coder = coders.first(where: { $0.canDecode(header.span) }) {
            if let progressive = coder as? any ProgressiveImageCoder {
                var decoder = progressive.makeIncrementalDecoder(options: options)
                defer { state = .decoding(decoder) }
                return try decoder.append(bytes.span)
            }
            state = .collecting(bytes, coder)
            return DecodingProgress(stage: .header, bytesConsumed: 0)
        }
        if !isComplete && header.count < ImageFormat.sniffingByteCount {
            state = .sniffing(bytes)
            return DecodingProgress(stage: .header, bytesConsumed: 0)
        }
        let error = CoderRegistry.refusal(header.span)
        state = .failed(error)
        throw error
    }
}
