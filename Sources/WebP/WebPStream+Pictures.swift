// Pictures while their chunks are read: what is planned when one begins, and where its rows go.

import ImageCore

extension WebPStream {
    /// What decodes a frame while it is read, where its rows are wanted now.
    func decoder(ofFrame index: Int) -> FrameDecoder? {
        guard request.purpose.decodesPixels else { return nil }
        let isShownAlive = request.purpose == .incremental && !request.options.firstFrameOnly
        guard index == 0 || isShownAlive else { return nil }
        return FrameDecoder(threads: request.options.maxThreadCount, meter: request.meter)
    }

    /// Whether a frame may be drawn while it comes. A few bytes can stand for any number of pixels that nobody may look
    /// at; once there were more than pictures have for their bytes, later frames are composed when they are asked for.
    ///
    /// - Parameters:
    ///   - size: of the frame.
    ///   - offset: bytes of the file so far.
    mutating func mayDraw(_ size: PixelSize, upTo offset: Int) -> Bool {
        frameCount == 0 || current?.decoder == nil || spendPixels(size, upTo: offset)
    }

    /// Counts pixels that may never be seen; answers whether there may be so many.
    mutating func spendPixels(_ size: PixelSize, upTo offset: Int) -> Bool {
        let allowed = Self.freePixelCount.addingSaturated(offset.multipliedSaturated(by: Self.pixelsPerByte))
        drawnPixelCount = drawnPixelCount.addingSaturated(size.width.multipliedSaturated(by: size.height))
        return drawnPixelCount <= allowed
    }

    /// Counts a plane of alpha that does not count; answers whether there may be so many.
    mutating func spendPlane(_ size: PixelSize, upTo offset: Int) -> Bool {
        let plane = size.width.multipliedSaturated(by: size.height)
        supersededAlphaCount = supersededAlphaCount.addingSaturated(plane)
        return supersededAlphaCount
            <= plane.multipliedSaturated(by: 2).addingSaturated(offset.multipliedSaturated(by: 4))
    }

    /// Pixels that may be drawn for each byte, and those that may be besides.
    private static let (pixelsPerByte, freePixelCount) = (1 << 12, 1 << 26)

    /// Begins a picture when the first bytes of its bitstream are there.
    ///
    /// - Returns: whether they are.
    mutating func beginImage(
        _ kind: PictureHeader.Kind, _ payload: Span<UInt8>, _ chunk: RIFFChunk, isLast: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard payload.count >= PictureHeader.byteCount(kind) else {
            guard !isLast else { throw PictureHeader.short(chunk) }
            return false
        }
        let header = try PictureHeader(kind, payload, chunk)
        guard let picture = current else { return false }
        let rect = try rectangle(of: header, picture, chunk)
        let canvas = extended?.canvasSize ?? header.size
        let limits = request.options.limits
        try limits.check(size: canvas)
        if isAnimation, !request.options.firstFrameOnly { try limits.check(frameCount: frameCount + 1) }
        let rows = Self.rows(header, picture, covering: rect == PixelRect(canvas))
        if facts == nil {
            beginFile(header, picture, rect, rows, chunk, canvas: canvas)
            noteFirst(headByteCount: chunk.bodyOffset + PictureHeader.byteCount(kind))
        }
        facts?.begin(header, hasAlphaChunk: picture.hasAlphaChunk, byteCount: chunk.byteCount)
        current?.image = (header, rows)
        if let head = picture.head {
            current?.frame = frames?.plan.planned(
                FrameInfo(
                    rect: rect, duration: head.duration, disposal: head.disposal, blending: head.blending,
                    isOpaque: !rows.hasAlpha))
        }
        try learn()
        if !mayDraw(header.size, upTo: chunk.bodyOffset) { current?.decoder = nil }
        try beginDecoding(header, rows, rect, &work)
        return true
    }

    /// Where a picture lies: with the size that its bitstream says it has.
    private func rectangle(
        of header: PictureHeader, _ picture: CurrentPicture, _ chunk: RIFFChunk
    ) throws(ImageError) -> PixelRect {
        guard let extended else { return PixelRect(header.size) }
        guard let head = picture.head else {
            guard header.size == extended.canvasSize else {
                throw .corrupt(
                    .webP, .webpCanvasSize, offset: chunk.offset,
                    reason: "a picture of \(header.size) pixels on a canvas of \(extended.canvasSize)")
            }
            return PixelRect(header.size)
        }
        let rect = PixelRect(x: head.rect.x, y: head.rect.y, width: header.size.width, height: header.size.height)
        try Self.check(rect, chunk, canvas: extended.canvasSize)
        guard !picture.hasAlphaChunk || header.size == head.rect.size else {
            throw .corrupt(
                .webP, .webpFrameRectangle, offset: chunk.offset,
                reason: "a picture of \(header.size) pixels with alpha for \(head.rect.size)")
        }
        return rect
    }

