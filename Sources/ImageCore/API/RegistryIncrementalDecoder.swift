// Incremental decoding and inspection before the format is known: keeps the first bytes until a coder has answered.

/// Finds the coder of a file whose bytes arrive piece by piece.
///
/// Bytes are kept until a coder has read the headers, because until then it may say `unsupported` and the next coder,
/// which needs them from the beginning, is asked: the same coders in the same order as in one shot. A coder counts as refusing
/// only when it has seen as many bytes as a signature may take, or no more will come, so that the choice does not depend
/// on how the bytes are cut.
///
/// `Reader` reads the file for one coder: a decoder or an inspector.
private struct CoderSearch<Reader: Sendable>: Sendable {
    private enum State: Sendable {
        case searching
        /// A coder is reading the headers, and may still say that it cannot decode the file.
        case trying(Reader)
        /// A coder has read the headers: no other coder is asked.
        case settled(Reader)
        /// Reading has failed. The reader stays if it has read the headers, so that `info` is still there.
        case failed(ImageError, Reader?)
    }

    private let coders: [any ImageCoder]
    private let limits: DecodingLimits
    private let make: @Sendable (any ImageCoder) -> Reader
    private let isSettled: @Sendable (Reader) -> Bool
    private var state = State.searching
    /// The clock for keeping bytes and for searching a coder; a reader counts its own work itself.
    private var work: WorkGuard
    private var nextCoder = 0
    private var kept: ByteCollector
    private var fedByteCount = 0
    /// The error of the coders that have refused the file so far.
    private var refusal: ImageError?

    /// - Parameters:
    ///   - make: makes a coder's reader.
    ///   - isSettled: whether a reader has read the headers.
    init(
        coders: [any ImageCoder], options: DecodingOptions, make: @escaping @Sendable (any ImageCoder) -> Reader,
        isSettled: @escaping @Sendable (Reader) -> Bool
    ) {
        self.coders = coders
        self.make = make
        self.isSettled = isSettled
        limits = options.limits
        work = WorkGuard(options)
        kept = ByteCollector(meter: options.memoryMeter ?? MemoryMeter(limit: options.limits.maxMemoryByteCount))
    }

    /// The reader, once a coder is asked.
    var reader: Reader? {
        switch state {
        case .trying(let reader), .settled(let reader): reader
        case .failed(_, let reader): reader
        case .searching: nil
        }
    }

    /// Lets `body` change the reader, which is taken out of its place for the call so that it is not copied.
    mutating func withReader<R>(
        _ body: (inout Reader) throws(ImageError) -> R
    ) throws(ImageError) -> R? {
        switch state {
        case .trying(var reader):
            state = .searching
            defer { state = .trying(reader) }
            return try body(&reader)
        case .settled(var reader):
            state = .searching
            defer { state = .settled(reader) }
            return try body(&reader)
        case .searching, .failed:
            return nil
        }
    }

    /// Feeds bytes to the coder that reads, or to the next that wants to.
    ///
    /// - Parameters:
    ///   - isFinal: whether no more bytes will come.
    ///   - read: feeds a reader, and ends its input when `isFinal`.
    /// - Returns: what the last call of `read` returned; `nil` while no coder was asked.
    mutating func feed<R>(
        _ bytes: Span<UInt8>, isFinal: Bool,
        _ read: (inout Reader, Span<UInt8>) throws(ImageError) -> R
    ) throws(ImageError) -> R? {
        if case .failed(let error, _) = state { throw error }
        work.begin()
        defer { work.end() }
        if case .settled(var reader) = state, !work.isUsedUp {
            state = .searching
            defer { state = .settled(reader) }
            return try read(&reader, bytes)
        }
        do throws(ImageError) {
            try work.check()
            return try search(bytes, isFinal: isFinal, read)
        } catch {
            if case .settled(let reader) = state {
                state = .failed(error, reader)
            } else {
                state = .failed(error, nil)
            }
            kept.removeAll()
            throw error
        }
    }

    private mutating func search<R>(
        _ bytes: Span<UInt8>, isFinal: Bool,
        _ read: (inout Reader, Span<UInt8>) throws(ImageError) -> R
    ) throws(ImageError) -> R? {
        fedByteCount = fedByteCount.addingSaturated(bytes.count)
        try limits.check(inputByteCount: fedByteCount)
        if case .trying(var reader) = state {
            state = .searching
            let result = try attempt(&reader, bytes, read)
            // Kept only now: most often the headers end in this piece, and nothing needs to be kept.
            if case .settled = state { return result }
            try kept.append(bytes, work: work)
            if let result { return result }
            return try ask(kept, isFinal: isFinal, read)
        }
        guard kept.count == 0 else {
            try kept.append(bytes, work: work)
            return try ask(kept, isFinal: isFinal, read)
        }
        let result = try ask(bytes, isFinal: isFinal, read)
        if case .settled = state { return result }
        try kept.append(bytes, work: work)
        return result
    }

