// Laws about animations: every way to a frame leads to the same frame.

internal import Foundation
package import ImageCodecsCore
internal import Synchronization

extension DecoderLaws {
    /// Violations of all laws of animations but those of stopping.
    ///
    /// - Parameters:
    ///   - file: a sound file; of a still the laws say little.
    ///   - options: the ways to decode; by default few for large files.
    package func animationViolations(_ file: [UInt8], options: [DecodingOptions]? = nil) -> [String] {
        let isLarge = file.count > 1 << 15
        let options = options ?? (isLarge ? Array(Self.animationVariants.prefix(1)) : Self.animationVariants)
        return options.flatMap { options in
            (framesDoNotDependOnTheWay(file, options) + framesDoNotDependOnTheCut(file, options)
                + subFramesComposeToFrames(file, options) + playingKeepsTheEstimate(file, options))
                .map { "\(Self.name(options)): \($0)" }
        } + copiesPlayIndependently(file) + frameThumbnailsAreScaledFrames(file) + frameLimitsHold(file)
            + prefixesKeepWholeFrames(file, sampleCount: isLarge ? 3 : 10)
    }

    /// Ways to decode animations: premultiplied, straight with a cache, a byte limit, thumbnails.
    package static let animationVariants: [DecodingOptions] = {
        var straight = DecodingOptions()
        straight.pixelFormat = .rgba
        straight.maxFrameCacheByteCount = 20_000
        var limited = DecodingOptions.atMost(byteCount: 5000)
        limited.pixelFormat = nil
        var small = DecodingOptions.thumbnail(width: 13, height: 9)
        small.pixelFormat = .rgb
        small.maxFrameCacheByteCount = 1 << 20
        return [.default, straight, limited, small]
    }()

    /// Every frame with everything that is told about it.
    struct AnimationFacts: Equatable {
        var bitmaps: [Bitmap]
        var durations: [Duration]
        var loopCount: Int

        /// Of frames that are there already.
        init(_ animation: RasterImage.Animation) {
            bitmaps = animation.frames.map(\.bitmap)
            durations = animation.frames.map(\.duration)
            loopCount = animation.loopCount
        }

        /// Played in order.
        init(playing provider: any AnimatedImageProvider) throws(ImageError) {
            (bitmaps, durations) = ([], [])
            for index in 0..<provider.frameCount {
                let frame = try provider.frame(at: index)
                bitmaps.append(frame.bitmap)
                durations.append(frame.duration)
            }
            loopCount = provider.loopCount
        }

        var count: Int { bitmaps.count }

        /// Says what differs, or nothing.
        func differences(from other: AnimationFacts) -> [String] {
            if count != other.count { return ["\(count) frames instead of \(other.count)"] }
            var found = zip(bitmaps, other.bitmaps).enumerated().filter { $0.element.0 != $0.element.1 }
                .map { "another frame \($0.offset)" }
            if durations != other.durations { found.append("durations \(durations) instead of \(other.durations)") }
            if loopCount != other.loopCount { found.append("\(loopCount) plays instead of \(other.loopCount)") }
            return found
        }
    }

    func open(_ file: [UInt8], _ options: DecodingOptions) throws(ImageError) -> any AnimatedImageProvider {
        guard let animated = coder as? any AnimatedImageCoder else {
            throw .invalidArgument("not a coder of animations")
        }
        return try animated.makeAnimation(from: ImageData(file), options: options)
    }

    /// Whether a file, as far as it goes, is an animation.
    func isAnimation(_ file: [UInt8]) -> Bool {
        var options = DecodingOptions()
        options.strictness = .tolerant
        return (try? coder.inspect(ImageData(file), options: options))?.animation != nil
    }

    /// Runs a law; what it throws violates it.
    func violations(_ law: () throws(ImageError) -> [String]) -> [String] {
        do throws(ImageError) { return try law() } catch { return ["\(error)"] }
    }

    // MARK: Any way to a frame

