// Laws about what frames are made of, and what playing them costs.

package import ImageCodecsCore

extension DecoderLaws {
    /// Sub-frames that are disposed of and laid over one another plainly, as their descriptions say, give the frames.
    package func subFramesComposeToFrames(_ file: [UInt8], _ options: DecodingOptions) -> [String] {
        violations { () throws(ImageError) in
            var options = options
            options.appliesOrientation = false
            let provider = try open(file, options)
            guard let size = provider.info.animation == nil ? nil : Optional(provider.info.size) else { return [] }
            let isStraight = try provider.subFrame(at: 0).bitmap.format == .rgba
            var canvas = PlainCanvas(size: size, isStraight: isStraight)
            var found: [String] = []
            for index in 0..<min(40, provider.frameCount) {
                let info = try provider.frameInfo(at: index)
                let alone = try provider.subFrame(at: index)
                guard alone.bitmap.size == info.rect.size else { return ["sub-frame \(index): \(alone.bitmap.size)"] }
                if info.isOpaque, !Self.isOpaque(alone.bitmap) { found.append("frame \(index) is not opaque") }
                if info.composedFromIndex < 0 || info.composedFromIndex > index { found.append("begins after itself") }
                canvas.show(info, alone.bitmap.packedBytes())
                let frame = try provider.frame(at: index).bitmap
                var expected = try canvas.bitmap()
                if frame.size != size { expected = try expected.scaled(to: frame.size) }
                if try expected.converted(to: frame.format) != frame {
                    found.append("frame \(index) is composed otherwise")
                }
            }
            return found
        }
    }

