// Laws about memory, limits, time and cancellation.

package import ImageCodecsCore

extension DecoderLaws {
    /// A decode holds no more memory than its estimate and what that leaves out, and gives everything back.
    package func memoryStaysWithinTheEstimate(
        _ file: [UInt8], options: [DecodingOptions] = variants
    ) -> [String] {
        var violations: [String] = []
        for options in options {
            do throws(ImageError) {
                let allowance = try MemoryAllowance(coder, file, options)
                for isOneShot in [true, false] {
                    let held = try memoryHeld(file, options, isOneShot: isOneShot)
                    let name = "\(Self.name(options)), \(isOneShot ? "one shot" : "pieces")"
                    let allowed = allowance.byteCount(holdsFrames: isOneShot)
                    if held.peak > allowed { violations.append("\(name): \(held.peak) held, \(allowed) allowed") }
                    if held.left != 0 { violations.append("\(name): \(held.left) bytes never given back") }
                }
                violations += memoryLimit(file, options, allowance)
            } catch {
                violations.append("\(Self.name(options)): \(error)")
            }
        }
        return violations + tolerantMemory(file)
    }

    private func memoryHeld(
        _ file: [UInt8], _ options: DecodingOptions, isOneShot: Bool
    ) throws(ImageError) -> (peak: Int, left: Int) {
        let meter = MemoryMeter()
        var options = options
        options.memoryMeter = meter
        if isOneShot {
            _ = try coder.decode(ImageData(file), options: options)
        } else {
            var decoder = coder.makeIncrementalDecoder(options: options)
            _ = try Self.feed(file, cutAt: Self.boundaries(file.count, every: 100), to: &decoder)
        }
        return (meter.peak, meter.current)
    }

    /// With as much memory as the law allows a decode succeeds; with less it is refused, or stays below the limit.
    private func memoryLimit(_ file: [UInt8], _ options: DecodingOptions, _ allowance: MemoryAllowance) -> [String] {
        var violations: [String] = []
        let (info, allowed) = (allowance.info, allowance.byteCount(holdsFrames: true))
        for limit in [allowed, info.estimatedPeakByteCount, info.decodedByteCount - 1, 1, 0] {
            let meter = MemoryMeter(limit: limit)
            var limited = options
            limited.limits.maxMemoryByteCount = limit
            limited.memoryMeter = meter
            let outcome = decode(file, limited)
            if limit == allowed && outcome.image == nil { violations.append("refused with \(limit) bytes") }
            if limit < info.decodedByteCount && outcome.errorCode != "limitExceeded" {
                violations.append("\(outcome.summary) with \(limit) bytes")
            }
            if meter.peak > limit { violations.append("\(meter.peak) bytes held, \(limit) allowed") }
        }
        return violations
    }

    /// Partial pictures of truncated files keep the law too.
    private func tolerantMemory(_ file: [UInt8]) -> [String] {
        var violations: [String] = []
        for var options in [DecodingOptions.default, .thumbnail(width: 13, height: 9)] {
            options.strictness = .tolerant
            guard let allowance = try? MemoryAllowance(coder, file, options) else { continue }
            let allowed = allowance.byteCount(holdsFrames: true)
            for part in 1..<8 {
                let meter = MemoryMeter()
                options.memoryMeter = meter
                _ = decode(Array(file.prefix(file.count * part / 8)), options)
                if meter.peak > allowed {
                    violations.append("\(Self.name(options)), \(part)/8: \(meter.peak) held, \(allowed) allowed")
                }
            }
        }
        return violations
    }

