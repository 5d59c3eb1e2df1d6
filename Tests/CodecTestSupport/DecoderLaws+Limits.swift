// Laws about memory, limits, time and cancellation.

package import ImageCore

extension DecoderLaws {
    /// A decode holds no more memory than its description promises, and gives everything back.
    package func memoryStaysWithinThePromise(
        _ file: [UInt8], options: [DecodingOptions] = variants
    ) -> [String] {
        var violations: [String] = []
        for options in options {
            do throws(ImageError) {
                let promised = try coder.inspect(ImageData(file), options: options).peakByteCount
                for isOneShot in [true, false] {
                    let held = try memoryHeld(file, options, isOneShot: isOneShot)
                    let name = "\(Self.name(options)), \(isOneShot ? "one shot" : "pieces")"
                    if held.peak > promised { violations.append("\(name): \(held.peak) held, \(promised) promised") }
                    if held.left != 0 { violations.append("\(name): \(held.left) bytes never given back") }
                }
                violations += memoryLimit(file, options, promised: promised)
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

    /// With exactly the promised memory a decode succeeds; with less it is refused, or stays below the limit.
    private func memoryLimit(_ file: [UInt8], _ options: DecodingOptions, promised: Int) -> [String] {
        var violations: [String] = []
        for limit in [promised, promised - 1, promised / 2, 1, 0] {
            let meter = MemoryMeter(limit: limit)
            var limited = options
            limited.limits.maxMemory = limit
            limited.memoryMeter = meter
            let outcome = decode(file, limited)
            if limit == promised && outcome.image == nil { violations.append("refused with \(limit) bytes") }
            if limit < promised / 2 && outcome.errorCode != "limitExceeded" {
                violations.append("\(outcome.summary) with \(limit) bytes")
            }
            if meter.peak > limit { violations.append("\(meter.peak) bytes held, \(limit) allowed") }
        }
        return violations
    }

    /// Partial pictures of truncated files keep the promise too.
    private func tolerantMemory(_ file: [UInt8]) -> [String] {
        var violations: [String] = []
        for var options in [DecodingOptions.default, .thumbnail(13, 9)] {
            options.strictness = .tolerant
            guard let info = try? coder.inspect(ImageData(file), options: options) else { continue }
            for part in 1..<8 {
                let meter = MemoryMeter()
                options.memoryMeter = meter
                _ = decode(Array(file.prefix(file.count * part / 8)), options)
                if meter.peak > info.peakByteCount {
                    violations.append(
                        "\(Self.name(options)), \(part)/8: \(meter.peak) held, \(info.peakByteCount) promised")
                }
            }
        }
        return violations
    }

    /// Sizes over a limit are refused before memory is taken, by an inspection too.
    package func limitsAreCheckedFirst(_ file: [UInt8]) -> [String] {
        guard let info = try? coder.inspect(ImageData(file), options: .default) else { return ["not inspected"] }
        var violations: [String] = []
        let side = max(info.size.width, info.size.height)
        let pixels = info.size.width * info.size.height
        for (kind, change) in [
            (ImageError.LimitKind.dimension, { (limits: inout DecodingLimits) in limits.maxDimension = side - 1 }),
            (.pixels, { (limits: inout DecodingLimits) in limits.maxPixels = pixels - 1 }),
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
            if meter.peak != 0 { violations.append("\(meter.peak) bytes held before the limit of \(kind)") }
        }
        return violations
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