    private mutating func ask<R>(
        _ file: ByteCollector, isFinal: Bool,
        _ read: (inout Reader, Span<UInt8>) throws(ImageError) -> R
    ) throws(ImageError) -> R? {
        try file.withBytes { (bytes) throws(ImageError) in try ask(bytes, isFinal: isFinal, read) }
    }

    /// Offers the bytes so far to one coder after the other, until one accepts them or more are needed.
    private mutating func ask<R>(
        _ file: Span<UInt8>, isFinal: Bool,
        _ read: (inout Reader, Span<UInt8>) throws(ImageError) -> R
    ) throws(ImageError) -> R? {
        let header = file.extracting(first: ImageFormat.sniffingByteCount)
        let isSniffable = isFinal || header.count == ImageFormat.sniffingByteCount
        while nextCoder < coders.count {
            let coder = coders[nextCoder]
            if coder.canDecode(header) {
                var reader = make(coder)
                if let result = try attempt(&reader, file, read) { return result }
            } else {
                guard isSniffable else { return nil }
                nextCoder += 1
            }
        }
        throw refusal ?? CoderRegistry.refusal(header)
    }

    /// Feeds one coder; `nil` when it cannot decode this file, and the next is to be asked.
    private mutating func attempt<R>(
        _ reader: inout Reader, _ bytes: Span<UInt8>,
        _ read: (inout Reader, Span<UInt8>) throws(ImageError) -> R
    ) throws(ImageError) -> R? {
        do throws(ImageError) {
            let result = try read(&reader, bytes)
            if isSettled(reader) {
                state = .settled(reader)
                kept.removeAll()
            } else {
                state = .trying(reader)
            }
            return result
        } catch .unknownFormat {
            refusal = refusal ?? .unknownFormat
        } catch .unsupported(let format, let feature) {
            refusal = .unsupported(format, feature: feature)
            // Once a coder has read the headers no other is asked, however the bytes are cut.
            if isSettled(reader) {
                state = .settled(reader)
                throw .unsupported(format, feature: feature)
            }
        } catch {
            if isSettled(reader) { state = .settled(reader) }
            throw error
        }
        nextCoder += 1
        return nil
    }
}

/// Waits for enough bytes to pick a coder, then forwards to that coder's incremental decoder.
///
/// Files of coders that cannot decode incrementally are collected and decoded when they are complete.
struct RegistryIncrementalDecoder: IncrementalImageDecoder {
    private var search: CoderSearch<any IncrementalImageDecoder>

    init(coders: [any ImageCoder], options: DecodingOptions) {
        search = CoderSearch(
            coders: coders, options: options,
            make: { coder in
                (coder as? any IncrementalImageCoder)?.makeIncrementalDecoder(options: options)
                    ?? CollectingDecoder(coder: coder, options: options)
            }, isSettled: { $0.info != nil })
    }

    var info: ImageInfo? { search.reader?.info }

    mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        try search.feed(newBytes, isFinal: false) { decoder, bytes throws(ImageError) in
            try decoder.append(bytes)
        } ?? DecodingProgress(consumedByteCount: 0)
    }

    mutating func finish() throws(ImageError) -> DecodingProgress {
        try search.feed(Span(), isFinal: true) { decoder, bytes throws(ImageError) in
            let before = try decoder.append(bytes)
            var progress = try decoder.finish()
            if let changed = before.changedRect {
                progress.changedRect = progress.changedRect?.union(changed) ?? changed
            }
            return progress
        } ?? DecodingProgress(consumedByteCount: 0)
    }

    mutating func image() throws(ImageError) -> RasterImage? {
        try search.withReader { decoder throws(ImageError) in try decoder.image() } ?? nil
    }

    mutating func animation() throws(ImageError) -> (any AnimatedImageProvider)? {
        try search.withReader { decoder throws(ImageError) in try decoder.animation() } ?? nil
    }
}

/// Waits for enough bytes to pick a coder, then forwards to that coder's inspector.
struct RegistryInspector: IncrementalInspector {
    private var search: CoderSearch<any IncrementalInspector>

    init(coders: [any ImageCoder], options: DecodingOptions, inputByteCount: Int) {
        search = CoderSearch(
            coders: coders, options: options,
            make: { coder in
                coder.incrementallyInspecting?.makeInspector(options: options, inputByteCount: inputByteCount)
                    ?? CollectingInspector(coder: coder, options: options)
            }, isSettled: { $0.info != nil })
    }

    var info: ImageInfo? { search.reader?.info }

    mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) {
        _ = try search.feed(newBytes, isFinal: false) { inspector, bytes throws(ImageError) in
            try inspector.append(bytes)
        }
    }

    mutating func finish() throws(ImageError) -> ImageInfo {
        let info = try search.feed(Span(), isFinal: true) { inspector, bytes throws(ImageError) in
            try inspector.append(bytes)
            return try inspector.finish()
        }
        guard let info else { throw .unknownFormat }
        return info
    }
}