    /// Sizes over a limit are refused before memory is taken, by an inspection too.
    package func limitsAreCheckedFirst(_ file: [UInt8]) -> [String] {
        var metered = DecodingOptions()
        let inspection = MemoryMeter()
        metered.memoryMeter = inspection
        guard let info = try? coder.inspect(ImageData(file), options: metered) else { return ["not inspected"] }
        let metadataHeld = inspection.peak
        var violations: [String] = []
        let side = max(info.size.width, info.size.height)
        let pixels = info.size.width * info.size.height
        for (kind, change) in [
            (ImageError.LimitKind.dimension, { (limits: inout DecodingLimits) in limits.maxDimension = side - 1 }),
            (.pixels, { (limits: inout DecodingLimits) in limits.maxPixelCount = pixels - 1 }),
        ] {
            var options = DecodingOptions()
            change(&options.limits)
            let meter = MemoryMeter()
            options.memoryMeter = meter
            for (name, attempt) in [
                ("decode", { () throws(ImageError) in _ = try coder.decode(ImageData(file), options: options) }),
                ("inspect", { () throws(ImageError) in _ = try coder.inspect(ImageData(file), options: options) }),
            ] as [(String, () throws(ImageError) -> Void)] {
                do throws(ImageError) {
                    try attempt()
                    violations.append("\(name) ignored the limit of \(kind)")
                } catch {
                    guard case .limitExceeded(kind, _, _) = error else {
                        violations.append("\(name): \(error) for \(kind)")
                        continue
                    }
                }
            }
            // Metadata before the size are kept before that is known, and by an inspection too.
            if meter.peak > metadataHeld { violations.append("\(meter.peak) bytes held before the limit of \(kind)") }
        }
        return violations
    }

    /// A decode into a bitmap says what of it is decoded, as a decode of an image does.
    package func reusedBitmapsTellWhatIsReal(_ file: [UInt8]) -> [String] {
        var options = DecodingOptions()
        options.strictness = .tolerant
        var violations: [String] = []
        for part in [file, Array(file.prefix(file.count * 2 / 3))] {
            var bitmap = Bitmap.empty
            guard let image = try? coder.decode(ImageData(part), options: options),
                let report = try? coder.decode(ImageData(part), into: &bitmap, options: options)
            else {
                // Without a partial report both are whole, or both have failed.
                let isWhole = (try? coder.decode(ImageData(part), options: options))?.partial == nil
                if !isWhole && !isAnimation(part) { violations.append("no report of a partial picture") }
                continue
            }
            // The report of a bitmap is of the first picture alone.
            let isSame = isAnimation(part) ? report.rows == image.partial?.rows : report == image.partial
            if !isSame || bitmap != image.bitmap { violations.append("another picture in a bitmap") }
        }
        return violations
    }

    /// Asking for the picture after every piece, and keeping the newest, holds no more than the decode and the pictures
    /// that take turns; they are counted, refused when there is no memory, and never change.
    package func keptPicturesAreCounted(_ file: [UInt8]) -> [String] {
        do throws(ImageError) {
            var options = DecodingOptions()
            let allowance = try MemoryAllowance(coder, file, options)
            let info = allowance.info
            let meter = MemoryMeter()
            options.memoryMeter = meter
            var decoder = coder.makeIncrementalDecoder(options: options)
            var kept: RasterImage?
            let size = max(1, file.count / 30)
            for start in stride(from: 0, to: file.count, by: size) {
                _ = try decoder.append(file.span.extracting(start..<min(file.count, start + size)))
                kept = try decoder.image() ?? kept
            }
            let held = allowance.byteCount(holdsFrames: false)
            let allowed = held.multipliedSaturated(by: 3)
            if meter.peak > allowed { return ["\(meter.peak) bytes held with pictures, \(allowed) expected"] }
            _ = kept
            let limited = MemoryMeter(limit: info.estimatedPeakByteCount)
            options.memoryMeter = limited
            decoder = coder.makeIncrementalDecoder(options: options)
            var pictures: [RasterImage] = []
            for start in stride(from: 0, to: file.count, by: size) {
                // What pictures take the decode may lack.
                guard (try? decoder.append(file.span.extracting(start..<min(file.count, start + size)))) != nil else {
                    break
                }
                if let picture = (try? decoder.image()) ?? nil { pictures.append(picture) }
            }
            if limited.peak > info.estimatedPeakByteCount {
                return ["\(limited.peak) bytes held, limit \(info.estimatedPeakByteCount)"]
            }
            return []
        } catch {
            return ["\(error) with pictures kept"]
        }
    }

    /// A time limit of zero and a cancelled task stop a decode.
    package func decodesCanBeStopped(_ file: [UInt8]) async -> [String] {
        var violations: [String] = []
        var options = DecodingOptions()
        options.limits.maxTime = .zero
        let timed = decode(file, options)
        if timed.errorCode != "limitExceeded" { violations.append("\(timed.summary) in no time") }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return decode(file, .default).summary
        }
        task.cancel()
        let summary = await task.value
        if summary != "cancelled" { violations.append("\(summary) in a cancelled task") }
        return violations
    }
}
