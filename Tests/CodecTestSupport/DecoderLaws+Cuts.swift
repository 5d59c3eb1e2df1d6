// Laws about feeding: cuts, copies, and what progress says.

package import ImageCodecsCore

extension DecoderLaws {
    /// Any split of the bytes gives the pixels, the metadata and the description of one shot.
    package func cutsDoNotMatter(_ file: [UInt8], options: [DecodingOptions] = variants) -> [String] {
        var violations: [String] = []
        var random = SeededRandom(seed: UInt64(file.count))
        for options in options {
            let whole = decode(file, options)
            if whole.image == nil { violations.append("\(Self.name(options)): \(whole.summary)") }
            let cuts = [
                "smallest": Self.boundaries(file.count, every: Self.smallestPiece(file)),
                "7": Self.boundaries(file.count, every: 7),
                "4096": Self.boundaries(file.count, every: 4096),
                "random": Self.places(5, in: 0..<file.count, using: &random),
                "empty": [0, 0, file.count / 2, file.count / 2, file.count],
            ]
            for (name, boundaries) in cuts {
                for difference in decode(file, cutAt: boundaries, options).differences(from: whole) {
                    violations.append("\(Self.name(options)), pieces \(name): \(difference)")
                }
            }
        }
        return violations + descriptionsAgree(file)
    }

    /// The description from an inspection, from one piece and from single bytes is the same; an orientation that
    /// stands after the pixels is known to an inspection and at the end.
    private func descriptionsAgree(_ file: [UInt8]) -> [String] {
        do throws(ImageError) {
            let inspected = try coder.inspect(ImageData(file), options: .default)
            var descriptions: [ImageInfo?] = []
            for size in [Self.smallestPiece(file), max(1, file.count)] {
                var decoder = coder.makeIncrementalDecoder(options: .default)
                _ = try Self.feed(file, cutAt: Self.boundaries(file.count, every: size), to: &decoder)
                descriptions.append(decoder.info)
            }
            guard descriptions[0] == descriptions[1] else { return ["the description depends on the cut"] }
            guard let fed = descriptions[0] else { return ["no description"] }
            let isSame =
                (fed.size, fed.format, fed.hasAlpha, fed.bitDepth) == (
                    inspected.size, inspected.format, inspected.hasAlpha, inspected.bitDepth
                ) && fed.orientation == inspected.orientation && fed.decodedByteCount == inspected.decodedByteCount
            return isSame ? [] : ["an inspection says otherwise: \(inspected) and \(fed)"]
        } catch {
            return ["\(error)"]
        }
    }

    /// A copied decoder is a checkpoint: original and copy go on independently, whatever either is fed.
    package func copiesAreCheckpoints(_ file: [UInt8], options: [DecodingOptions] = variants) -> [String] {
        var violations: [String] = []
        var random = SeededRandom(seed: UInt64(file.count) + 1)
        for options in options {
            let whole = decode(file, options)
            for place in Self.places(4, in: 0..<file.count, using: &random) {
                let cuts = Self.places(3, in: place..<file.count, using: &random)
                let outcomes = continueCopies(file, from: place, cutAt: cuts, options)
                for (name, outcome) in outcomes {
                    for difference in outcome.differences(from: whole) {
                        violations.append("\(Self.name(options)), \(name) from byte \(place): \(difference)")
                    }
                }
            }
        }
        return violations
    }