    /// All frames of one shot equal those of a provider in order, in random order, in bitmaps handed back, kept and
    /// changed, and from two threads at once.
    package func framesDoNotDependOnTheWay(_ file: [UInt8], _ options: DecodingOptions) -> [String] {
        violations { () throws(ImageError) in
            let image = try coder.decode(ImageData(file), options: options)
            let provider = try open(file, options)
            guard let animation = image.animation else {
                let still = try AnimationFacts(playing: provider)
                return still.bitmaps == [image.bitmap] && still.loopCount == 1 ? [] : ["a still plays otherwise"]
            }
            let whole = AnimationFacts(animation)
            var found = try AnimationFacts(playing: provider).differences(from: whole).map { "in order: \($0)" }
            let inspected = try coder.inspect(ImageData(file), options: options)
            if inspected.animation != provider.info.animation && inspected.animation?.frameCount != nil {
                found.append("inspected \(inspected.animation as Any), opened \(provider.info.animation as Any)")
            }
            if provider.info.animation?.frameCount != whole.count { found.append("another number of frames is given") }
            // Of the nearest format and of byte limits the description tells what the first picture is.
            if options.size.isForEachFrame, options.pixelFormat != nil {
                for (index, bitmap) in whole.bitmaps.enumerated()
                where bitmap.byteCount != provider.info.decodedByteCount {
                    found.append(
                        "frame \(index) takes \(bitmap.byteCount), not \(provider.info.decodedByteCount) bytes")
                }
            }
            found += try inRandomOrder(open(file, options), whole)
            found += inThreads(try open(file, options), whole)
            return found
        }
    }

