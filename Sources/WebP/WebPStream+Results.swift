// What a decode gives: pictures, frames, and what of them is real.

package import ImageCore

extension WebPStream {
    package mutating func makeUnique() throws(ImageError) {
        try current?.decoder?.makeUnique()
        if !isPictureWhole { try picture?.makeUnique() }
        try live?.makeUnique()
    }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        self.damage = self.damage ?? damage
        isPictureBack = live != nil
        live = nil
        current = nil
        picture?.endPictures()
        if !isPictureWhole { try picture?.endEarly(work: work) }
        // No more frames come.
        damage.map { noteEnd($0) }
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try picture?.sink.result(work: work) ?? .empty
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        if live != nil { return try live?.picture(work: work) ?? .empty }
        return try picture?.partialPicture(work: work) ?? .empty
    }

    package var hasCostlyPartialPictures: Bool {
        live?.hasCostlyPictures ?? picture?.sink.hasCostlyPartialPictures ?? false
    }

    package var hasPicture: Bool { isPictureWhole || picture?.hasRows ?? false }

    package mutating func takeChanged() -> PixelRect? {
        if isPictureBack, let description {
            isPictureBack = false
            _ = picture?.takeChanged()
            return PixelRect(description.decodedSize)
        }
        let first = picture?.takeChanged()
        guard let drawn = live?.takeChanged() else { return first }
        // The first picture may have had another size; all of the second is new.
        return drawn
    }

    package var stage: DecodingProgress.Stage {
        guard facts != nil else { return .header }
        return isPictureWhole && isAnimation ? .frame(frameCount) : .rows(picture?.rowCount ?? 0)
    }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        guard let facts, !isComplete || damage != nil else { return nil }
        let frames =
            isAnimation
            ? PartialReport.Progress(done: frameCount, total: max(facts.frameCount, frameCount)) : nil
        let rows = picture?.realRows(isWhole: isPictureWhole) ?? []
        return PartialReport(rows: isEnded || live == nil ? rows : [], frames: frames, cause: damage)
    }

    /// Bytes behind the end are nobody's.
    ///
    /// - Parameter byteCount: how many there are.
    package mutating func noteTrailing(byteCount: Int) {}
}

// MARK: - The animation

extension WebPStream {
    package func frames(of data: ImageData?) -> WebPFrames? {
        guard let frames, frames.plan.count > 0 else { return nil }
        return frames.reading(data)
    }
}