    /// Copies a decoder at `place` and finishes it several times, one copy with damaged bytes in between.
    private func continueCopies(
        _ file: [UInt8], from place: Int, cutAt cuts: [Int], _ options: DecodingOptions
    ) -> [(String, Outcome)] {
        var original = coder.makeIncrementalDecoder(options: options)
        guard (try? original.append(file.span.extracting(0..<place))) != nil else { return [] }
        var (copy, spoiled, last) = (original, original, original)
        // Holding a picture shares the decoder's memory too.
        let picture = try? original.image()
        let before = picture.map(ImageFacts.init)
        let first = Outcome { () throws(ImageError) in
            try Self.feed(file, from: place, cutAt: cuts, to: &original)
        }
        let noise = [UInt8](repeating: 0xA5, count: 300)
        _ = try? spoiled.append(noise.span)
        _ = try? spoiled.finish()
        let second = Outcome { () throws(ImageError) in
            try Self.feed(file, from: place, cutAt: [], to: &copy)
        }
        let third = Outcome { () throws(ImageError) in
            try Self.feed(
                file, from: place, cutAt: Self.boundaries(file.count, every: Self.smallestPiece(file)), to: &last)
        }
        var outcomes = [("original", first), ("copy", second), ("copy fed in small pieces", third)]
        if before != picture.map(ImageFacts.init) {
            outcomes.append(("the picture taken", Outcome { () throws(ImageError) in nil }))
        }
        return outcomes
    }

    /// A picture changes only if progress says so, and is there no later than progress says.
    package func progressTellsWhatChanged(_ file: [UInt8], options: [DecodingOptions] = variants) -> [String] {
        var violations: [String] = []
        for options in options {
            do throws(ImageError) {
                violations += try changes(file, options).map { "\(Self.name(options)): \($0)" }
            } catch {
                violations.append("\(Self.name(options)): \(error)")
            }
        }
        return violations
    }

    private func changes(_ file: [UInt8], _ options: DecodingOptions) throws(ImageError) -> [String] {
        var decoder = coder.makeIncrementalDecoder(options: options)
        var (shown, consumed) = (Bitmap?.none, 0)
        let pieceSize = max(1, file.count / 24)
        var start = 0
        while start <= file.count {
            let end = min(file.count, start + pieceSize)
            let progress =
                start == file.count ? try decoder.finish() : try decoder.append(file.span.extracting(start..<end))
            guard progress.consumedByteCount >= consumed, progress.consumedByteCount <= end else {
                return ["\(progress.consumedByteCount) bytes consumed of \(end), \(consumed) before"]
            }
            consumed = progress.consumedByteCount
            let picture = try decoder.image()?.bitmap
            if let picture, let changed = progress.changedRect,
                changed.x < 0 || changed.y < 0 || changed.x + changed.width > picture.width
                    || changed.y + changed.height > picture.height
            {
                return ["\(changed) changed in a picture of \(picture.size)"]
            }
            if let shown, let picture, !Self.isEqual(shown, picture, outside: progress.changedRect) {
                return ["pixels changed outside \(progress.changedRect as Any) after byte \(end)"]
            }
            if shown != nil && picture == nil { return ["the picture went away after byte \(end)"] }
            if shown == nil && picture != nil && progress.changedRect == nil {
                return ["a picture after byte \(end), but nothing changed"]
            }
            shown = picture
            start = start == file.count ? start + 1 : end
        }
        return []
    }

    /// Whether both are equal but inside `rectangle`. A changed size or format needs a rectangle that covers everything.
    private static func isEqual(_ old: Bitmap, _ new: Bitmap, outside rectangle: PixelRect?) -> Bool {
        let changed = rectangle ?? PixelRect(x: 0, y: 0, width: 0, height: 0)
        guard old.size == new.size, old.format == new.format else { return changed == PixelRect(new.size) }
        let pixelSize = new.format.bytesPerPixel
        for y in 0..<new.height {
            let inside = y >= changed.y && y < changed.y + changed.height
            let columns = inside ? changed.x * pixelSize..<(changed.x + changed.width) * pixelSize : 0..<0
            let isSame = old.withRowBytes(y) { before in
                new.withRowBytes(y) { after in
                    before.extracting(first: columns.lowerBound).hasSameBytes(
                        as: after.extracting(first: columns.lowerBound))
                        && before.extracting(droppingFirst: columns.upperBound).hasSameBytes(
                            as: after.extracting(droppingFirst: columns.upperBound))
                }
            }
            if !isSame { return false }
        }
        return true
    }
}
