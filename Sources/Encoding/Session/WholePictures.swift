// Whole pictures: a file is written as often as it takes to meet what is said of its length or of its look.

import ImageCodecsCore
import ImageComparison
import ImagePhotoMetadata

extension EncodingSession {
    /// Writes a prepared picture, as small as the options ask.
    ///
    /// - Parameter encoder: the one that was made for it, which one attempt may use.
    mutating func encodeWhole(
        _ bitmap: Bitmap, by encoder: any RowEncoder, to sink: EncodedBytesSink
    ) throws(ImageError) {
        if let target = request.options.targetQuality {
            let found = try fileLooking(bitmap, target)
            guard let most = request.options.maxFileByteCount, found.file.byteCount > most else {
                reachedQuality = found.score
                return try found.file.bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
            }
            // The limit wins: what is lost for it is lost beyond this.
            var options = found.options
            options.maxFileByteCount = most
            options.memoryMeter = request.meter
            request = EncodingRequest(options: options)
        }
        guard let most = request.options.maxFileByteCount else {
            _ = try encodeOnce(bitmap, request, by: encoder, to: sink)
            return
        }
        if request.options.keepsPixels {
            let file = try fileWithMoreEffort(bitmap, atMost: most)
            return try file.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
        }
        let bytes = try limitedFile(bitmap, atMost: most)
        try bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
    }

    /// A file of at most this many bytes that loses something, if it must.
    private mutating func limitedFile(_ bitmap: Bitmap, atMost most: Int) throws(ImageError) -> [UInt8] {
        guard let ladder = coder.traits(writing: format, unlimitedRequest().options).lossLadder else {
            return try smallerFile(bitmap, [], atMost: most)
        }
        // A limit that does not bind changes nothing.
        let whole = try encodedFile(bitmap, unlimitedRequest(), keepingAtMost: most)
        if whole.byteCount <= most { return whole.bytes }
        switch ladder {
        case .qualities(let options): return try fileOfLowerQuality(bitmap, options, atMost: most, whole)
        case .steps(_, let make):
            let steps = make()
            let file: [UInt8]
            if let found = try fileWithLeastLoss(bitmap, steps, atMost: most) {
                file = found
            } else {
                file = try smallerFile(bitmap, steps, atMost: most)
            }
            if !steps.isEmpty { recordMoreLoss() }
            return file
        }
    }

    /// A file that is small enough since the picture is.
    ///
    /// - Parameter moreLoss: options that lose ever more, all of which were tried.
    private mutating func smallerFile(
        _ bitmap: Bitmap, _ moreLoss: [EncodingOptions], atMost most: Int
    ) throws(ImageError) -> [UInt8] {
        var request = unlimitedRequest()
        if let mostLoss = moreLoss.last {
            // A smaller picture may lose a little less.
            request = EncodingRequest(options: request.options.mayScaleDown ? moreLoss[moreLoss.count / 2] : mostLoss)
        }
        return try request.options.shrink(
            bitmap, toFileOf: most, format: format, meter: self.request.meter, work: clock.work
        ) { (bitmap) throws(ImageError) in
            try encodedFile(bitmap, request, keepingAtMost: most)
        }
    }

    /// A file of the highest quality that is small enough; below a tenth the picture gets smaller, if it may.
    ///
    /// - Parameters:
    ///   - options: their quality is lowered.
    ///   - whole: the file that is too long, of that quality if they name one.
    private mutating func fileOfLowerQuality(
        _ bitmap: Bitmap, _ options: EncodingOptions, atMost most: Int, _ whole: EncodedFile
    ) throws(ImageError) -> [UInt8] {
        let highest = min(max(options.quality ?? 1, 0), 1)
        let (size, mayScaleDown) = (bitmap.size, options.mayScaleDown)
        // With a limit a file may have fewer headers.
        let isNear = options.quality != nil && whole.byteCount - most < 2048
        let known = options.quality == nil || isNear ? nil : whole.byteCount
        return try options.shrink(
            bitmap, toFileOf: most, format: format, meter: request.meter, work: clock.work
        ) { (bitmap) throws(ImageError) in
            let isWhole = bitmap.size == size
            let mayShrink = mayScaleDown && bitmap.size != PixelSize(width: 1, height: 1)
            let lowest = mayShrink ? min(0.1, highest) : 0
            let search = LengthSearch(
                limit: most, qualities: lowest...highest,
                byteCount: isWhole ? known : nil,
                // One that was made smaller will hardly fit with much more.
                first: isNear && isWhole ? highest : isWhole ? min(0.75, highest) : lowest)
            return try file(bitmap, options, atMost: most, search, isWhole ? whole : nil)
        }
    }

    /// The file that a search finds, or how long the shortest is.
    ///
    /// - Parameter known: one that is too long; `nil` if the search begins with an attempt.
    private mutating func file(
        _ bitmap: Bitmap, _ options: EncodingOptions, atMost most: Int, _ search: LengthSearch, _ known: EncodedFile?
    ) throws(ImageError) -> EncodedFile {
        var (options, search) = (options, search)
        options.memoryMeter = request.meter
        options.maxFileByteCount = most
        var best = known ?? EncodedFile(bytes: [], overhead: 0, byteCount: .max)
        while let quality = search.next {
            options.quality = quality
            let file = try encodedFile(bitmap, EncodingRequest(options: options), keepingAtMost: most)
            search.record(quality, byteCount: file.byteCount)
            let isBetter = file.byteCount <= most || (best.byteCount > most && file.byteCount < best.byteCount)
            if isBetter { best = file }
        }
        return best
    }

