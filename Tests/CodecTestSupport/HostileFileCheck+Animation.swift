// Animations of any bytes: frames opened, shot at once and from pieces are the same, within limits and memory.

internal import ImageCodecsCore

extension HostileFileCheck {
    /// More frames than this are not compared.
    private static let mostFrames = 12

    /// A few ways to the frames, chosen by decisions.
    mutating func animation(_ image: RasterImage?) {
        guard laws.coder is any AnimatedImageCoder else { return }
        let (options, meter) = metered(options)
        var opened: (any AnimatedImageProvider)?
        do throws(ImageError) {
            opened = try laws.open(file, options)
        } catch {
            checkOffset(error, "opening")
            if let image, image.animation != nil, !mayRefuse(error, isPartial: image.isPartial) {
                complain("decoded, but not opened: \(error)")
            }
        }
        if let opened, opened.info.animation != nil {
            // What a damaged file promises is for what could be read.
            play(opened, image, meter)
        }
        opened = nil
        if meter.current != 0 { complain("playing: \(meter.current) bytes never given back") }
        if source.oneIn(2) { piecewise(image) }
    }

    /// Jumps from frame to frame; frames and errors are the same each time.
    private mutating func play(
        _ provider: any AnimatedImageProvider, _ image: RasterImage?, _ meter: MemoryMeter
    ) {
        let count = provider.frameCount
        guard count > 0 else { return complain("an animation without frames") }
        if !options.firstFrameOnly, count > options.limits.maxFrameCount { complain("\(count) frames") }
        if let frames = image?.animation?.frames, !options.firstFrameOnly, image?.isPartial == false,
            frames.count != count
        {
            complain("\(frames.count) frames in one shot, \(count) opened")
        }
        var first: [Int: DecoderLaws.Outcome] = [:]
        var bitmap = Bitmap.empty
        for step in 0..<min(2 * Self.mostFrames, 2 * count) {
            let index = step < min(count, 4) ? step : source.below(count)
            if source.oneIn(3) { bitmap = .empty }
            let outcome = DecoderLaws.Outcome { () throws(ImageError) in
                let partial = try provider.frame(at: index, into: &bitmap)
                return RasterImage(bitmap: bitmap, partial: partial)
            }
            if meter.peak > max(options.limits.maxMemoryByteCount, 0) { complain("playing holds \(meter.peak)") }
            if let before = first[index] { compare(outcome, before, "frame \(index) again") }
            if outcome.errorCode == "limitExceeded" { bitmap = .empty }
            first[index] = outcome
            if isAsInOneShot(provider, image), let expected = image?.animation?.frames, index < expected.count,
                let frame = outcome.image
            {
                if frame.bitmap != expected[index].bitmap { complain("frame \(index) differs from one shot") }
                if frame.isPartial != expected[index].isPartial {
                    complain(
                        "frame \(index) is \(frame.isPartial ? "partial, yet whole" : "whole, yet partial") in one shot"
                    )
                }
            }
        }
        composed(provider)
    }

    /// Whether frames come as one shot gives them. Of a damaged file that does not know what is after the damage: frames
    /// that have a share in a limit on all, and how frames are to be turned.
    private func isAsInOneShot(_ provider: any AnimatedImageProvider, _ image: RasterImage?) -> Bool {
        guard image?.isPartial == true else { return true }
        let isTurned = options.appliesOrientation && provider.info.orientation != .up
        return !options.size.isDivided && !isTurned
    }

    /// Sub-frames composed plainly give the frame.
    private mutating func composed(_ provider: any AnimatedImageProvider) {
        let size = provider.info.size
        guard source.oneIn(3), size.width * size.height < 5000, case .full = options.size, !options.appliesOrientation
        else { return }
        guard let alone = try? provider.subFrame(at: 0) else { return }
        var canvas = PlainCanvas(size: size, isStraight: alone.bitmap.format == .rgba)
        for index in 0..<min(6, provider.frameCount) {
            guard let info = try? provider.frameInfo(at: index), info.rect.width * info.rect.height < 5000,
                let part = try? provider.subFrame(at: index), part.partial == nil,
                let frame = try? provider.frame(at: index), frame.partial == nil
            else { return }
            canvas.show(info, part.bitmap.packedBytes())
            guard let expected = try? canvas.bitmap().converted(to: frame.bitmap.format) else { return }
            if expected != frame.bitmap { complain("frame \(index) is composed otherwise") }
        }
    }

    /// The snapshot at the end of a file in pieces has the frames of one shot.
    private mutating func piecewise(_ image: RasterImage?) {
        let (options, meter) = metered(options)
        var count = 0
        do {
            var decoder = laws.coder.makeIncrementalDecoder(options: options)
            var start = 0
            let largest = source.pick([40, 1000, 100_000])
            var snapshot: (any AnimatedImageProvider)?
            while start < file.count {
                let end = min(file.count, start + 1 + source.below(largest))
                guard (try? decoder.append(file.span.extracting(start..<end))) != nil else { return }
                start = end
                snapshot = ((try? decoder.animation()) ?? nil) ?? snapshot
                guard let now = snapshot?.frameCount else { continue }
                if now < count { complain("\(now) frames after \(count)") }
                count = now
                if source.oneIn(8) { _ = try? snapshot?.frame(at: source.below(now)) }
            }
            guard (try? decoder.finish()) != nil else { return }
            snapshot = ((try? decoder.animation()) ?? nil) ?? snapshot
            guard let snapshot, let image, let frames = image.animation?.frames, !image.isPartial else { return }
            if self.options.firstFrameOnly, snapshot.frameCount != 1 {
                complain("\(snapshot.frameCount) frames in pieces, one is wanted")
            }
            if !self.options.firstFrameOnly, snapshot.frameCount != frames.count {
                complain("\(snapshot.frameCount) frames in pieces, \(frames.count) in one shot")
            }
            if case .atMost = options.size { return }
            for _ in 0..<4 {
                let index = source.below(min(frames.count, snapshot.frameCount))
                guard let frame = try? snapshot.frame(at: index) else { continue }
                if frame.bitmap != frames[index].bitmap { complain("pieces: another frame \(index)") }
            }
        }
        if meter.current != 0 { complain("frames in pieces: \(meter.current) bytes never given back") }
    }
}
