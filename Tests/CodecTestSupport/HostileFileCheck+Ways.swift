// The other ways to decode the file: in pieces, with copies, with threads, cut off, limited, into a bitmap.

internal import ImageCodecsCore

extension HostileFileCheck {
    /// Feeds random pieces, looks at pictures on the way, and feeds rubbish to copies: the original must not notice.
    mutating func inPieces(comparedTo whole: DecoderLaws.Outcome) {
        let (options, _) = metered(options)
        var complaints: [String] = []
        var decisions = source
        let outcome = DecoderLaws.Outcome { () throws(ImageError) in
            var decoder = laws.coder.makeIncrementalDecoder(options: options)
            let largest = decisions.pick(file.count > 20_000 ? [60, 5000, 100_000] : [1, 2, 5, 40, 1000, 100_000])
            var (copiesLeft, picturesLeft, start) = (4, 4, 0)
            do throws(ImageError) {
                while start < file.count {
                    let end = min(file.count, start + 1 + decisions.below(largest))
                    if copiesLeft > 0, decisions.oneIn(10) {
                        copiesLeft -= 1
                        Self.spoilCopy(of: decoder, decisions.bytes(1 + decisions.below(300)))
                    }
                    _ = try decoder.append(file.span.extracting(start..<end))
                    if picturesLeft > 0, decisions.oneIn(12) {
                        picturesLeft -= 1
                        _ = try? decoder.image()
                    }
                    start = end
                }
                _ = try decoder.finish()
            } catch {
                if !Self.throwsAgain(error, &decoder) { complaints.append("\(error) is not permanent") }
                throw error
            }
            guard let image = try decoder.image() else { throw .truncated(.png, offset: file.count) }
            return image
        }
        source = decisions
        for complaint in complaints { complain(complaint) }
        // All frames of an animation at once take more than pieces do; a copy that goes on holds as much again.
        let isTooMuch =
            whole.errorCode == "limitExceeded" && outcome.image != nil && laws.coder is any AnimatedImageCoder
            || whole.errorCode == "limitExceeded" && mayBeRefusedMemory(copyCount: 0)
            || outcome.errorCode == "limitExceeded" && mayBeRefusedMemory(copyCount: 2)
        if !isTooMuch { compare(outcome, whole, "pieces") }
    }

    private static func spoilCopy(of decoder: any IncrementalImageDecoder, _ noise: [UInt8]) {
        var copy = decoder
        _ = try? copy.append(noise.span)
        _ = try? copy.finish()
        _ = try? copy.image()
    }

    private static func throwsAgain(_ error: ImageError, _ decoder: inout any IncrementalImageDecoder) -> Bool {
        do throws(ImageError) {
            _ = try decoder.append([0, 1, 2].span)
            return false
        } catch let again {
            return again.code == error.code
        }
    }

    /// Pieces without copies and looks keep the promise of memory, and give everything back.
    mutating func inMeteredPieces(isPicture: Bool) {
        var (options, meter) = metered(options)
        let log = WorkLog()
        options.workLog = log
        var isUnfinished = false
        let size = source.pick(file.count > 20_000 ? [500, 1 << 20] : [1, 13, 500, 1 << 20])
        do {
            var decoder = laws.coder.makeIncrementalDecoder(options: options)
            do throws(ImageError) {
                let boundaries = DecoderLaws.boundaries(file.count, every: size)
                let image = try DecoderLaws.feed(file, cutAt: boundaries, to: &decoder)
                isUnfinished = image?.isPartial ?? false
                if (image != nil) != isPicture { complain("pieces of \(size): picture or not differs") }
            } catch {
                if isPicture { complain("pieces of \(size): \(error)") }
            }
        }
        checkPeak(meter, "pieces of \(size)", holdsFrames: false, isCounted: !isUnfinished)
        checkWork(log, "pieces of \(size)", callCount: file.count / size + 1)
        if meter.current != 0 { complain("pieces of \(size): \(meter.current) bytes never given back") }
    }

    /// Two threads, and tolerance if none is needed, change nothing.
    mutating func otherwise(_ whole: DecoderLaws.Outcome) {
        if options.maxThreadCount != 2, source.oneIn(3) {
            var threaded = options
            threaded.maxThreadCount = 2
            let outcome = SecondThread.isForAll.withValue(true) { decode(file, threaded) }
            compare(outcome, whole, "two threads")
        }
        if options.strictness == .strict, whole.image != nil {
            var tolerant = options
            tolerant.strictness = .tolerant
            compare(decode(file, tolerant), whole, "tolerant of a sound file")
        }
    }