    /// The file that loses most of those that look at least as good as is asked, or else the one that looks best.
    private mutating func fileLooking(_ bitmap: Bitmap, _ target: Double) throws(ImageError) -> LookedForFile {
        let steps = coder.lookOptions(unlimitedRequest().options, writing: format)
        var search = LookSearch(count: steps.count, target: target)
        var best: LookedForFile?
        var last = 0
        while let index = search.next {
            last = index
            let file = try encodedFile(bitmap, EncodingRequest(options: steps[index]), keepingAtMost: .max)
            let score = try score(of: file, comparedWith: bitmap)
            search.record(index, score: score)
            if search.best?.index == index { best = LookedForFile(file: file, options: steps[index], score: score) }
        }
        guard let best, let index = search.best?.index else { throw .losesNothing(format) }
        // What the last attempt has lost is not what the best has.
        if last != index { request.options.losses?.clear() }
        if index > 0 { recordMoreLoss() }
        return best
    }

    /// What a file looks like next to the picture that it was made of.
    private mutating func score(of file: EncodedFile, comparedWith bitmap: Bitmap) throws(ImageError) -> Double {
        try clock.work.check()
        let options = clock.work.remaining(of: DecodingOptions(measuring: request.options, request.meter))
        let image = try coder.decode(ImageData(file.bytes), options: options)
        return try SSIMULACRA2(bitmap, image.bitmap, meter: request.meter, work: &clock.work).score
    }

    /// A file of at most this many bytes that loses nothing, made with no more effort than it takes.
    ///
    /// - Throws: `invalidArgument` if there is none.
    private mutating func fileWithMoreEffort(_ bitmap: Bitmap, atMost most: Int) throws(ImageError) -> [UInt8] {
        let options = unlimitedRequest().options
        var smallest = Int.max
        for options in [options] + options.withMoreEffort {
            let file = try encodedFile(bitmap, EncodingRequest(options: options), keepingAtMost: most)
            if file.byteCount <= most { return file.bytes }
            smallest = min(smallest, file.byteCount)
        }
        throw .tooLong(format, "picture without loss", smallest, allowed: most)
    }

    /// Records what ``EncoderTraits/lossLadder`` takes away.
    private func recordMoreLoss() {
        if traits.lossLadder?.losesColors == true { request.options.losses?.record(.colors) }
    }

    /// A file of at most this many bytes that loses no more than it must, if there is one.
    ///
    /// - Parameter moreLoss: options that lose ever more; files get smaller by them.
    private mutating func fileWithLeastLoss(
        _ bitmap: Bitmap, _ moreLoss: [EncodingOptions], atMost most: Int
    ) throws(ImageError) -> [UInt8]? {
        var best: [UInt8]?
        var (low, high) = (0, moreLoss.count)
        while low < high {
            let middle = (low + high) / 2
            let file = try encodedFile(bitmap, EncodingRequest(options: moreLoss[middle]), keepingAtMost: most)
            if file.byteCount <= most { (best, high) = (file.bytes, middle) } else { low = middle + 1 }
        }
        return best
    }

    /// The request without its limit on the file, and of another quality if one is given.
    private func unlimitedRequest(quality: Double? = nil) -> EncodingRequest {
        var options = request.options
        options.maxFileByteCount = nil
        options.quality = quality ?? options.quality
        options.memoryMeter = request.meter
        return EncodingRequest(options: options)
    }

    /// A file of a prepared picture; of one that is longer than is allowed, how long it is.
    private mutating func encodedFile(
        _ bitmap: Bitmap, _ request: EncodingRequest, keepingAtMost most: Int
    ) throws(ImageError) -> EncodedFile {
        var bytes: [UInt8] = []
        var byteCount = 0
        let overhead = try encodeOnce(bitmap, request) { piece in
            byteCount += piece.count
            if byteCount <= most { bytes.append(contentsOf: piece) } else { bytes = [] }
        }
        return EncodedFile(bytes: bytes, overhead: overhead, byteCount: byteCount)
    }

    /// Writes a prepared picture in its own size.
    ///
    /// - Returns: bytes of the file that do not depend on the number of pixels.
    private mutating func encodeOnce(
        _ bitmap: Bitmap, _ request: EncodingRequest, by made: (any RowEncoder)? = nil, to sink: EncodedBytesSink
    ) throws(ImageError) -> Int {
        var picture = picture
        if picture.size != bitmap.size {
            picture.size = bitmap.size
            picture.metadata.follow(.geometry)
            picture.metadata.describe(bitmap.size, orientation: picture.orientation)
        }
        request.options.losses?.clear()
        var encoder = if let made { made } else { try coder.makeRowEncoder(picture, format: format, request) }
        let unchanged = RowPreparationPlan(
            size: bitmap.size, format: bitmap.format, orientation: .up, keepsAlpha: true, options: .default)
        var preparation = try RowPreparation(
            unchanged, to: encoder.rowFormat, meter: request.meter, work: clock.work, watch: watch)
        var wantsMore = encoder.surveysRows
        for y in 0..<bitmap.height where wantsMore {
            try clock.work.spend(bitmap.width)
            try bitmap.withRowBytes(y) { (row) throws(ImageError) in
                try preparation.push(row) { (row) throws(ImageError) in
                    wantsMore = try encoder.survey(row, work: &clock.work)
                }
            }
        }
        for y in 0..<bitmap.height {
            try clock.work.spend(bitmap.width)
            request.options.progress?.report(.writing, y, of: bitmap.height)
            try bitmap.withRowBytes(y) { (row) throws(ImageError) in
                try preparation.push(row) { (row) throws(ImageError) in
                    try encoder.write(row, to: sink, work: &clock.work)
                }
            }
        }
        request.options.progress?.report(.compressing)
        try encoder.finish(to: sink, work: &clock.work)
        writtenSize = bitmap.size
        return encoder.fixedByteCount
    }
}
