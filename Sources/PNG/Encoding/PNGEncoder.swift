// From rows to the bytes of a PNG file.
//
//   1. survey      what do the pixels make use of?                 PixelSurvey
//   2. choose      colour type, bit depth, palette, filters        EncodingChoice, PixelEncoding
//   3. describe    colour space, density, text, ... as chunks      PNGMetadataChunks
//   4. pack        row -> scanline                                 ScanlinePacker
//   5. filter      scanline -> bytes that compress well            ScanlineFilterer
//   6. compress, cut into IDAT chunks                              ImageDataWriter
//
// Step 1 looks at all rows first; large pictures that are written with `EncodingOptions.Effort.fast` do without, and rows go
// through the other steps as they come. With `EncodingOptions.Effort.best`, of small pictures with `default` too, and if the file is
// interlaced, all scanlines are held between steps 4 and 5: several ways of filtering are tried on them.

import DeflateCodec
package import ImageCodecsCore
package import ImageEncoding

/// Writes one picture as a PNG file.
///
/// The smallest colour type and bit depth that keep every pixel are chosen: gray if all pixels are gray, no alpha if all are
/// opaque or one colour can stand for transparency, a palette if there are few colours, eight bits if the samples of sixteen are
/// bytes repeated. Premultiplied pixels become straight. Large pictures that are written with `EncodingOptions.Effort.fast` are
/// what the rows' format says.
///
/// `EncodingOptions.embedsThumbnail` has no effect: PNG has no place for a preview.
package struct PNGEncoder: RowEncoder {
    private enum State: Sendable {
        case ready
        case surveying(Indirect<PixelSurvey>)
        case writing(ScanlinePacker, ImageDataWriter)
        case storing(PassStore, [FilterStrategy])
        case ended
    }

    private let picture: EncodedPicture
    private let request: EncodingRequest
    private let metadata: PNGMetadataChunks
    private var state = State.ready
    private var file = ChunkWriter()
    package private(set) var fixedByteCount = 0

    /// - Throws: `limitExceeded(.dimension)` for a side of 2^31 pixels or more.
    package init(_ picture: EncodedPicture, _ request: EncodingRequest) throws(ImageError) {
        let (side, largest) = (max(picture.size.width, picture.size.height), Int(Int32.max))
        guard side <= largest else { throw .limitExceeded(.dimension, requested: side, allowed: largest) }
        self.picture = picture
        self.request = request
        metadata = PNGMetadataChunks(picture, meter: request.meter)
    }

    private var effort: EncodingOptions.Effort { request.options.effort }

    /// Whether all scanlines are held before the first is filtered.
    private var storesScanlines: Bool {
        effort == .best || effort == .default && isSmall || request.options.png.isInterlaced
    }

    /// Pixels of pictures on all of which ways of filtering are tried with effort default.
    private static let smallPixelCount = 1 << 19

    private var isSmall: Bool { (picture.size.pixelCount ?? .max) <= Self.smallPixelCount }

    package var rowFormat: PixelFormat { picture.format }

    package var surveysRows: Bool {
        guard effort == .fast, !storesScanlines else { return true }
        let byteCount = Bitmap.byteCount(size: picture.size, format: picture.format) ?? .max
        return byteCount <= request.options.png.surveyedByteCount
    }

    package var estimatedByteCount: Int {
        let (size, format) = (picture.size, picture.format)
        // The widest scanlines that rows of this format may need: no more samples than they have.
        let widest = PixelEncoding(unchanged: format, grayUse: metadata.grayUse)
        var count = ImageDataWriter.estimatedByteCount(widest, size: size, CompressionEffort(effort))
            .addingSaturated(metadata.compressingByteCount)
        if storesScanlines {
            let isInterlaced = request.options.png.isInterlaced
            let total = widest.bytesPerScanline(width: size.width).addingSaturated(1).multipliedSaturated(
                by: size.height)
            count = count.addingSaturated(ScanlineStore.heldByteCount(total)).addingSaturated(
                PairEntropy.byteCount
            ).addingSaturated(
                PassStore.estimatedByteCount(picture, widest, isInterlaced: isInterlaced))
        } else {
            count = count.addingSaturated(ScanlinePacker.estimatedByteCount(format, width: size.width))
        }
        guard surveysRows else { return count }
        // The sampled rows are held twice while filters are tried on them, and pairs of colours are counted.
        let samples = PixelSurvey.byteCount(format: format, size: size, thoroughness)
        return count.addingSaturated(samples.multipliedSaturated(by: 3)).addingSaturated(NeighborOrder.byteCount)
            .addingSaturated(ScanlinePacker.estimatedByteCount(format, width: size.width))
    }

    private var thoroughness: PixelSurvey.Thoroughness {
        switch effort {
        case .fast: .quick
        case .default: .whole
        case .best: .thorough
        }
    }

    /// Takes all colours of the picture before its first row is surveyed; see ``PixelSurvey/give(colors:)``.
    mutating func give(colors: [UInt32]) throws(ImageError) {
        var survey = try PixelSurvey(format: picture.format, size: picture.size, thoroughness, meter: request.meter)
        survey.give(colors: colors)
        state = .surveying(Indirect(survey))
    }

    package mutating func survey(_ row: RawSpan, work: inout WorkGuard) throws(ImageError) -> Bool {
        if case .ready = state {
            state = .surveying(
                Indirect(
                    try PixelSurvey(
                        format: picture.format, size: picture.size, thoroughness, meter: request.meter)))
        }
        guard case .surveying(var survey) = taken() else { return false }
        let wantsMore = survey.value.look(at: row)
        state = .surveying(survey)
        return wantsMore
    }

    package mutating func write(
        _ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        var current = taken()
        switch current {
        case .ready:
            let encoding = PixelEncoding(unchanged: picture.format, grayUse: metadata.grayUse)
            let strategy =
                encoding.isFiltered ? FilterStrategy.fewestBits(step: EncodingChoice.fastStep) : .fixed(.none)
            current = try begin(encoding, [strategy], &work)
        case .surveying(let survey):
            let (encoding, strategies) = try choose(survey.value, &work)
            current = try begin(encoding, strategies, &work)
        case .writing, .storing, .ended: break
        }
        switch consume current {
        case .writing(var packer, var data):
            try data.write(work: &work) {
                packer.pack(row, into: &$0)
            } emit: {
                file.append(.imageData, $0)
            }
            state = .writing(packer, data)
            try file.pending.sendIfFull(to: sink)
        case .storing(var store, let strategies):
            store.add(row)
            state = .storing(store, strategies)
        case .ready, .surveying, .ended: break
        }
    }

    /// The state, which is ``State/ended`` afterwards: what is taken out can be changed without being copied.
    private mutating func taken() -> State {
        var current = State.ended
        swap(&current, &state)
        return current
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        switch taken() {
        case .writing(_, var data):
            try data.finish(work: &work) { file.append(.imageData, $0) }
        case .storing(let store, let strategies):
            try write(store.scanlines, strategies, to: sink, &work)
        case .ready, .surveying, .ended: break
        }
        file.append(.imageEnd)
        try file.pending.send(to: sink)
    }

    /// Writes what stands before the image data; how that is written then.
    private mutating func begin(
        _ encoding: PixelEncoding, _ strategies: [FilterStrategy], _ work: inout WorkGuard
    ) throws(ImageError) -> State {
        let isInterlaced = request.options.png.isInterlaced
        file.append(
            .imageHeader, ImageHeader.body(size: picture.size, encoding, isInterlaced: isInterlaced))
        metadata.recordLosses(encoding, in: request.options.losses)
        try metadata.writeBeforePalette(to: &file, encoding, &work)
        if encoding.colorType == .indexed { file.append(.palette, encoding.paletteBody) }
        if !encoding.transparencyBody.isEmpty { file.append(.transparency, encoding.transparencyBody) }
        try metadata.writeAfterPalette(to: &file, encoding, &work)
        fixedByteCount = file.pending.totalCount
        let meter = request.meter
        if storesScanlines {
            return .storing(
                try PassStore(picture, encoding, isInterlaced: isInterlaced, meter: meter), strategies)
        } else {
            let byteCount = encoding.bytesPerScanline(width: picture.size.width)
            let data = try ImageDataWriter(
                byteCount: byteCount, distance: encoding.filterDistance,
                total: byteCount.addingSaturated(1).multipliedSaturated(by: picture.size.height), strategies[0],
                CompressionEffort(effort), meter: meter)
            return .writing(
                try ScanlinePacker(from: picture.format, to: encoding, width: picture.size.width, meter: meter), data)
        }
    }
}

// MARK: - Filters

extension PNGEncoder {
    /// How pixels are written, and how their scanlines may be filtered: in one way if they are written as they come, else in that
    /// of several which is found the best on those that are held.
    private func choose(
        _ survey: PixelSurvey, _ work: inout WorkGuard
    ) throws(ImageError) -> (PixelEncoding, [FilterStrategy]) {
        try EncodingChoice(
            survey: survey, size: picture.size, grayUse: metadata.grayUse, effort: effort, isSmall: isSmall,
            ownFilters: request.options.png.filters, meter: request.meter
        ).choose(&work)
    }

    /// Writes scanlines that were held.
    private mutating func write(
        _ scanlines: ScanlineStore, _ strategies: [FilterStrategy], to sink: EncodedBytesSink,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        try scanlines.writeShortest(
            of: strategies, effort, progress: request.options.progress, meter: request.meter, work: &work
        ) { (piece) throws(ImageError) in
            file.append(.imageData, piece)
            try file.pending.sendIfFull(to: sink)
        }
    }
}
