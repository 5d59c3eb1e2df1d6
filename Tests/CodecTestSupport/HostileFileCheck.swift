// All laws at once, on a file of which nothing is known: what is said in one way must be said in every way.
//
// The laws of `DecoderLaws` ask for sound files; these do not.

package import ImageCodecsCore

extension DecoderLaws {
    /// Violations of the laws by any bytes, decoded with options that the decisions lead to.
    package func hostileViolations(_ file: [UInt8], _ source: DecisionSource) -> [String] {
        var source = source
        let options = DecodingOptions.hostile(&source)
        var check = HostileFileCheck(laws: self, file: file, options: options, source: source)
        check.run()
        return check.violations
    }

    /// Violations of the laws by any bytes, decoded with given options.
    package func hostileViolations(
        _ file: [UInt8], options: DecodingOptions, _ source: DecisionSource
    ) -> [String] {
        var check = HostileFileCheck(laws: self, file: file, options: options, source: source)
        check.run()
        return check.violations
    }
}

/// One file under one set of options.
struct HostileFileCheck {
    /// More than this is neither allocated nor decoded more often than needed.
    static let modest = 48 << 20
    /// More than this no test holds, whatever the limits allow.
    static let most = 1 << 30

    let laws: DecoderLaws
    let file: [UInt8]
    let options: DecodingOptions
    var source: DecisionSource
    var violations: [String] = []
    /// What the headers say, if they can be read.
    var info: ImageInfo? { allowance?.info }
    /// What the law allows a decode to hold.
    var allowance: MemoryAllowance?
    var inspectionError: ImageError?

    init(laws: DecoderLaws, file: [UInt8], options: DecodingOptions, source: DecisionSource) {
        (self.laws, self.file, self.options, self.source) = (laws, file, options, source)
    }

    /// Asks everything, the cheapest first.
    mutating func run() { SecondThread.isForAll.withValue(options.maxThreadCount > 1) { ask() } }

    private mutating func ask() {
        inspect()
        // Refusing is cheap and was tried; working would not be.
        if allowedByteCount > Self.most, allowance != nil { return }
        let (whole, image) = oneShot()
        inPieces(comparedTo: whole)
        guard allowance == nil || allowedByteCount <= Self.modest else { return }
        inMeteredPieces(isPicture: whole.image != nil)
        listing(whole)
        otherwise(whole)
        tolerantly(whole)
        prefixes(whole)
        limits(whole)
        intoBitmap(whole)
        metadata(image)
        otherMetadata(image)
        animation(image)
    }

    mutating func complain(_ what: String) {
        let frames = options.firstFrameOnly ? ", first frame" : ""
        violations.append(
            "\(what); \(DecoderLaws.name(options)), \(limitsName), threads \(options.maxThreadCount)\(frames)")
    }

    private var limitsName: String {
        options.limits.maxMemoryByteCount == .max ? "unlimited" : "\(options.limits.maxMemoryByteCount >> 20) MiB"
    }

    /// The options with a new meter, which bounds what a decode without limits holds.
    func metered(_ options: DecodingOptions) -> (DecodingOptions, MemoryMeter) {
        let meter = MemoryMeter(limit: min(options.limits.maxMemoryByteCount, Self.most))
        var options = options
        options.memoryMeter = meter
        return (options, meter)
    }

    /// What the law allows a decode to hold, all frames included; everything if the headers cannot be read.
    var allowedByteCount: Int { allowance?.byteCount(holdsFrames: true) ?? .max }

    /// Whether there is less memory than the law allows for this many copies of a decode, and for itself.
    func mayBeRefusedMemory(copyCount: Int) -> Bool {
        let most = min(options.limits.maxMemoryByteCount, Self.most)
        return allowedByteCount > most / (copyCount + 1)
    }

    /// One shot under these options.
    func decode(_ bytes: [UInt8], _ options: DecodingOptions) -> DecoderLaws.Outcome {
        laws.decode(bytes, metered(options).0)
    }

    mutating func checkOffset(_ error: ImageError, _ name: String) {
        if let offset = error.offset, !(0...file.count).contains(offset) {
            complain("\(name): \(error), but there are \(file.count) bytes")
        }
    }

    /// Whether `error` may refuse a file that a decode shows in part: what is refused may lie after the damage that the
    /// decode ended at, and is seen if no pixels are decoded.
    func mayRefuse(_ error: ImageError, isPartial: Bool) -> Bool {
        isPartial && (error.code == "limitExceeded" || error.code == "unsupported")
    }

    mutating func compare(_ outcome: DecoderLaws.Outcome, _ whole: DecoderLaws.Outcome, _ name: String) {
        for difference in outcome.differences(from: whole) { complain("\(name): \(difference)") }
    }
}

// MARK: - Headers and one shot

