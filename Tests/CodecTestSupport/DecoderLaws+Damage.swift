// Laws about files that end too early or are damaged.

internal import ImageCodecsCore

extension DecoderLaws {
    /// Every prefix ends: strict decoding throws; tolerant decoding gives a picture whose report is true, or throws
    /// when there is no pixel.
    ///
    /// - Parameter sampleCount: prefixes tried of files that have more.
    package func prefixesEnd(_ file: [UInt8], sampleCount: Int = 60) -> [String] {
        var random = SeededRandom(seed: UInt64(file.count) + 2)
        let lengths =
            file.count <= 2 * sampleCount
            ? Array(0..<file.count)
            : Array(0..<min(40, file.count)) + Self.places(sampleCount, in: 0..<file.count, using: &random)
                + (1...min(20, sampleCount)).map { file.count - $0 }
        let whole = decode(file, .default)
        let wholeOrientation = orientation(file)
        var violations: [String] = []
        for length in Set(lengths).sorted() {
            let prefix = Array(file.prefix(length))
            violations += checkPrefix(prefix, whole, wholeOrientation).map { "\(length) of \(file.count) bytes: \($0)" }
        }
        return violations
    }

    /// How the file's picture has to be turned, as far as it is known.
    private func orientation(_ file: [UInt8]) -> Orientation {
        (try? coder.inspect(ImageData(file), options: .default))?.orientation ?? .up
    }

    private func checkPrefix(_ prefix: [UInt8], _ whole: Outcome, _ wholeOrientation: Orientation) -> [String] {
        var violations: [String] = []
        let strict = decode(prefix, .default)
        if strict.image != nil {
            // Only bytes after the picture may be missing.
            violations += strict.differences(from: whole).map { "strict: \($0)" }
        } else if strict.errorCode != "truncated" && strict.errorCode != "unknownFormat" {
            violations.append("strict: \(strict.summary)")
        }
        var options = DecodingOptions()
        options.strictness = .tolerant
        let tolerant = decode(prefix, options)
        if let picture = tolerant.image {
            violations += Self.untrueRows(picture, whole, orientation(prefix), wholeOrientation)
                .map { "tolerant: \($0)" }
            if strict.image == nil && !picture.isPartial { violations.append("tolerant: truncated, yet whole") }
        }
        violations += toleranceHasOneRule(prefix, isWhole: strict.image != nil).map { "tolerant, \($0)" }
        let cut = decode(prefix, cutAt: Self.boundaries(prefix.count, every: 5), options)
        violations += cut.differences(from: tolerant).map { "tolerant, pieces: \($0)" }
        options.size = .fitting(PixelSize(width: 11, height: 11))
        let thumbnail = decode(prefix, options)
        if thumbnail.image != nil && tolerant.image == nil { violations.append("a thumbnail of no picture") }
        return violations
    }

    /// What tolerant decoding makes of damage: an error while there is no row, for good, and the one of strict decoding
    /// if that fails too; afterwards a picture. Only a file read to its end is complete.
    private func toleranceHasOneRule(_ file: [UInt8], isWhole: Bool) -> [String] {
        var options = DecodingOptions()
        options.strictness = .tolerant
        var decoder = coder.makeIncrementalDecoder(options: options)
        var violations: [String] = []
        do throws(ImageError) {
            for start in stride(from: 0, to: file.count, by: max(1, file.count / 7)) {
                let end = min(file.count, start + max(1, file.count / 7))
                let progress = try decoder.append(file.span.extracting(start..<end))
                if progress.isComplete && !isWhole { violations.append("complete after byte \(end)") }
            }
            let progress = try decoder.finish()
            if progress.isComplete != isWhole { violations.append("ends \(progress.isComplete ? "" : "in")complete") }
            if try decoder.image() == nil { violations.append("neither an error nor a picture") }
            let late = try decoder.append([1, 2, 3].span)
            if late.isComplete != progress.isComplete {
                violations.append("bytes after the end change whether it is complete")
            }
        } catch {
            if isWhole { violations.append("\(error) in a whole file") }
            for isEnd in [false, true] {
                do throws(ImageError) {
                    _ = isEnd ? try decoder.finish() : try decoder.append([1].span)
                    violations.append("\(error) is not permanent")
                } catch let again {
                    if again != error { violations.append("\(again) after \(error)") }
                }
            }
            if let image = try? decoder.image() { violations.append("a picture of \(image.size) after \(error)") }
        }
        return violations
    }

