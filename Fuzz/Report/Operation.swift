// What is done with every file, and what is measured while it is done.

import CodecTestSupport
import ImageCodecsCore

/// One way to read a file.
enum Operation {
    case inspect
    case decode
    case tolerant
    case thumbnail
    /// Fed so many bytes at a time, with a look at the picture after each; the last one is kept meanwhile.
    case pieces(Int)

    /// The operations that a file of a size is put through.
    static func all(byteCount: Int) -> [Operation] {
        let pieces = (byteCount < 64 << 10 ? [1] : []) + [200, 4096]
        return [.inspect, .decode, .tolerant, .thumbnail] + pieces.map(Operation.pieces)
    }

    /// The name in the table.
    var name: String {
        switch self {
        case .inspect: "inspect"
        case .decode: "decode"
        case .tolerant: "decode, tolerant"
        case .thumbnail: "thumbnail 400x300"
        case .pieces(let size): "pieces of \(size)"
        }
    }

    func options(_ limits: DecodingLimits) -> DecodingOptions {
        var options = DecodingOptions()
        if case .thumbnail = self { options = .thumbnail(width: 400, height: 300) }
        if case .tolerant = self { options.strictness = .tolerant }
        options.limits = limits
        return options
    }

    /// Bytes beyond the promise that pictures of an unfinished decode may take: one that the caller keeps, and one
    /// that is being made.
    func allowance(_ info: ImageInfo) -> Int {
        guard case .pieces = self else { return 0 }
        return info.decodedByteCount.multipliedSaturated(by: 2)
    }

    /// Does it, and says how it ended.
    func perform(_ data: ImageData, _ coder: any IncrementalImageCoder, _ options: DecodingOptions) -> String {
        do throws(ImageError) {
            switch self {
            case .inspect:
                _ = try coder.inspect(data, options: options)
                return "ok"
            case .decode, .tolerant, .thumbnail:
                return try coder.decode(data, options: options).isPartial ? "partial" : "ok"
            case .pieces(let size):
                return try Self.feed(data, by: size, coder.makeIncrementalDecoder(options: options))
            }
        } catch {
            if case .limitExceeded(let kind, _, _) = error { return "limitExceeded(\(kind))" }
            return error.code
        }
    }

    private static func feed(
        _ data: ImageData, by size: Int, _ start: any IncrementalImageDecoder
    ) throws(ImageError) -> String {
        var decoder = start
        var shown: RasterImage?
        try data.withBytes { (bytes) throws(ImageError) in
            var position = 0
            while position < bytes.count {
                let end = min(bytes.count, position + size)
                _ = try decoder.append(bytes.extracting(position..<end))
                if let picture = try decoder.image() { shown = picture }
                position = end
            }
        }
        _ = try decoder.finish()
        if let picture = try decoder.image() { shown = picture }
        return shown.map { $0.isPartial ? "partial" : "ok" } ?? "nothing"
    }
}
