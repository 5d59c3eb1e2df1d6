// Whole bitmaps into another format, size or orientation.

extension Bitmap {
    /// The pixels in another format; itself when it already is in that format.
    ///
    /// Conversion is total. Premultiplied colour is un-premultiplied exactly where the target is straight;
    /// dropping alpha keeps the straight colour; gray is the ITU-R BT.601 luma; eight bits become sixteen by
    /// replication.
    ///
    /// - Throws: `limitExceeded(.memory)` when the memory is not to be had.
    public func converted(to target: PixelFormat) throws(ImageError) -> Bitmap {
        try converted(to: target, meter: nil, work: .unlimited)
    }

    package func converted(
        to target: PixelFormat, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        guard target != format else { return self }
        var work = work
        var result = try Bitmap(uninitialized: size, format: target, meter: meter)
        guard !size.isEmpty else { return result }
        let converter = RowConverter(from: .pixels(format), to: target)
        for y in 0..<height {
            try work.spend(width)
            withRowBytes(y) { row in
                result.withMutableRowBytes(y) { converter.convert(row, into: &$0, width: width) }
            }
        }
        return result
    }

    /// The pixels scaled to `target`: boxes, then a Lanczos filter of three lobes, on premultiplied colour.
    ///
    /// Computed with eight bits per sample; formats of sixteen bits pass through that.
    ///
    /// - Parameters:
    ///   - target: the new size; both sides at least 1. May be larger.
    ///   - scaling: as stored, or in linear light.
    /// - Throws: `invalidArgument` for an empty size, or for sides (of either size) of more than 2^31 pixels;
    ///   `limitExceeded(.memory)` when the memory is not to be had, or when the filters alone would take more than
    ///   2 GiB.
    public func scaled(
        to target: PixelSize, scaling: DecodingOptions.Scaling = .asStored
    ) throws(ImageError) -> Bitmap {
        try scaled(to: target, scaling: scaling, meter: nil, work: .unlimited)
    }

    package func scaled(
        to target: PixelSize, scaling: DecodingOptions.Scaling = .asStored, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        guard target != size else { return self }
        guard !target.isEmpty, !size.isEmpty else {
            throw .invalidArgument("cannot scale \(size) pixels to \(target)")
        }
        var work = work
        try Self.checkScaling(from: size, to: target, scaling)
        var result = try Bitmap(uninitialized: target, format: format, meter: meter)
        let working: PixelFormat = format.hasAlpha ? .bgraPremultiplied : format == .cmyk ? .cmyk : .bgrx
        var stage = try ScalingStage(
            sourceSize: size, reduction: 1, targetSize: target, working: working, output: format,
            scaling: scaling, meter: meter, work: work)
        let converter = RowConverter(from: .pixels(format), to: working)
        for y in 0..<height {
            try work.spend(width)
            withRowBytes(y) { row in
                stage.convertAndPush(row, converter) { targetY, pixels, finish in
                    result.withMutableRowBytes(targetY) { finish.convert(pixels, into: &$0, width: target.width) }
                }
            }
        }
        return result
    }

    /// Refuses what the scaler cannot do, before anything of that size is allocated.
    package static func checkScaling(
        from source: PixelSize, to target: PixelSize, _ scaling: DecodingOptions.Scaling = .asStored
    ) throws(ImageError) {
        let longestSide = max(source.width, source.height, target.width, target.height)
        guard longestSide <= 1 << 31 else {
            throw .invalidArgument("cannot scale \(source) pixels to \(target): sides of more than 2^31 pixels")
        }
        let filters =
            scaling == .linear
            ? LinearRowScaler.memoryByteCount(source: source, target: target)
            : RowScaler.memoryByteCount(source: source, target: target)
        let allowed = DecodingLimits.default.maxMemoryByteCount
        guard filters <= allowed else { throw .limitExceeded(.memory, requested: filters, allowed: allowed) }
    }

    /// The pixels turned and mirrored as `orientation` says a stored picture has to be for viewing.
    ///
    /// - Throws: `limitExceeded(.memory)` when the memory is not to be had.
    public func oriented(_ orientation: Orientation) throws(ImageError) -> Bitmap {
        try oriented(orientation, meter: nil, work: .unlimited)
    }

    package func oriented(
        _ orientation: Orientation, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) -> Bitmap {
        guard orientation != .up else { return self }
        var result = try Bitmap(uninitialized: orientation.size(ofStored: size), format: format, meter: meter)
        guard !size.isEmpty else { return result }
        try result.copyRows(0..<height, of: self, orientation, work: work)
        return result
    }

    /// Copies rows of a stored picture to where they are seen in this one.
    ///
    /// - Parameters:
    ///   - stored: a bitmap of the same format, whose size seen is this one's.
    ///   - work: asked every some rows.
    package mutating func copyRows(
        _ rows: Range<Int>, of stored: Bitmap, _ orientation: Orientation, work: WorkGuard
    ) throws(ImageError) {
        precondition(format == stored.format && size == orientation.size(ofStored: stored.size), "another picture")
        let (sourceStride, targetStride) = (stored.bytesPerRow, bytesPerRow)
        // Whole tiles of `OrientationKernels` if axes are swapped.
        for band in stored.bands(of: rows, rowMultiple: 64) {
            try work.check()
            let rect = orientation.rect(ofRows: band, ofStored: stored.size)
            let start = rect.y * targetStride + rect.x * format.bytesPerPixel
            stored.withBytes { source in
                withMutableBytes(start..<byteCount) { target in
                    OrientationKernels.orient(
                        source.extracting(
                            band.lowerBound * sourceStride..<min(band.upperBound * sourceStride, source.byteCount)),
                        bytesPerRow: sourceStride, size: PixelSize(width: stored.width, height: band.count),
                        bytesPerPixel: stored.format.bytesPerPixel, orientation: orientation, into: &target,
                        targetBytesPerRow: targetStride)
                }
            }
        }
    }
}
