// Decoding into memory of the caller: textures, shared buffers, parts of a larger picture.

extension CoderRegistry {
    /// Decodes with the first coder that can, into memory of the caller.
    ///
    /// ``PixelLayout/init(of:bytesPerRow:)`` says where the rows will be and how much memory they take, from an ``ImageInfo``
    /// read with the same options.
    ///
    /// Only the pixels of rows are written, nothing between, before or after them. After an error their values are
    /// unspecified.
    ///
    /// The coders of this package decode straight into the memory, without a second copy of the picture, if the rows
    /// are stored as they are seen. Pictures that are turned, interlaced pictures that are scaled or converted, and those of
    /// other coders are copied from a bitmap, which ``ImageInfo/estimatedPeakByteCount`` includes.
    ///
    /// If damage hides an orientation that comes after the pixels, a tolerant decode does not turn a picture whose size stays the
    /// same when it is turned.
    ///
    /// - Parameters:
    ///   - data: The whole file. It is inspected first, up to its end, because an orientation may come after the pixels.
    ///   - pixels: Memory of any alignment, initialised or not.
    ///   - bytesPerRow: From the start of one row to the start of the next; `nil` if rows follow each other without padding.
    ///   - options: Size, pixel format, strictness and limits of the decode.
    /// - Returns: Which part of the picture was decoded if it is partial, as in ``RasterImage/partial``; `nil` for a whole
    ///   picture.
    /// - Throws: `invalidArgument`, before pixels are decoded, if the memory is too small; the message says how many bytes are
    ///   needed. The damage, also of a tolerant decode, if it hid an orientation and the thumbnail has another size therefore.
    ///   Otherwise what ``decode(_:options:)`` throws.
    @discardableResult
    public func decode(
        _ data: ImageData, into pixels: inout MutableRawSpan, bytesPerRow: Int? = nil,
        options: DecodingOptions = .default
    ) throws(ImageError) -> PartialReport? {
        var work = WorkGuard(options)
        work.begin()
        let info = try inspect(data, options: options)
        let layout = try PixelLayout(of: info, bytesPerRow: bytesPerRow)
        try layout.check(byteCount: pixels.byteCount, whose: "the memory to decode into")
        var elsewhere: Bitmap?
        let partial = try ask(data, work.remaining(of: options)) { (coder, options) throws(ImageError) in
            // Only coders of this package are known to keep no reference to borrowed memory.
            guard coder is any SessionCoder else {
                var bitmap = Bitmap.empty
                let partial = try coder.decode(data, into: &bitmap, options: options)
                elsewhere = bitmap
                return partial
            }
            let answer = try Bitmap.withBorrowedMemory(&pixels, layout) { (bitmap) throws(ImageError) in
                try coder.decode(data, into: &bitmap, options: options)
            }
            elsewhere = answer.elsewhere
            return answer.result
        }
        guard var bitmap = elsewhere else { return partial }
        if bitmap.size != layout.size, options.appliesOrientation {
            // A tolerant decode ended before the orientation that the inspection found.
            bitmap = try bitmap.oriented(info.orientation, meter: options.memoryMeter, work: work)
        }
        guard bitmap.size == layout.size else {
            throw partial?.cause ?? .invalidArgument("the picture is \(bitmap.size)")
        }
        // A coder from outside of this package may decode to another format than its inspection says.
        bitmap = try bitmap.converted(to: layout.format, meter: options.memoryMeter, work: work)
        bitmap.copy(into: &pixels, layout)
        return partial
    }
}

extension Bitmap {
    /// Copies the rows to memory of a caller.
    ///
    /// - Precondition: `layout` has this bitmap's size and format, and `pixels` has its bytes.
    fileprivate func copy(into pixels: inout MutableRawSpan, _ layout: PixelLayout) {
        guard layout.byteCount > 0 else { return }
        for y in 0..<height {
            withRowBytes(y) { row in pixels.copy(row, at: layout.byteRange(ofRow: y).lowerBound) }
        }
    }
}
