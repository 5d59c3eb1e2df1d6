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
        try converted(to: target, meter: nil)
    }

    package func converted(to target: PixelFormat, meter: MemoryMeter?) throws(ImageError) -> Bitmap {
        guard target != format else { return self }
        var result = try Bitmap(uninitialized: size, format: target, meter: meter)
        guard !size.isEmpty else { return result }
        let converter = RowConverter(from: .pixels(format), to: target)
        for y in 0..<height {
            withRow(y) { row in
                result.withMutableRow(y) { converter.convert(row, into: &$0, width: width) }
            }
        }
        return result
    }

    /// The pixels scaled to `target`: boxes, then a Lanczos filter of three lobes, on premultiplied colour.
    ///
    /// Computed with eight bits per sample; formats of sixteen bits and CMYK pass through that.
    ///
    /// - Parameter target: the new size; both sides at least 1. May be larger.
    /// - Throws: `invalidArgument` for an empty size, or for sides (of either size) of more than 2^31 pixels;
    ///   `limitExceeded(.memory)` when the memory is not to be had, or when the filters alone would take more than
    ///   2 GiB.
    public func scaled(to target: PixelSize) throws(ImageError) -> Bitmap {
        try scaled(to: target, meter: nil)
    }

    package func scaled(to target: PixelSize, meter: MemoryMeter?) throws(ImageError) -> Bitmap {
        guard target != size else { return self }
        guard !target.isEmpty, !size.isEmpty else {
            throw .invalidArgument("cannot scale \(size) pixels to \(target)")
        }
        try Self.checkScaling(from: size, to: target)
        var result = try Bitmap(uninitialized: target, format: format, meter: meter)
        let working: PixelFormat = format.hasAlpha ? .bgraPremultiplied : .bgrx
        var stage = try ScalingStage(
            rowSize: size, targetSize: target, working: working, output: format, meter: meter)
        let converter = RowConverter(from: .pixels(format), to: working)
        for y in 0..<height {
            withRow(y) { row in
                stage.convertAndPush(row, converter) { targetY, pixels, finish in
                    result.withMutableRow(targetY) { finish.convert(pixels, into: &$0, width: target.width) }
                }
            }
        }
        return result
    }

    /// Refuses what the scaler cannot do, before anything of that size is allocated.
    private static func checkScaling(from source: PixelSize, to target: PixelSize) throws(ImageError) {
        let longestSide = max(source.width, source.height, target.width, target.height)
        guard longestSide <= 1 << 31 else {
            throw .invalidArgument("cannot scale \(source) pixels to \(target): sides of more than 2^31 pixels")
        }
        let filters = RowScaler.memoryByteCount(source: source, target: target)
        let allowed = DecodingLimits.default.maxMemory
        guard filters <= allowed else { throw .limitExceeded(.memory, requested: filters, allowed: allowed) }
    }

    /// The pixels turned and mirrored as `orientation` says a stored picture has to be for viewing.
    ///
    /// - Throws: `limitExceeded(.memory)` when the memory is not to be had.
    public func oriented(_ orientation: Orientation) throws(ImageError) -> Bitmap {
        try oriented(orientation, meter: nil)
    }

    package func oriented(_ orientation: Orientation, meter: MemoryMeter?) throws(ImageError) -> Bitmap {
        guard orientation != .up else { return self }
        let target = orientation.swapsAxes ? size.transposed : size
        var result = try Bitmap(uninitialized: target, format: format, meter: meter)
        guard !size.isEmpty else { return result }
        let sourceStride = bytesPerRow
        let targetStride = result.bytesPerRow
        withBytes { source in
            result.withMutableBytes { destination in
                OrientationKernels.orient(
                    source, bytesPerRow: sourceStride, size: size, bytesPerPixel: format.bytesPerPixel,
                    orientation: orientation, into: &destination, targetBytesPerRow: targetStride)
            }
        }
        return result
    }
}
