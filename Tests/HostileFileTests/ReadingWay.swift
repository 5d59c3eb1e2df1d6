import CodecTestSupport
import ImageCodecsCore

/// A way to read a file, and all pixels that come of it.
struct ReadingWay: Sendable, CustomStringConvertible {
    let description: String
    let options: DecodingOptions
    let isForAnimations: Bool
    let read: @Sendable (any IncrementalImageCoder, [UInt8], DecodingOptions) throws(ImageError) -> [Bitmap]

    private init(
        _ description: String, _ options: DecodingOptions = .default, isForAnimations: Bool = false,
        _ read:
            @escaping @Sendable (
                any IncrementalImageCoder, [UInt8], DecodingOptions
            ) throws(ImageError) -> [Bitmap]
    ) {
        (self.description, self.options, self.read) = (description, options, read)
        self.isForAnimations = isForAnimations
    }

    static let all = [
        ReadingWay("one shot") { coder, bytes, options throws(ImageError) in
            pixels(try coder.decode(ImageData(bytes), options: options))
        },
        ReadingWay("own format", changed { $0.pixelFormat = nil }) { coder, bytes, options throws(ImageError) in
            pixels(try coder.decode(ImageData(bytes), options: options))
        },
        ReadingWay("thumbnail", .thumbnail(width: 7, height: 5)) { coder, bytes, options throws(ImageError) in
            pixels(try coder.decode(ImageData(bytes), options: options))
        },
        ReadingWay("two threads", changed { $0.maxThreadCount = 2 }) { coder, bytes, options throws(ImageError) in
            pixels(try coder.decode(ImageData(bytes), options: options))
        },
        ReadingWay("inspection") { coder, bytes, options throws(ImageError) in
            _ = try coder.inspect(ImageData(bytes), options: options)
            return []
        },
        ReadingWay("into a bitmap") { coder, bytes, options throws(ImageError) in
            var bitmap = Bitmap.empty
            try coder.decode(ImageData(bytes), into: &bitmap, options: options)
            let kept = bitmap
            try coder.decode(ImageData(bytes), into: &bitmap, options: options)
            return [kept, bitmap]
        },
        ReadingWay("tolerant and cut", changed { $0.strictness = .tolerant }) {
            coder, bytes, options throws(ImageError) in
            let part = Array(bytes.prefix(bytes.count - 14))
            return pixels(try coder.decode(ImageData(part), options: options))
        },
        ReadingWay("pieces") { coder, bytes, options throws(ImageError) in
            try coder.decode(bytes, inPiecesOf: 41, options: options).map(pixels) ?? []
        },
        ReadingWay("pictures of pieces", changed { $0.limits.maxTime = nil }, inPictures),
        ReadingWay("a registry's pieces") { coder, bytes, options throws(ImageError) in
            var decoder = CoderRegistry([coder]).makeIncrementalDecoder(options: options)
            return try rest(of: bytes, from: 0, every: 60, &decoder)
        },
        ReadingWay("checkpoints") { coder, bytes, options throws(ImageError) in
            var decoder = coder.makeIncrementalDecoder(options: options)
            var all: [Bitmap] = []
            let step = max(1, bytes.count / 4)
            for start in stride(from: 0, to: bytes.count, by: step) {
                var copy = decoder
                all += try rest(of: bytes, from: start, every: bytes.count, &copy)
                if let image = try decoder.image() { all.append(image.bitmap) }
                copy = decoder
                if let image = try copy.image() { all.append(image.bitmap) }
                _ = try decoder.append(bytes.span.extracting(start..<min(start + step, bytes.count)))
            }
            return all
        },
        ReadingWay("frames", isForAnimations: true) { coder, bytes, options throws(ImageError) in
            try frames(coder, bytes, options)
        },
        ReadingWay("kept frames", changed { $0.maxFrameCacheByteCount = 1 << 20 }, isForAnimations: true) {
            coder, bytes, options throws(ImageError) in
            try frames(coder, bytes, options)
        },
        ReadingWay("small frames", .thumbnail(width: 7, height: 5), isForAnimations: true) {
            coder, bytes, options throws(ImageError) in
            try frames(coder, bytes, options)
        },
    ]

    private static func changed(_ change: (inout DecodingOptions) -> Void) -> DecodingOptions {
        var options = DecodingOptions()
        change(&options)
        return options
    }

    private static func pixels(_ image: RasterImage) -> [Bitmap] {
        [image.bitmap] + (image.animation?.frames.map(\.bitmap) ?? [])
    }

    /// A picture after each piece, the newest two kept; and the frames so far.
    @Sendable private static func inPictures(
        _ coder: any IncrementalImageCoder, _ bytes: [UInt8], _ options: DecodingOptions
    ) throws(ImageError) -> [Bitmap] {
        var decoder = coder.makeIncrementalDecoder(options: options)
        var kept: [Bitmap] = []
        let step = max(1, bytes.count / 9)
        for start in stride(from: 0, to: bytes.count, by: step) {
            _ = try decoder.append(bytes.span.extracting(start..<min(start + step, bytes.count)))
            if let image = try decoder.image() { kept = kept.suffix(1) + [image.bitmap] }
            if let animation = try decoder.animation(), animation.frameCount > 0 {
                kept.append(try animation.frame(at: animation.frameCount - 1).bitmap)
            }
        }
        _ = try decoder.finish()
        if let image = try decoder.image() { kept.append(image.bitmap) }
        return kept
    }

    private static func rest(
        of bytes: [UInt8], from first: Int, every size: Int, _ decoder: inout any IncrementalImageDecoder
    ) throws(ImageError) -> [Bitmap] {
        for start in stride(from: first, to: bytes.count, by: size) {
            _ = try decoder.append(bytes.span.extracting(start..<min(start + size, bytes.count)))
        }
        _ = try decoder.finish()
        return try decoder.image().map { [$0.bitmap] } ?? []
    }

    private static func frames(
        _ coder: any IncrementalImageCoder, _ bytes: [UInt8], _ options: DecodingOptions
    ) throws(ImageError) -> [Bitmap] {
        guard let animated = coder as? any AnimatedImageCoder else { return [] }
        let animation = try animated.makeAnimation(from: ImageData(bytes), options: options)
        var all: [Bitmap] = []
        for index in Array(0..<animation.frameCount) + [0, animation.frameCount - 1] {
            all.append(try animation.frame(at: index).bitmap)
        }
        if animation.frameCount > 1 { all.append(try animation.subFrame(at: 1).bitmap) }
        return all
    }
}
