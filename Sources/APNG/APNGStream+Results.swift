// What APNG's stream answers: pictures, the animation, and what is promised for them.

package import ImageCore
import PNG

// MARK: - The picture

extension APNGStream {
    /// What the headers say; known once the image data begin.
    package var info: ImageInfo? {
        guard var info = still.info, let control else { return still.info }
        info.format = .apng
        info.hasUndecodedAnimation = false
        info.animation = ImageInfo.Animation(frameCount: control.frameCount, loopCount: control.playCount)
        switch request.purpose {
        case .inspection: info.peakByteCount = info.peakByteCount.addingSaturated(facts?.framesByteCount() ?? 0)
        case .incremental:
            let told = info.peakByteCount.addingSaturated(aheadByteCount)
            info.peakByteCount = request.told(told, needed: info.peakByteCount)
        case .oneShot, .frames, .animation: break
        }
        if wantsOtherFrame, let plan = otherPlan {
            info.decodedSize = plan.resultSize
            info.decodedFormat = plan.format
        }
        return info
    }

    /// How a first frame is delivered that is not the default image.
    private var otherPlan: OutputPlan? {
        guard let header = still.header else { return nil }
        return try? AnimationOutput.plan(
            size: header.size, orientation: still.metadata.orientation, options: request.options)
    }

    package mutating func makeUnique() throws(ImageError) {
        try still.makeUnique()
        try live?.makeUnique()
        guard case .frame(let frame, var assembly?) = current else { return }
        current = .none
        defer { current = .frame(frame, assembly) }
        try assembly.makeUnique()
    }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        self.damage = self.damage ?? damage
        damage.map { noteEnd($0) }
        try still.end(damage: damage, work: work)
        current = .none
        live?.endPictures()
        if !wantsOtherFrame {
            isPictureBack = live != nil
            live = nil
        }
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard wantsOtherFrame, let header = still.header else { return try still.finalPicture(work: work) }
        // How it has to be turned may have been told behind it.
        let output = try AnimationOutput(
            size: header.size, orientation: still.metadata.orientation, options: request.options, meter: request.meter,
            work: work)
        var (donor, work) = (Bitmap.empty, work)
        return try live.map { (live) throws(ImageError) in
            try output.picture(of: live.canvasBitmap, donor: &donor, work: &work)
        } ?? .empty
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        if live != nil { return try live?.picture(work: work) ?? .empty }
        return try still.partialPicture(work: work)
    }

    package var hasCostlyPartialPictures: Bool { live?.hasCostlyPictures ?? still.hasCostlyPartialPictures }

    package var hasPicture: Bool { wantsOtherFrame ? live != nil : still.hasPicture }

    package mutating func takeChanged() -> PixelRect? {
        if isPictureBack {
            isPictureBack = false
            _ = still.takeChanged()
            return still.info.map { PixelRect($0.decodedSize) }
        }
        let first = still.takeChanged()
        guard let drawn = live?.takeChanged() else { return first }
        // The first picture may have had another size; all of the second is new.
        return drawn
    }

    package var stage: DecodingProgress.Stage {
        guard let frames, live != nil || frames.plan.count > 0 else { return still.stage }
        return .frame(frames.plan.count)
    }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        guard control != nil, facts != nil else { return still.partialReport(isEnded: isEnded) }
        let ofImage = still.partialReport(isEnded: isEnded)
        guard !isComplete || damage != nil || ofImage != nil else { return nil }
        let count = frames?.plan.count ?? 0
        var rows = ofImage?.rows ?? [0..<(still.header?.size.height ?? 0)]
        if wantsOtherFrame { rows = count > 0 ? [0..<(still.header?.size.height ?? 0)] : [] }
        if live != nil, !isEnded, !wantsOtherFrame { rows = [] }
        return PartialReport(
            rows: rows, passes: ofImage?.passes,
            frames: PartialReport.Progress(done: count, total: max(count, control?.frameCount ?? 0)),
            cause: ofImage?.cause ?? damage)
    }

    package mutating func noteTrailing(byteCount: Int) { still.noteTrailing(byteCount: byteCount) }
}

// MARK: - The animation

extension APNGStream {
    package func frames(of data: ImageData?) -> APNGFrames? {
        guard let frames, frames.plan.count > 0 else { return nil }
        return frames.reading(data)
    }
}

// MARK: - The promise

extension APNGStream {
    /// Takes note of bytes of a frame that are going to be kept.
    mutating func noteBytes(_ count: Int) throws(ImageError) {
        if request.purpose == .incremental, facts?.noteBytes(count) == true { try renew() }
    }

    /// Renews the promise.
    mutating func renew() throws(ImageError) {
        facts?.orientation = still.metadata.orientation
        guard let facts else { return }
        still.animationByteCount = try facts.byteCount()
        try still.renewDescription()
        aheadByteCount = facts.aheadByteCount
    }

    /// What came of a frame without an end is in the promise too, and no more.
    package mutating func noteEnd(_ error: ImageError) {
        guard let count = keeper.count(before: error) else { return }
        // Rows that a second thread unfilters may be found wrong when more than a piece came behind them.
        facts?.endEarly(byteCount: max(keeper.count, count + ChunkReader.pieceByteCount))
        try? renew()
    }

    package func playingInfo(frameCount: Int) -> ImageInfo? {
        guard var info, let peak = try? facts?.playingByteCount(frameCount: frameCount) else { return nil }
        let pixels = still.pixelByteCount.addingSaturated(still.animationByteCount)
        info.peakByteCount = max(0, info.peakByteCount - pixels).addingSaturated(peak)
        if let plan = try? facts?.output(frameCount: frameCount) {
            (info.decodedSize, info.decodedFormat) = (plan.resultSize, plan.format)
        }
        return info
    }
}