    /// Rows that a partial picture calls decoded, but which differ from the whole picture's.
    ///
    /// - Parameters:
    ///   - orientation: how the partial picture's file has to be turned.
    ///   - wholeOrientation: how the whole one has.
    static func untrueRows(
        _ partial: ImageFacts, _ whole: Outcome, _ orientation: Orientation, _ wholeOrientation: Orientation
    ) -> [String] {
        guard let whole = whole.image else { return [] }
        guard partial.bitmap.size == whole.bitmap.size else {
            return orientation == wholeOrientation
                ? ["\(partial.bitmap.size) instead of \(whole.bitmap.size)"] : []
        }
        // Rows of the report are those of the file.
        guard orientation == .up, wholeOrientation == .up else { return [] }
        for rows in partial.rows ?? [0..<whole.bitmap.height] {
            guard rows.lowerBound >= 0, rows.upperBound <= whole.bitmap.height else { return ["rows \(rows)"] }
            for y in rows {
                let isSame = partial.bitmap.withRowBytes(y) { mine in
                    whole.bitmap.withRowBytes(y) { mine.hasSameBytes(as: $0) }
                }
                if !isSame { return ["row \(y) of \(rows) is not real"] }
            }
        }
        return []
    }

    /// Damage never traps nor stalls; errors point into the file, and cuts do not matter for damaged files either.
    ///
    /// - Parameter count: how many damaged files are made of this one.
    package func damageIsReported(_ file: [UInt8], count: Int = 60) -> [String] {
        var random = SeededRandom(seed: UInt64(file.count) + 3)
        var violations: [String] = []
        for round in 0..<count {
            var damaged = file
            for _ in 0...(round % 3) {
                let place = Int.random(in: 0..<file.count, using: &random)
                damaged[place] ^=
                    round.isMultiple(of: 2) ? 1 << UInt8(round / 2 % 8) : UInt8.random(in: 1...255, using: &random)
            }
            if let repair, round % 4 != 0 { damaged = repair(damaged) }
            violations += checkDamaged(damaged, using: &random).map { "damage \(round): \($0)" }
        }
        return violations
    }

    private func checkDamaged(_ damaged: [UInt8], using random: inout SeededRandom) -> [String] {
        var violations: [String] = []
        for strictness in DecodingOptions.Strictness.allCases {
            var options = DecodingOptions()
            options.limits = .untrusted
            // Large enough for every test file, small enough for damaged sizes.
            options.limits.maxPixelCount = 1 << 23
            options.strictness = strictness
            let whole = Outcome { () throws(ImageError) in
                do throws(ImageError) {
                    return try coder.decode(ImageData(damaged), options: options)
                } catch {
                    if let offset = error.offset, !(0...damaged.count).contains(offset) {
                        violations.append("\(error) in \(damaged.count) bytes")
                    }
                    throw error
                }
            }
            if strictness == .strict, whole.image?.isPartial == true { violations.append("strict, yet partial") }
            if strictness == .tolerant, let code = whole.errorCode, ["corrupt", "truncated"].contains(code) {
                options.strictness = .strict
                let strict = decode(damaged, options)
                if strict.errorCode != code { violations.append("tolerant throws \(code), strict \(strict.summary)") }
                options.strictness = .tolerant
            }
            let boundaries = Self.places(6, in: 0..<damaged.count, using: &random)
            let cut = decode(damaged, cutAt: boundaries, options)
            violations += cut.differences(from: whole).map { "\(strictness), pieces: \($0)" }
        }
        return violations
    }
}
