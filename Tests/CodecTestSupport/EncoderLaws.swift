// What every encoder of the package must obey, written once: a format plugs in with its coder.
//
//   let laws = EncoderLaws(JPEGCoder(), writing: .jpeg)
//   #expect(laws.violations(picture, options) == [])
//
// Each law answers with its violations, in words; none means that it holds.

package import ImageCodecsCore
import ImageEncoding

/// The laws of encoding, for one coder and one format.
package struct EncoderLaws: Sendable {
    let coder: any ImageCoder
    let format: ImageFormat
    /// Whether pixels come back exactly.
    let isLossless: Bool
    /// What the file's pixels are compared as, if they come back exactly.
    let pixelFormat: PixelFormat
    private let registry: CoderRegistry

    /// - Parameter pixelFormat: what holds all that the format keeps.
    package init(
        _ coder: any ImageCoder, writing format: ImageFormat, isLossless: Bool,
        comparing pixelFormat: PixelFormat = .rgba16
    ) {
        self.coder = coder
        self.format = format
        self.isLossless = isLossless
        self.pixelFormat = pixelFormat
        registry = CoderRegistry([coder])
    }

    /// Violations of all laws that are about one picture.
    package func violations(_ picture: EncoderPicture, _ options: EncodingOptions = .default) -> [String] {
        let all =
            filesAreRead(picture, options) + rowsAndBitmapsGiveTheSameFile(picture, options)
            + memoryStaysWithinTheEstimate(picture, options) + limitsAreCheckedFirst(picture, options)
            + theClockIsAsked(picture, options)
        return all.map { "\(picture) \(options.effort): \($0)" }
    }

    /// What is written can be decoded strictly, in its size; without loss the pixels are the same.
    package func filesAreRead(_ picture: EncoderPicture, _ options: EncodingOptions) -> [String] {
        attempt("reading") { () throws(ImageError) in
            let file = try coder.encode(RasterImage(bitmap: picture.bitmap), to: format, options: options)
            var decoding = DecodingOptions()
            decoding.pixelFormat = isLossless ? pixelFormat : nil
            let image = try coder.decode(ImageData(file), options: decoding)
            guard image.size == picture.size else { return ["\(image.size) pixels came back"] }
            guard isLossless else { return [] }
            let expected = try picture.bitmap.converted(to: pixelFormat)
            return image.bitmap == expected ? [] : ["other pixels came back"]
        }
    }

    /// A bitmap, rows one by one, and a sink that is asked often or seldom: the same bytes.
    package func rowsAndBitmapsGiveTheSameFile(_ picture: EncoderPicture, _ options: EncodingOptions) -> [String] {
        attempt("rows") { () throws(ImageError) in
            let whole = try coder.encode(RasterImage(bitmap: picture.bitmap), to: format, options: options)
            var pieces: [UInt8] = []
            try registry.encode(RasterImage(bitmap: picture.bitmap), to: format, options: options) {
                pieces.append(contentsOf: $0)
            }
            let rows = try encodeRows(picture, options, MemoryMeter())
            var violations: [String] = []
            if pieces != whole { violations.append("pieces of a bitmap's file are another file") }
            if rows != whole { violations.append("rows make another file than the bitmap") }
            let again = try coder.encode(RasterImage(bitmap: picture.bitmap), to: format, options: options)
            if again != whole { violations.append("the same picture makes another file") }
            return violations
        }
    }

    private func encodeRows(
        _ picture: EncoderPicture, _ options: EncodingOptions, _ meter: MemoryMeter
    ) throws(ImageError) -> [UInt8] {
        var options = options
        options.memoryMeter = meter
        var session = try registry.makeEncodingSession(
            to: format, size: picture.size, pixelFormat: picture.format, options: options)
        var file: [UInt8] = []
        for y in 0..<picture.size.height {
            try picture.bitmap.withRow(y) { (row) throws(ImageError) in
                try session.write(row) { file.append(contentsOf: $0) }
            }
        }
        try session.finish { file.append(contentsOf: $0) }
        return file
    }

    /// No more memory is held than the session says before its first row, and all of it is given back.
    package func memoryStaysWithinTheEstimate(_ picture: EncoderPicture, _ options: EncodingOptions) -> [String] {
        attempt("memory") { () throws(ImageError) in
            var violations: [String] = []
            let meter = MemoryMeter()
            let estimate = try registry.makeEncodingSession(
                to: format, size: picture.size, pixelFormat: picture.format, options: options
            ).estimatedPeakByteCount
            _ = try encodeRows(picture, options, meter)
            if meter.peak > estimate { violations.append("rows held \(meter.peak) of \(estimate) bytes") }
            if meter.current != 0 { violations.append("\(meter.current) bytes are held after the end") }
            return violations
        }
    }

    /// A session whose estimate is not allowed is refused, and nothing is allocated for it; one that is just allowed is not.
    package func limitsAreCheckedFirst(_ picture: EncoderPicture, _ options: EncodingOptions) -> [String] {
        attempt("limits") { () throws(ImageError) in
            var options = options
            let image = RasterImage(bitmap: picture.bitmap)
            let estimate = try registry.makeEncodingSession(
                to: format, EncodedPicture(image), from: .bitmap, options: options
            ).estimatedPeakByteCount
            // Without a meter of ours: the limit is that of the session's.
            options.limits = EncodingLimits(maxMemoryByteCount: estimate)
            _ = try coder.encode(image, to: format, options: options)
            let meter = MemoryMeter()
            options.memoryMeter = meter
            options.limits = EncodingLimits(maxMemoryByteCount: estimate - 1)
            do throws(ImageError) {
                _ = try coder.encode(image, to: format, options: options)
                return ["a limit below the estimate was not kept"]
            } catch .limitExceeded(.encodingMemory, let requested, let allowed) {
                return requested == estimate && allowed == estimate - 1 && meter.peak == 0
                    ? [] : ["refused with \(requested) of \(allowed), \(meter.peak) bytes held"]
            }
        }
    }

    /// The clock is asked at least once for every sixteen rows, and stops an encoder whose time is used up.
    package func theClockIsAsked(_ picture: EncoderPicture, _ options: EncodingOptions) -> [String] {
        var violations = attempt("clock") { () throws(ImageError) in
            var options = options
            let log = WorkLog()
            options.workLog = log
            _ = try coder.encode(RasterImage(bitmap: picture.bitmap), to: format, options: options)
            let spentCount = log.checkCount + log.unitCount / max(1, picture.size.width)
            return spentCount >= picture.size.height / 16 ? [] : ["asked \(spentCount) times"]
        }
        var options = options
        options.limits.maxTime = .zero
        // Small pictures may be finished before the clock has moved or is asked.
        guard picture.size.height * picture.size.width > 1 << 18 else { return violations }
        do throws(ImageError) {
            _ = try coder.encode(RasterImage(bitmap: picture.bitmap), to: format, options: options)
            violations.append("no time was enough")
        } catch {
            if case .limitExceeded(.time, _, _) = error {} else { violations.append("no time: \(error)") }
        }
        return violations
    }

    /// A file is no longer than is allowed, or the smallest that was reached is named.
    package func sizeLimitsAreMet(_ picture: EncoderPicture, _ options: EncodingOptions) -> [String] {
        attempt("size") { () throws(ImageError) in
            let image = RasterImage(bitmap: picture.bitmap)
            let whole = try coder.encode(image, to: format, options: options)
            var violations: [String] = []
            for share in [2.0, 1, 0.8, 0.4, 0.1, 0.01] {
                for mayScaleDown in [true, false] {
                    var options = options
                    options.mayScaleDown = mayScaleDown
                    let most = max(1, Int(Double(whole.count) * share))
                    options.maxFileByteCount = most
                    do throws(ImageError) {
                        let file = try coder.encode(image, to: format, options: options)
                        if file.count > most { violations.append("\(file.count) bytes, \(most) are allowed") }
                        let read = try coder.decode(ImageData(file), options: .default)
                        if !mayScaleDown, read.size != image.size { violations.append("scaled without leave") }
                    } catch .invalidArgument(let text) {
                        if !text.contains("\(most)") { violations.append("refused: \(text)") }
                        if share >= 1 { violations.append("refused \(most) of \(whole.count) bytes") }
                    }
                }
            }
            return violations.map { "\(picture): \($0)" }
        }
    }

    /// What the format has a place for is the same after a round trip.
    package func metadataSurvive(
        _ metadata: ImageMetadata, _ orientation: Orientation, kept: (ImageMetadata) -> ImageMetadata
    ) -> [String] {
        attempt("metadata") { () throws(ImageError) in
            let picture = try EncoderPicture(.scene, size: PixelSize(width: 20, height: 12))
            let image = RasterImage(bitmap: picture.bitmap, orientation: orientation, metadata: metadata)
            var violations: [String] = []
            for effort in EncodingOptions.Effort.allCases {
                var options = EncodingOptions()
                options.effort = effort
                var decoding = DecodingOptions()
                decoding.appliesOrientation = false
                let read = try coder.decode(
                    ImageData(coder.encode(image, to: format, options: options)), options: decoding)
                if read.orientation != orientation { violations.append("orientation \(read.orientation)") }
                if kept(read.metadata) != kept(metadata) { violations.append("\(effort): other metadata") }
                options.metadata = .none
                let bare = try coder.decode(
                    ImageData(coder.encode(image, to: format, options: options)), options: decoding)
                if kept(bare.metadata) != kept(ImageMetadata()) {
                    violations.append("\(effort): metadata without leave")
                }
                if bare.orientation != orientation { violations.append("orientation lost with the metadata") }
            }
            return violations
        }
    }

    /// Refused are pictures without pixels, and file sizes that no file has.
    package func senselessRequestsAreRefused() -> [String] {
        var violations: [String] = []
        for (width, height) in [(0, 4), (4, 0), (0, 0)] {
            let code = errorCode { () throws(ImageError) in
                let bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .rgb)
                _ = try coder.encode(RasterImage(bitmap: bitmap), to: format, options: .default)
            }
            if code != "invalidArgument" { violations.append("\(width)x\(height): \(code ?? "accepted")") }
        }
        for most in [0, -1, Int.min] {
            let code = errorCode { () throws(ImageError) in
                var options = EncodingOptions()
                options.maxFileByteCount = most
                let bitmap = try Bitmap(size: PixelSize(width: 3, height: 3), format: .rgb)
                _ = try coder.encode(RasterImage(bitmap: bitmap), to: format, options: options)
            }
            if code != "invalidArgument" { violations.append("\(most) bytes: \(code ?? "accepted")") }
        }
        return violations
    }

    private func errorCode(_ body: () throws(ImageError) -> Void) -> String? {
        do throws(ImageError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    private func attempt(_ law: String, _ body: () throws(ImageError) -> [String]) -> [String] {
        do throws(ImageError) {
            return try body().map { "\(law): \($0)" }
        } catch {
            return ["\(law): \(error)"]
        }
    }
}