    /// What a tolerant decode shows of a file that is refused, a tolerant inspection describes.
    mutating func tolerantly(_ whole: DecoderLaws.Outcome) {
        guard options.strictness == .strict, whole.image == nil, laws.coder.decodableFormats.contains(.png) else {
            return
        }
        var tolerant = options
        tolerant.strictness = .tolerant
        let info = try? laws.coder.inspect(ImageData(file), options: metered(tolerant).0)
        guard info?.estimatedPeakByteCount ?? 0 <= 48 << 20 else { return }
        if decode(file, tolerant).image != nil, info == nil { complain("decoded tolerantly, but not inspected") }
    }

    /// Rows that a prefix calls decoded are those of the whole.
    mutating func prefixes(_ whole: DecoderLaws.Outcome) {
        guard let image = whole.image, !image.isPartial, file.count > 20 else { return }
        var options = options
        options.strictness = .tolerant
        options.appliesOrientation = false
        options.size = .full
        // At full size it may be far larger.
        guard let full = try? MemoryAllowance(laws.coder, file, metered(options).0),
            full.byteCount(holdsFrames: true) < 48 << 20
        else { return }
        let upright = decode(file, options)
        if upright.image == nil { complain("at full size: \(upright.summary)") }
        for _ in 0..<3 {
            let count = source.below(file.count)
            guard let part = decode(Array(file.prefix(count)), options).image else { continue }
            for violation in DecoderLaws.untrueRows(part, upright, .up, .up) {
                complain("\(count) of \(file.count) bytes: \(violation)")
            }
        }
    }

    /// Limits on memory and time are kept, and change no picture.
    mutating func limits(_ whole: DecoderLaws.Outcome) {
        if source.oneIn(2) {
            var limited = options
            limited.limits.maxMemoryByteCount = source.below(300_000)
            let (options, meter) = metered(limited)
            let outcome = laws.decode(file, options)
            if meter.peak > limited.limits.maxMemoryByteCount {
                complain("\(meter.peak) bytes held, \(limited.limits.maxMemoryByteCount) allowed")
            }
            if let picture = outcome.image {
                if let image = whole.image, image.bitmap != picture.bitmap { complain("a memory limit changes pixels") }
            } else if whole.image != nil, outcome.errorCode != "limitExceeded" {
                complain("\(outcome.summary) with \(limited.limits.maxMemoryByteCount) bytes")
            }
        }
        guard source.oneIn(4) else { return }
        var hurried = options
        hurried.limits.maxTime = .microseconds(1 + source.below(300))
        var shortest = Duration.seconds(60)
        // What a machine does besides is felt also in the time of one thread.
        for _ in 0..<3 where shortest > .milliseconds(500) {
            let time = ThreadTime()
            let outcome = decode(file, hurried)
            shortest = min(shortest, time.elapsed)
            if outcome.errorCode != "limitExceeded", outcome.errorCode != whole.errorCode {
                complain("\(outcome.summary) in a hurry")
            }
        }
        if shortest > .milliseconds(500) { complain("\(shortest) under a limit of microseconds") }
    }

    /// A decode into a bitmap gives the same, whether its memory is reused, shared or too small.
    mutating func intoBitmap(_ whole: DecoderLaws.Outcome) {
        guard source.oneIn(3), let image = whole.image else { return }
        let other = PixelSize(width: 1 + source.below(9), height: 3)
        let size = source.oneIn(3) ? other : image.bitmap.size
        guard var target = try? Bitmap(size: size, format: image.bitmap.format) else { return }
        // While somebody else holds it, its memory is not used again.
        let keeps = source.oneIn(2)
        let shared = keeps ? target : .empty
        let before = keeps ? target.packedBytes() : []
        do throws(ImageError) {
            let report = try laws.coder.decode(ImageData(file), into: &target, options: metered(options).0)
            // Of an animation whose later frames are damaged the first picture may be whole, and turned by what is after.
            let isWhole = info?.animation != nil && image.isPartial && image.rows == info.map { [0..<$0.size.height] }
            if isWhole { return }
            if target != image.bitmap { complain("decoding into a bitmap gives other pixels") }
            if report?.rows != image.rows || report?.scans != image.scans || report?.passes != image.passes {
                complain("decoding into a bitmap gives another report: \(report as Any)")
            }
        } catch {
            if !mayRefuse(error, isPartial: image.isPartial) { complain("decoding into a bitmap: \(error)") }
        }
        if keeps, shared.packedBytes() != before { complain("a bitmap that is shared was written to") }
    }
}
