// All frames of an animation at hand: looked at first, then written, and written smaller if the file is too long.

extension AnimationEncodingSession {
    /// Writes all frames of an animation, in two passes: to look at them, and to write them.
    ///
    /// With ``EncodingOptions/maxFileByteCount`` the animation is written with fewer and fewer colours if the format allows it, then
    /// smaller and smaller until it fits.
    static func encode(
        _ source: AnimationSource, to format: ImageFormat, by coder: any AnimationEncodingCoder,
        options: EncodingOptions, _ sink: EncodedBytesSink
    ) throws(ImageError) -> PixelSize {
        guard let most = options.maxFileByteCount else {
            return try encodeOnce(source, to: format, by: coder, options: options, sink)
        }
        try options.checkFileByteCount()
        var options = options
        options.maxFileByteCount = nil
        options.memoryMeter = EncodingRequest(options: options).meter
        var size = source.picture.size
        var smallest = Int.max
        let fewerColors = (coder as? any RowEncodingCoder)?.optionsWithFewerColors(than: options, writing: format) ?? []
        for options in fewerColors.isEmpty ? [] : [options] + fewerColors {
            var file = EncodedBytes(limit: most)
            size = try encodeOnce(source, to: format, by: coder, options: options) { file.append($0) }
            if file.byteCount <= most {
                try file.bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
                return size
            }
            smallest = min(smallest, file.byteCount)
        }
        if let last = fewerColors.last {
            // A smaller picture may have some colours more.
            options = options.mayScaleDown ? fewerColors[fewerColors.count / 2] : last
        }
        while true {
            var file = EncodedBytes(limit: most)
            size = try encodeOnce(source, to: format, by: coder, options: options) { file.append($0) }
            if file.byteCount <= most {
                try file.bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
                return size
            }
            smallest = min(smallest, file.byteCount)
            guard options.mayScaleDown, size != PixelSize(width: 1, height: 1) else {
                throw .invalidArgument(
                    "the smallest \(format.name) file of this animation has \(smallest) bytes, \(most) are allowed")
            }
            let smaller = size.shrunk(byBytes: file.byteCount, wanted: most)
            options.maxPixelSize = source.picture.orientation.swapsAxes ? smaller.transposed : smaller
        }
    }

    private static func encodeOnce(
        _ source: AnimationSource, to format: ImageFormat, by coder: any AnimationEncodingCoder,
        options: EncodingOptions, _ sink: EncodedBytesSink
    ) throws(ImageError) -> PixelSize {
        options.losses?.clear()
        var session = try AnimationEncodingSession(
            coder, to: format, source.picture, frameCount: source.frameCount, loopCount: source.loopCount,
            options: options)
        var bitmap = Bitmap.empty
        for index in 0..<source.frameCount {
            try source.frame(at: index, into: &bitmap)
            try session.survey(bitmap)
        }
        for index in 0..<source.frameCount {
            try source.frame(at: index, into: &bitmap)
            try session.write(bitmap, for: source.duration(at: index), to: sink)
        }
        try session.finish(to: sink)
        return session.writtenSize
    }
}

/// The bytes of a file up to a limit, and how many there would be.
private struct EncodedBytes {
    let limit: Int
    var bytes: [UInt8] = []
    var byteCount = 0

    init(limit: Int) { self.limit = limit }

    mutating func append(_ piece: Span<UInt8>) {
        byteCount += piece.count
        if byteCount <= limit { bytes.append(contentsOf: piece) }
    }
}

extension PixelSize {
    /// A smaller size whose file may have the bytes wanted, if bytes go with pixels; at most nine tenths as wide.
    fileprivate func shrunk(byBytes byteCount: Int, wanted: Int) -> PixelSize {
        let factor = min(0.9, 0.98 * (Double(wanted) / Double(byteCount)).squareRoot())
        return PixelSize(
            width: max(1, Int(Double(width) * factor)), height: max(1, Int(Double(height) * factor)))
    }
}
