import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct DecodingSessionTests {
    private typealias Session = DecodingSession<StubStream>

    private func session(
        _ options: DecodingOptions = .default, _ purpose: DecodingPurpose = .incremental,
        _ change: (inout StubStream) -> Void = { _ in }
    ) -> Session {
        let request = DecodingRequest(options: options, purpose: purpose)
        var stream = StubStream(request)
        change(&stream)
        return Session(request, stream)
    }

    private var tolerant: DecodingOptions {
        var options = DecodingOptions()
        options.strictness = .tolerant
        return options
    }

    private func feed(_ session: inout Session, _ file: [UInt8], pieceSize: Int) throws(ImageError) -> DecodingProgress
    {
        var progress = DecodingProgress(consumedByteCount: 0)
        for start in stride(from: 0, to: file.count, by: pieceSize) {
            progress = try session.append(file.span.extracting(start..<min(file.count, start + pieceSize)))
        }
        return progress
    }

    private let sound = StubStream.file(width: 5, height: 4)

    /// The file with its last two rows damaged.
    private func damaged(_ byte: UInt8 = 254) -> [UInt8] {
        var file = sound
        file[StubStream.headerByteCount + 10] = byte
        return file
    }

    @Test(arguments: [1, 2, 3, 5, 100])
    func cutsDoNotMatter(_ pieceSize: Int) throws {
        var session = session()
        let last = try feed(&session, sound, pieceSize: pieceSize)
        #expect(last.isComplete && last.consumedByteCount == sound.count)
        #expect(try session.finish().isComplete)
        let image = try #require(try session.image())
        #expect(image.bitmap.packedBytes() == Array(sound[StubStream.headerByteCount...].dropLast()))
        #expect(image.format == StubStream.format && !image.isPartial)
    }

    @Test func progressIsCompleteOnlyWhenTheFileIsReadToItsEnd() throws {
        var session = session()
        for index in sound.indices {
            let progress = try session.append(sound.span.extracting(index..<index + 1))
            #expect(progress.isComplete == (index == sound.count - 1))
            let rows = (index + 1 - StubStream.headerByteCount) / 5
            guard !progress.isComplete else { continue }
            #expect(try session.image()?.partial?.rows == (rows > 0 ? [0..<rows] : nil))
        }
    }

    @Test func errorsArePermanent() throws {
        var session = session()
        let error = ImageError.corrupt(
            StubStream.format, StubStream.damage, offset: StubStream.headerByteCount + 10, reason: "damage")
        #expect(throws: error) { try session.append(damaged().span) }
        #expect(throws: error) { try session.append([1].span) }
        #expect(throws: error) { try session.finish() }
        #expect(try session.image() == nil)
        #expect(session.info?.size == PixelSize(width: 5, height: 4))
    }

    @Test func missingBytesAreAnErrorOnlyAtTheEnd() throws {
        for count in sound.indices {
            var session = session()
            _ = try session.append(sound.span.extracting(0..<count))
            for _ in 0..<2 {
                #expect(throws: ImageError.truncated(StubStream.format, offset: count)) { try session.finish() }
            }
        }
    }

    @Test(arguments: [1, 4, 100])
    func toleratedDamageEndsTheDecodeWithThePicture(_ pieceSize: Int) throws {
        var session = session(tolerant)
        let last = try feed(&session, damaged() + [9, 9], pieceSize: pieceSize)
        #expect(!last.isComplete)
        let image = try #require(try session.image())
        #expect(image.partial?.rows == [0..<2])
        #expect(image.partial?.cause?.code == "corrupt")
        #expect(
            image.bitmap.packedBytes() == Array(repeating: 0, count: 5) + Array(repeating: 1, count: 5)
                + Array(repeating: 0, count: 10))
        // Further bytes are ignored, and so is that there are no more.
        #expect(try !session.append(sound.span).isComplete)
        #expect(try !session.finish().isComplete)
        #expect(try session.image()?.partial == image.partial)
    }

    @Test func damageInFrontOfTheFirstRowIsNotTolerated() throws {
        var file = sound
        file[StubStream.headerByteCount] = 254
        for pieceSize in [1, 100] {
            var session = session(tolerant)
            #expect(throws: ImageError.self) { try feed(&session, file, pieceSize: pieceSize) }
            #expect(try session.image() == nil)
        }
        var cut = session(tolerant)
        _ = try cut.append(sound.span.extracting(first: StubStream.headerByteCount + 4))
        #expect(throws: ImageError.truncated(StubStream.format, offset: StubStream.headerByteCount + 4)) {
            try cut.finish()
        }
    }

    @Test func onlyDamageIsTolerated() throws {
        var session = session(tolerant)
        #expect(throws: ImageError.unsupported(StubStream.format, feature: "row")) {
            try session.append(damaged(253).span)
        }
        #expect(try session.image() == nil)
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func bytesBehindThePictureAreCounted(_ pieceSize: Int) throws {
        var session = session()
        let last = try feed(&session, sound + [UInt8](repeating: 0, count: 50), pieceSize: pieceSize)
        #expect(last.isComplete)
        #expect(session.decoder.trailingByteCount == 50)
        #expect(try session.finish().isComplete)
        #expect(session.decoder.trailingByteCount == 50)
    }

    /// A report may be of thousands of rows.
    @Test func bytesBehindThePictureNeedNoFurtherReports() throws {
        for file in [sound, damaged()] {
            let counter = SharedCounter()
            var session = session(tolerant) { $0.reports = counter }
            let isComplete = try session.append(file.span).isComplete
            let count = counter.value
            for _ in 0..<20 { #expect(try session.append([7, 7].span).isComplete == isComplete) }
            #expect(try session.finish().isComplete == isComplete)
            #expect(counter.value == count)
        }
    }

    @Test(arguments: [1, 3, 1000], [0, 20])
    func aLongInputIsRefused(_ pieceSize: Int, _ trailingCount: Int) throws {
        let file = sound + [UInt8](repeating: 0, count: trailingCount)
        for (allowed, isEnough) in [(file.count, true), (file.count - 1, false), (0, false)] {
            var options = tolerant
            options.limits.maxInputByteCount = allowed
            var session = session(options)
            if isEnough {
                #expect(try feed(&session, file, pieceSize: pieceSize).isComplete)
            } else {
                #expect {
                    _ = try feed(&session, file, pieceSize: pieceSize)
                } throws: {
                    guard case .limitExceeded(.input, let requested, allowed)? = $0 as? ImageError else { return false }
                    return requested > allowed
                }
            }
        }
    }

    @Test func aSaturatedPromiseIsRefused() {
        var options = DecodingOptions()
        options.limits = .unlimited
        for purpose in [DecodingPurpose.inspection, .oneShot, .incremental] {
            var session = session(options, purpose) { $0.extraPromise = .max }
            #expect(throws: ImageError.limitExceeded(.memory, requested: .max, allowed: .max)) {
                try session.append(sound.span)
            }
        }
    }

    @Test func aPromiseOverTheLimitIsRefused() {
        let byteCount = Bitmap.byteCount(size: PixelSize(width: 5, height: 4), format: .gray) ?? 0
        var options = DecodingOptions()
        options.limits.maxMemoryByteCount = byteCount
        var enough = session(options)
        #expect(throws: Never.self) { try enough.append(sound.span) }
        var tooMuch = session(options) { $0.extraPromise = 1 }
        #expect(throws: ImageError.limitExceeded(.memory, requested: byteCount + 1, allowed: byteCount)) {
            try tooMuch.append(sound.span)
        }
    }

    @Test func anInspectionMakesNoPicture() throws {
        let meter = MemoryMeter()
        var options = DecodingOptions()
        options.memoryMeter = meter
        var session = session(options, .inspection)
        #expect(try session.inspectAll(sound.span).size == PixelSize(width: 5, height: 4))
        #expect(try session.image() == nil)
        #expect(meter.peak == 0)
    }

    @Test func damageBehindTheHeadersIsNotAnInspectionsBusiness() throws {
        for file in [damaged(), Array(sound.dropLast(3)), Array(sound[..<StubStream.headerByteCount])] {
            for options in [DecodingOptions.default, tolerant] {
                var whole = session(options, .inspection)
                let expected = try whole.inspectAll(file.span)
                for pieceSize in [1, 4] {
                    var inspector = SessionInspector(session(options, .inspection))
                    for start in stride(from: 0, to: file.count, by: pieceSize) {
                        try inspector.append(file.span.extracting(start..<min(file.count, start + pieceSize)))
                    }
                    #expect(try inspector.finish() == expected)
                }
            }
        }
        var feature = session(tolerant, .inspection)
        #expect(throws: ImageError.unsupported(StubStream.format, feature: "row")) {
            try feature.inspectAll(damaged(253).span)
        }
        var headers = session(tolerant, .inspection)
        #expect(throws: ImageError.truncated(StubStream.format, offset: 6)) {
            try headers.inspectAll(sound.span.extracting(first: 6))
        }
    }

    @Test func anOrientationThatIsAppliedIsNotToldAgain() throws {
        let file = StubStream.file(width: 2, height: 3, orientation: .left)
        for isApplied in [true, false] {
            var options = DecodingOptions()
            options.appliesOrientation = isApplied
            var session = session(options, .oneShot)
            let image = try session.decodeAll(file.span)
            #expect(image.orientation == (isApplied ? .up : .left))
            #expect(image.metadata.orientation == (isApplied ? .up : .left))
            #expect(session.info?.orientation == .left)
        }
    }

    // MARK: Pictures of an unfinished decode

    /// What an impatient caller sees of a file fed byte by byte.
    private func look(
        _ file: [UInt8], isCostly: Bool
    ) throws -> (made: Int, told: Int, last: RasterImage?) {
        let counter = SharedCounter()
        var session = session {
            $0.hasCostlyPartialPictures = isCostly
            $0.pictures = counter
        }
        var told = 0
        var last: RasterImage?
        for index in file.indices {
            if try session.append(file.span.extracting(index..<index + 1)).changedRect != nil { told += 1 }
            last = try session.image()
        }
        return (counter.value, told, last)
    }

    @Test func costlyPicturesAreMadeWhenTheBytesHaveGrownByAnEighth() throws {
        let file = StubStream.file(width: 250, height: 250)
        let (made, told, last) = try look(file, isCostly: true)
        // From the first row at 257 bytes to 62,508: log(62508 / 257) / log(9 / 8) is 46.6, and the steps are whole rows.
        #expect((20...48).contains(made))
        #expect(last?.isPartial == false)
        // What changed is told for each of them, and in the end what the last one did not show.
        #expect(told == made || told == made + 1)
    }

    @Test func cheapPicturesAreMadeWheneverSomebodyAsks() throws {
        let file = StubStream.file(width: 20, height: 20)
        let (made, told, _) = try look(file, isCostly: false)
        // At each byte from the first row's last one on, but for the end; each row is told once.
        #expect(made == file.count - StubStream.headerByteCount - 20)
        #expect(told == 20)
    }

    @Test func aCostlyPictureShowsWhatWasTold() throws {
        let file = StubStream.file(width: 10, height: 200)
        var session = session { $0.hasCostlyPartialPictures = true }
        var shown: [UInt8] = []
        var toldRows = 0
        for index in file.indices {
            let changed = try session.append(file.span.extracting(index..<index + 1)).changedRect
            guard let picture = try session.image() else { continue }
            if let changed {
                #expect(changed.y <= toldRows)
                toldRows = changed.y + changed.height
            } else {
                #expect(picture.bitmap.packedBytes() == shown)
            }
            shown = picture.bitmap.packedBytes()
            if let report = picture.partial { #expect(report.rows == [0..<toldRows]) }
        }
        #expect(toldRows == 200)
    }

    /// Otherwise pictures could not take turns, and each would be copied whole.
    @Test(arguments: [true, false])
    func askingForAPictureDoesNotCopyTheDecoder(_ isCostly: Bool) throws {
        let (pictures, shared) = (SharedCounter(), SharedCounter())
        var session = session {
            $0.hasCostlyPartialPictures = isCostly
            $0.pictures = pictures
            $0.sharedPictures = shared
        }
        let file = StubStream.file(width: 20, height: 20)
        for index in file.indices {
            _ = try session.append(file.span.extracting(index..<index + 1))
            _ = try session.image()
        }
        #expect(pictures.value > 10)
        #expect(shared.value == 0)
    }

    @Test func aPictureNobodyAskedForIsNotMade() throws {
        let counter = SharedCounter()
        var session = session {
            $0.hasCostlyPartialPictures = true
            $0.pictures = counter
        }
        _ = try feed(&session, sound, pieceSize: 1)
        _ = try session.finish()
        #expect(try session.image()?.isPartial == false)
        #expect(counter.value == 0)
    }

    @Test func copiesAreCheckpoints() throws {
        for cut in sound.indices {
            var original = session()
            _ = try original.append(sound.span.extracting(0..<cut))
            var copy = original
            _ = try original.append(sound.span.extracting(droppingFirst: cut))
            // The same file with other samples from here on.
            let start = max(cut, StubStream.headerByteCount)
            let end = Array(sound[..<start]) + Array(repeating: 77, count: sound.count - 1 - start) + Array("E".utf8)
            _ = try copy.append(end.span.extracting(droppingFirst: cut))
            let first = try original.image()?.bitmap.packedBytes()
            let second = try copy.image()?.bitmap.packedBytes()
            #expect(first == Array(sound[StubStream.headerByteCount...].dropLast()))
            #expect(second == Array(end[StubStream.headerByteCount...].dropLast()))
        }
    }
}