    /// What the rows of a picture hold.
    ///
    /// Whether a lossless picture has alpha its header only hints at. That is believed of pictures that are all there is to
    /// see, as libwebp does; the pixels of others are laid over the canvas by what alpha they have.
    private static func rows(
        _ header: PictureHeader, _ picture: CurrentPicture, covering coversCanvas: Bool
    ) -> SampleLayout {
        switch header.kind {
        case .lossy: picture.hasAlphaChunk ? .bgra : .pixels(.bgrx)
        case .lossless: header.hasAlpha || picture.hasAlphaChunk || !coversCanvas ? .bgra : .bgrx
        }
    }

    /// The first picture: what there is to be said of the file is known.
    private mutating func beginFile(
        _ header: PictureHeader, _ picture: CurrentPicture, _ rect: PixelRect, _ rows: SampleLayout, _ chunk: RIFFChunk,
        canvas: PixelSize
    ) {
        let saysAlpha = header.kind == .lossy && !isAnimation && (extended?.flags.contains(.alpha) ?? false)
        let layout = FirstPicture.layout(rows, rect, canvas: canvas)
        facts = WebPFacts(
            canvas: canvas,
            WebPFacts.First(
                header: header, rect: rect, rows: rows, hasAlphaChunk: picture.hasAlphaChunk,
                byteCount: chunk.byteCount),
            hasAlpha: layout.hasAlpha || saysAlpha, isAnimation: isAnimation, orientation: metadata.orientation, request
        )
        if isAnimation { frames = WebPFrames(canvasSize: canvas, meter: request.meter).reading(request.data) }
    }

    /// Makes what takes the rows of the picture that has begun, where they are wanted now.
    private mutating func beginDecoding(
        _ header: PictureHeader, _ rows: SampleLayout, _ rect: PixelRect, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let facts, current?.decoder != nil else { return }
        if frameCount == 0 {
            picture = try FirstPicture(
                rows, rect, plan: facts.plan(metadata.orientation), donor: &donor, meter: request.meter, work: work)
            try picture?.begin(work: work)
        } else if let frames, let frame = current?.frame {
            if live == nil {
                live = try LiveAnimation(
                    size: facts.canvas, orientation: metadata.orientation, options: request.options,
                    meter: request.meter, work: work)
                picture?.endPictures()
            }
            try live?.begin(frame, SubFrameRows(layout: rows, order: .topToBottom), behind: frames, work: &work)
        }
        try current?.decoder?.begin(header)
    }

    /// Decodes what there is of a picture.
    ///
    /// - Returns: how many bytes are not needed again.
    mutating func decode(
        _ payload: Span<UInt8>, of chunk: RIFFChunk, offset: Int, isFinal: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        // Out of `self` for the call, so that the buffers in them are not shared.
        guard var picture = current.take(), var decoder = picture.decoder.take() else { return payload.count }
        defer {
            picture.decoder = decoder
            current = picture
        }
        if frameCount == 0 {
            guard var first = self.picture.take() else { return payload.count }
            defer { self.picture = first }
            return try decoder.decode(
                payload, offset: offset, isFinal: isFinal, byteCount: chunk.byteCount, work: &work
            ) { row, y in first.write(row, y: y) }
        }
        guard var drawn = live.take() else { return payload.count }
        defer { live = drawn }
        return try decoder.decode(
            payload, offset: offset, isFinal: isFinal, byteCount: chunk.byteCount, work: &work
        ) { row, y in drawn.write(row, y: y) }
    }

    /// Ends a picture whose payload was read.
    mutating func endImage(_ chunk: RIFFChunk, _ work: inout WorkGuard) throws(ImageError) {
        guard let decoder = current?.decoder else { return }
        guard decoder.isWhole else { throw FrameDecoder.missingRows(chunk, decoder.rowCount) }
        if frameCount == 0 {
            try picture?.finish(work: work)
            isPictureWhole = true
        }
        // Nothing of it is needed any more; a still's would be held up to the end of the file.
        current?.decoder = nil
        if !isAnimation { current = nil }
    }
}