    private func inRandomOrder(
        _ provider: any AnimatedImageProvider, _ whole: AnimationFacts
    ) throws(ImageError) -> [String] {
        var random = SeededRandom(seed: UInt64(whole.count))
        var found: [String] = []
        var bitmap = Bitmap.empty
        var kept: [(bitmap: Bitmap, index: Int)] = []
        for _ in 0..<min(60, 3 * whole.count) {
            let index = Int.random(in: 0..<whole.count, using: &random)
            let partial = try provider.frame(at: index, into: &bitmap)
            if partial != nil { found.append("frame \(index) is partial") }
            if bitmap != whole.bitmaps[index] { found.append("in random order: another frame \(index)") }
            if try provider.duration(at: index) != whole.durations[index] { found.append("duration \(index)") }
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where kept.count < 8: kept.append((bitmap, index))
            case 1: try bitmap.withMutableBytes { $0.storeBytes(of: 0x5A, toByteOffset: 0, as: UInt8.self) }
            case 2: bitmap = .empty
            case 3: bitmap = try Bitmap(size: PixelSize(width: 3, height: 2), format: .rgba)
            default: break
            }
        }
        for (bitmap, index) in kept where bitmap != whole.bitmaps[index] {
            found.append("frame \(index) changed after it was handed out")
        }
        return found
    }

    private func inThreads(_ provider: any AnimatedImageProvider, _ whole: AnimationFacts) -> [String] {
        let found = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for step in 0..<min(12, whole.count) {
                let index = thread == 0 ? step : whole.count - 1 - step
                do throws(ImageError) {
                    let frame = try provider.frame(at: index)
                    if frame.bitmap != whole.bitmaps[index] {
                        found.withLock { $0.append("thread \(thread): another frame \(index)") }
                    }
                } catch {
                    found.withLock { $0.append("thread \(thread): \(error)") }
                }
            }
        }
        return found.withLock { $0 }
    }

    // MARK: Any cut

    /// Frames of a file that comes in pieces equal those of one shot; snapshots have more and more of them, and never
    /// change.
    package func framesDoNotDependOnTheCut(_ file: [UInt8], _ options: DecodingOptions) -> [String] {
        violations { () throws(ImageError) in
            let image = try coder.decode(ImageData(file), options: options)
            var random = SeededRandom(seed: UInt64(file.count))
            var found: [String] = []
            for (name, boundaries) in [
                ("smallest", Self.boundaries(file.count, every: file.count > 4000 ? 61 : 1)),
                ("7", Self.boundaries(file.count, every: file.count > 4000 ? 701 : 7)),
                ("4096", Self.boundaries(file.count, every: 4096)),
                ("random", Self.places(5, in: 0..<file.count, using: &random)),
            ] {
                found += try inPieces(file, boundaries, options, image).map { "pieces \(name): \($0)" }
            }
            return found
        }
    }

    private func inPieces(
        _ file: [UInt8], _ boundaries: [Int], _ options: DecodingOptions, _ image: RasterImage
    ) throws(ImageError) -> [String] {
        var decoder = coder.makeIncrementalDecoder(options: options)
        var snapshots: [any AnimatedImageProvider] = []
        var (count, start) = (0, 0)
        for end in boundaries + [file.count] {
            _ = try decoder.append(file.span.extracting(start..<end))
            start = end
            guard let snapshot = try decoder.animation() else {
                if count > 0 { return ["the frames went away after byte \(end)"] }
                continue
            }
            if snapshot.frameCount < count { return ["\(snapshot.frameCount) frames after \(count)"] }
            if snapshot.frameCount > count, snapshots.count < 12 { snapshots.append(snapshot) }
            count = snapshot.frameCount
        }
        _ = try decoder.finish()
        guard let animation = image.animation else {
            return try decoder.animation() == nil ? [] : ["a still has frames"]
        }
        guard let last = try decoder.animation() else { return ["no frames"] }
        let whole = AnimationFacts(animation)
        // A byte limit is divided among the frames, and how many there will be is not always known.
        let isComparable = options.size.isForEachFrame || last.info.decodedSize == whole.bitmaps.first?.size
        guard isComparable else { return last.frameCount == whole.count ? [] : ["another number of frames"] }
        var found = try AnimationFacts(playing: last).differences(from: whole)
        for snapshot in snapshots where options.size.isForEachFrame {
            for index in Set([0, snapshot.frameCount - 1]) {
                if try snapshot.frame(at: index).bitmap != whole.bitmaps[index] {
                    found.append("a snapshot of \(snapshot.frameCount) frames has another frame \(index)")
                }
            }
        }
        return found
    }

    /// Copies of a decoder go on independently, whatever the other is fed, and so do their snapshots.
    package func copiesPlayIndependently(_ file: [UInt8]) -> [String] {
        violations { () throws(ImageError) in
            let options = DecodingOptions.default
            guard let animation = try coder.decode(ImageData(file), options: options).animation else { return [] }
            let whole = AnimationFacts(animation)
            var random = SeededRandom(seed: UInt64(file.count) + 7)
            var found: [String] = []
            for place in Self.places(4, in: 0..<file.count, using: &random) {
                var original = coder.makeIncrementalDecoder(options: options)
                _ = try original.append(file.span.extracting(0..<place))
                let early = try original.animation()
                var (copy, spoiled) = (original, original)
                // Spoiled frames share a canvas with the others' snapshots.
                let noise = file.reversed() + file
                _ = try? spoiled.append(noise.span)
                let other = try? spoiled.animation()
                for index in 0..<(other?.frameCount ?? 0) where index < 40 { _ = try? other?.frame(at: index) }
                for (name, decoder) in [("original", original), ("copy", copy)] {
                    var decoder = decoder
                    _ = try Self.feed(file, from: place, cutAt: [(place + file.count) / 2], to: &decoder)
                    guard let last = try decoder.animation() else { return ["no frames in a \(name)"] }
                    found += try AnimationFacts(playing: last).differences(from: whole)
                        .map { "\(name) from byte \(place): \($0)" }
                }
                _ = try copy.append(file.span.extracting(place..<file.count))
                for index in 0..<(early?.frameCount ?? 0)
                where try early?.frame(at: index).bitmap != whole.bitmaps[index] {
                    found.append("a snapshot at byte \(place): another frame \(index)")
                }
            }
            return found
        }
    }
}

extension DecodingOptions.OutputSize {
    /// Whether it does not depend on how many frames there are.
    fileprivate var isForEachFrame: Bool { !isDivided }

    /// Whether it is divided among the frames.
    var isDivided: Bool {
        if case .atMost = self { true } else { false }
    }
}
