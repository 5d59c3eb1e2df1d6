// Frames of any bytes: in one shot, in any order and from pieces they are the same.

public import ImageCore

/// Checks what one coder makes of the frames of a file.
public enum AnimationCheck {
    /// Stops the process unless frames are the same each time, and those of one shot.
    public static func run(_ bytes: [UInt8], _ coder: some AnimatedImageCoder & IncrementalImageCoder) {
        let options = FuzzInput.options(for: bytes)
        var choices = Choices(seed: FuzzInput.checksum(bytes) ^ 0x9e37_79b9)
        guard let provider = try? coder.makeAnimation(from: ImageData(bytes), options: options) else { return }
        require(provider.frameCount <= options.limits.maxFrameCount, "\(provider.frameCount) frames")
        let shot = try? coder.decode(ImageData(bytes), options: options)
        let isWhole = shot.map { !$0.isPartial } ?? false
        var seen: [Int: Bitmap] = [:]
        var bitmap = Bitmap.empty
        for step in 0..<2 * provider.frameCount {
            let index = step < provider.frameCount ? step : Int(choices.next(UInt32(provider.frameCount)))
            if choices.next(4) == 0 { bitmap = .empty }
            guard (try? provider.frame(at: index, into: &bitmap)) != nil || isWhole else { continue }
            if let before = seen[index] { require(before == bitmap, "frame \(index) differs from itself") }
            seen[index] = bitmap
            guard isWhole, let frames = shot?.animation?.frames else { continue }
            require(frames.count == provider.frameCount, "\(frames.count) frames, \(provider.frameCount) opened")
            require(frames[index].bitmap == bitmap, "frame \(index) differs from one shot")
        }
        if isWhole { pieces(bytes, coder, options, shot?.animation?.frames ?? [], &choices) }
    }

    private static func pieces(
        _ bytes: [UInt8], _ coder: some IncrementalImageCoder, _ options: DecodingOptions, _ frames: [ImageFrame],
        _ choices: inout Choices
    ) {
        var decoder = coder.makeIncrementalDecoder(options: options)
        var (start, count) = (0, 0)
        let largest = [40, 700, 100_000][Int(choices.next(3))] as UInt32
        while start < bytes.count {
            let end = min(bytes.count, start + 1 + Int(choices.next(largest)))
            guard (try? decoder.append(bytes.span.extracting(start..<end))) != nil else { return }
            start = end
            let now = ((try? decoder.animation()) ?? nil)?.frameCount ?? count
            require(now >= count, "\(now) frames behind \(count)")
            count = now
        }
        guard (try? decoder.finish()) != nil, let last = (try? decoder.animation()) ?? nil else { return }
        // A byte limit is divided among the frames so far.
        if case .atMost = options.size { return }
        for index in 0..<min(frames.count, last.frameCount) {
            guard let frame = try? last.frame(at: index) else { continue }
            require(frame.bitmap == frames[index].bitmap, "pieces: another frame \(index)")
        }
    }
}