    private static func isOpaque(_ bitmap: Bitmap) -> Bool {
        let bytes = bitmap.packedBytes()
        return stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 }
    }

    /// Thumbnails of frames are frames, scaled.
    package func frameThumbnailsAreScaledFrames(_ file: [UInt8]) -> [String] {
        violations { () throws(ImageError) in
            let whole = try open(file, .default)
            guard whole.info.animation != nil else { return [] }
            var found: [String] = []
            for options in [DecodingOptions.thumbnail(width: 11, height: 7), .atMost(byteCount: 3000)] {
                let small = try open(file, options)
                for index in 0..<min(whole.frameCount, 12) {
                    let (frame, thumbnail) = (try whole.frame(at: index).bitmap, try small.frame(at: index).bitmap)
                    let difference = Self.largestDifference(thumbnail, try frame.scaled(to: thumbnail.size))
                    if difference > 1 { found.append("\(Self.name(options)), frame \(index): off by \(difference)") }
                }
            }
            return found
        }
    }

    /// Playing holds no more memory than the description promises, and gives everything back.
    package func playingKeepsTheEstimate(_ file: [UInt8], _ options: DecodingOptions) -> [String] {
        violations { () throws(ImageError) in
            let meter = MemoryMeter()
            var options = options
            options.memoryMeter = meter
            var found: [String] = []
            do {
                let provider = try open(file, options)
                guard provider.info.animation != nil else { return [] }
                let allowed = try MemoryAllowance(coder, file, options).byteCount(holdsFrames: false)
                // In order with one bitmap handed back, then with jumps, then into bitmaps of their own.
                var bitmap = Bitmap.empty
                for index in 0..<provider.frameCount { try provider.frame(at: index, into: &bitmap) }
                if meter.peak > allowed { found.append("playing holds \(meter.peak), \(allowed) allowed") }
                for step in 0..<min(20, provider.frameCount) {
                    try provider.frame(at: (step * 7 + 3) % provider.frameCount, into: &bitmap)
                }
                if meter.peak > allowed { found.append("jumping holds \(meter.peak), \(allowed) allowed") }
                for index in 0..<min(20, provider.frameCount) { _ = try provider.frame(at: index) }
                if meter.peak > allowed.addingSaturated(provider.info.decodedByteCount) {
                    found.append("frames of their own: \(meter.peak) held, \(allowed) allowed")
                }
            }
            if meter.current != 0 { found.append("\(meter.current) bytes of playing never given back") }
            return found + playingWithLittleMemory(file, options)
        }
    }

    /// With as much memory as the law allows an animation plays; with less it is refused, or what is held stays below the limit.
    private func playingWithLittleMemory(_ file: [UInt8], _ options: DecodingOptions) -> [String] {
        guard let allowance = try? MemoryAllowance(coder, file, options) else { return ["not inspected"] }
        let allowed = allowance.byteCount(holdsFrames: false)
        var found: [String] = []
        for limit in [allowed, allowance.info.estimatedPeakByteCount / 2, 1000, 0] {
            let meter = MemoryMeter(limit: limit)
            var limited = options
            limited.limits.maxMemoryByteCount = limit
            limited.memoryMeter = meter
            do throws(ImageError) {
                let provider = try open(file, limited)
                var bitmap = Bitmap.empty
                for index in 0..<provider.frameCount { try provider.frame(at: index, into: &bitmap) }
                if limit < provider.info.decodedByteCount { found.append("played with \(limit) bytes") }
            } catch {
                if limit == allowed { found.append("\(error) with \(limit) bytes") }
                if error.code != "limitExceeded" { found.append("\(error) with \(limit) bytes") }
            }
            if meter.peak > limit { found.append("\(meter.peak) bytes held, \(limit) allowed") }
        }
        return found
    }

    /// The limit on frames is kept everywhere, and the first frame alone is never too many.
    package func frameLimitsHold(_ file: [UInt8]) -> [String] {
        violations { () throws(ImageError) -> [String] in
            let whole = try open(file, .default)
            let count = whole.frameCount
            guard count > 1 else { return [] }
            var options = DecodingOptions()
            options.limits.maxFrameCount = count
            var found: [String] = []
            if (try? open(file, options)) == nil { found.append("\(count) frames refused") }
            options.limits.maxFrameCount = count - 1
            let attempts: [(String, () throws(ImageError) -> Void)] = [
                ("open", { () throws(ImageError) in _ = try open(file, options) }),
                ("decode", { () throws(ImageError) in _ = try coder.decode(ImageData(file), options: options) }),
                (
                    "pieces",
                    { () throws(ImageError) in
                        var decoder = coder.makeIncrementalDecoder(options: options)
                        _ = try Self.feed(file, cutAt: [file.count / 2], to: &decoder)
                        _ = try decoder.animation()
                    }
                ),
            ]
            for (name, attempt) in attempts {
                do throws(ImageError) {
                    try attempt()
                    found.append("\(name): \(count) frames, \(count - 1) allowed")
                } catch {
                    guard case .limitExceeded(.frames, _, count - 1) = error else {
                        found.append("\(name): \(error)")
                        continue
                    }
                }
            }
            return try found + firstFrameAlone(file, whole)
        }
    }

    private func firstFrameAlone(
        _ file: [UInt8], _ whole: any AnimatedImageProvider
    ) throws(ImageError) -> [String] {
        var options = DecodingOptions()
        options.firstFrameOnly = true
        options.limits.maxFrameCount = 1
        let first = try whole.frame(at: 0).bitmap
        var found: [String] = []
        let provider = try open(file, options)
        let alone = try provider.frame(at: 0).bitmap
        if provider.frameCount != 1 || alone != first { found.append("the first alone differs") }
        let image = try coder.decode(ImageData(file), options: options)
        if (image.animation?.frames.count ?? 1) > 1 { found.append("more than the first frame") }
        if try image.bitmap.converted(to: first.format) != first {
            found.append("the first frame as a picture differs")
        }
        return found
    }

    /// What is there of a file that ends early has the whole frames before the end, and they are those of the file.
    package func prefixesKeepWholeFrames(_ file: [UInt8], sampleCount: Int) -> [String] {
        violations { () throws(ImageError) in
            let image = try coder.decode(ImageData(file), options: .default)
            guard let animation = image.animation else { return [] }
            let whole = AnimationFacts(animation)
            var options = DecodingOptions()
            options.strictness = .tolerant
            var random = SeededRandom(seed: UInt64(file.count) + 9)
            var (found, mostFrames) = ([String](), 0)
            for length in Self.places(sampleCount, in: 0..<file.count, using: &random) {
                let prefix = Array(file.prefix(length))
                let (shot, opened) = (
                    try? coder.decode(ImageData(prefix), options: options), try? open(prefix, options)
                )
                var decoder = coder.makeIncrementalDecoder(options: options)
                _ = try? Self.feed(prefix, cutAt: [length / 3], to: &decoder)
                let snapshot = try decoder.animation()
                var counts: [Int] = []
                if let frames = shot?.animation?.frames {
                    counts.append(frames.count)
                    found += Self.differences(frames, whole).map { "\(length) bytes, one shot: \($0)" }
                    let wholeCount = frames.count { !$0.isPartial }
                    if let done = shot?.partial?.frames, done.done != wholeCount {
                        found.append("\(length) bytes: \(wholeCount) whole frames, \(done) reported")
                    }
                }
                for (name, provider) in [("opened", opened), ("pieces", snapshot)] {
                    // If no frame is whole, what is there of the picture is a still.
                    guard let provider, provider.info.animation != nil, shot?.animation != nil else { continue }
                    counts.append(provider.frameCount)
                    let frames = try (0..<provider.frameCount).map { index throws(ImageError) in
                        try provider.frame(at: index)
                    }
                    if frames.map(\.bitmap) != shot?.animation?.frames.map(\.bitmap) {
                        found.append("\(length) bytes, \(name): not the frames of one shot")
                    }
                    found += Self.differences(frames, whole)
                        .map { "\(length) bytes, \(name): \($0)" }
                }
                if Set(counts).count > 1 { found.append("\(length) bytes: \(counts) frames") }
                if let count = counts.first {
                    if count < mostFrames { found.append("\(length) bytes: \(count) frames, \(mostFrames) in less") }
                    mostFrames = max(mostFrames, count)
                }
                if counts.contains(whole.count), let partial = shot?.partial, partial.rows.isEmpty {
                    found.append("\(length) bytes: all frames, and no row")
                }
            }
            return found
        }
    }

    /// Frames that are not said to be partial are those of the whole file.
    private static func differences(_ frames: [ImageFrame], _ whole: AnimationFacts) -> [String] {
        guard frames.count <= whole.count else { return ["\(frames.count) frames of \(whole.count)"] }
        return frames.indices.filter { !frames[$0].isPartial && frames[$0].bitmap != whole.bitmaps[$0] }
            .map { "another frame \($0)" }
    }

    /// A time limit of zero and a cancelled task stop opening and playing.
    package func playingCanBeStopped(_ file: [UInt8]) async -> [String] {
        var found: [String] = []
        var options = DecodingOptions()
        options.limits.maxTime = .zero
        do throws(ImageError) {
            _ = try open(file, options).frame(at: 0)
            found.append("a frame in no time")
        } catch {
            if error.code != "limitExceeded" { found.append("\(error) in no time") }
        }
        guard let provider = try? open(file, .default) else { return found + ["not opened"] }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            do throws(ImageError) {
                _ = try provider.frame(at: provider.frameCount - 1)
                return "a frame"
            } catch {
                return error.code
            }
        }
        task.cancel()
        let outcome = await task.value
        if outcome != "cancelled" { found.append("\(outcome) in a cancelled task") }
        // It plays on for others.
        if (try? provider.frame(at: provider.frameCount - 1)) == nil { found.append("stopped for good") }
        return found
    }
}