extension HostileFileCheck {
    private mutating func inspect() {
        do throws(ImageError) {
            allowance = try MemoryAllowance(laws.coder, file, options)
        } catch {
            inspectionError = error
            checkOffset(error, "inspection")
        }
        guard let info else { return }
        if info.estimatedPeakByteCount < info.decodedByteCount { complain("the estimate is smaller than the picture") }
        if info.decodedByteCount == .max { complain("a saturated size is not refused") }
        if info.size.width <= 0 || info.size.height <= 0 { complain("inspected a size of \(info.size)") }
    }

    private mutating func oneShot() -> (DecoderLaws.Outcome, RasterImage?) {
        var (options, meter) = metered(options)
        let log = WorkLog()
        options.workLog = log
        var outcome = DecoderLaws.Outcome { () throws(ImageError) in nil }
        var decoded: RasterImage?
        do throws(ImageError) {
            let image = try laws.coder.decode(ImageData(file), options: options)
            if !isHeld(meter.current, for: image) {
                complain("one shot: \(meter.current) bytes held for a bitmap of \(image.bitmap.byteCount)")
            }
            decoded = image
            checkPicture(image)
            outcome = DecoderLaws.Outcome { () throws(ImageError) in image }
        } catch {
            if meter.current != 0 { complain("one shot: \(meter.current) bytes held after \(error)") }
            checkError(error)
            outcome = DecoderLaws.Outcome { () throws(ImageError) in throw error }
        }
        checkPeak(meter, "one shot")
        checkWork(log, "one shot")
        return (outcome, decoded)
    }

    /// Whether as much is held as a picture and its frames take; frames may share their pixels.
    private func isHeld(_ byteCount: Int, for image: RasterImage) -> Bool {
        guard let frames = image.animation?.frames else { return byteCount == image.bitmap.byteCount }
        let most = frames.reduce(image.bitmap.byteCount) { $0 + $1.bitmap.byteCount }
        return byteCount >= image.bitmap.byteCount && byteCount <= most
    }

    /// - Parameters:
    ///   - holdsFrames: whether all frames were asked for at once.
    ///   - isCounted: false if a picture of an unfinished decode took memory of its own.
    mutating func checkPeak(
        _ meter: MemoryMeter, _ name: String, holdsFrames: Bool = true, isCounted: Bool = true
    ) {
        if meter.peak > options.limits.maxMemoryByteCount {
            complain("\(name): \(meter.peak) bytes held, \(options.limits.maxMemoryByteCount) allowed")
        }
        guard isCounted, let allowance else { return }
        let allowed = allowance.byteCount(holdsFrames: holdsFrames)
        // What the window takes is looked for in the file only if it makes the difference.
        if meter.peak > allowed, meter.peak > allowed.addingSaturated(hiddenWindowByteCount) {
            complain("\(name): \(meter.peak) bytes held, \(allowed) allowed")
        }
    }

    private mutating func checkPicture(_ image: RasterImage) {
        if image.size.isEmpty { complain("an empty picture") }
        if options.strictness == .strict, image.isPartial { complain("strict, yet partial") }
        if let cause = image.partial?.cause { checkOffset(cause, "cause") }
        guard let info else {
            if let inspectionError, mayRefuse(inspectionError, isPartial: image.isPartial) { return }
            return complain("decoded, but not inspected: \(inspectionError as Any)")
        }
        for rows in image.partial?.rows ?? [] where rows.lowerBound < 0 || rows.upperBound > info.size.height {
            complain("rows \(rows) of \(info.size)")
        }
        guard !image.isPartial else { return }
        if info.decodedByteCount != image.bitmap.byteCount {
            complain(
                "inspected \(info.size) as \(info.decodedByteCount) bytes, decoded \(image.size) as \(image.bitmap.byteCount)"
            )
        }
        // Pixels that were turned need not be turned again.
        let expected = options.appliesOrientation ? .up : info.orientation
        if image.metadata.orientation != expected || image.orientation != expected {
            complain("inspected orientation \(info.orientation), decoded \(image.metadata.orientation)")
        }
    }

    private mutating func checkError(_ error: ImageError) {
        checkOffset(error, "one shot")
        switch error {
        case .invalidArgument:
            if case .fitting(let box, _) = options.size, box.width <= 0, box.height <= 0 { return }
            complain("\(error)")
        case .limitExceeded(.pixels, _, _), .limitExceeded(.dimension, _, _), .limitExceeded(.input, _, _):
            if info != nil { complain("inspected, but refused: \(error)") }
        case .limitExceeded(.memory, _, _):
            guard allowance != nil, allowedByteCount <= options.limits.maxMemoryByteCount else { return }
            complain("\(allowedByteCount) bytes allowed, yet \(error)")
        case .inputOutput, .cancelled: complain("\(error)")
        default: break
        }
    }
}
