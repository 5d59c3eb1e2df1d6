// What every decoder of the package must obey, written once: a format plugs in with its coder and some files.
//
//   let laws = DecoderLaws(PNGCoder())
//   #expect(laws.cutsDoNotMatter(file) == [])
//
// Each law answers with its violations, in words; none means that it holds.

package import ImageCodecsCore

/// The laws of decoding, for one coder.
///
/// The files handed to a law must be sound: they decode under default options.
package struct DecoderLaws: Sendable {
    package let coder: any IncrementalImageCoder
    /// Puts right what a format's checksums would notice at once, so that damage reaches the code after them.
    package let repair: (@Sendable ([UInt8]) -> [UInt8])?

    package init(_ coder: any IncrementalImageCoder, repair: (@Sendable ([UInt8]) -> [UInt8])? = nil) {
        self.coder = coder
        self.repair = repair
    }

    /// Violations of all laws but those of thumbnails and of stopping.
    ///
    /// - Parameter sampleCount: Prefixes and damaged files that are tried; by default few for large files, which are
    ///   also decoded in fewer ways.
    package func violations(_ file: [UInt8], sampleCount: Int? = nil) -> [String] {
        let isLarge = file.count > 1 << 16
        let options = isLarge ? Array(Self.variants.suffix(3)) : Self.variants
        let count = sampleCount ?? (isLarge ? 3 : 12)
        return cutsDoNotMatter(file, options: options) + copiesAreCheckpoints(file, options: options)
            + progressTellsWhatChanged(file, options: options) + prefixesEnd(file, sampleCount: count)
            + damageIsReported(file, count: count) + memoryStaysWithinTheEstimate(file, options: options)
            + limitsAreCheckedFirst(file) + reusedBitmapsTellWhatIsReal(file) + keptPicturesAreCounted(file)
    }

    /// The ways to decode that laws are tried with: pixel formats, a thumbnail, a byte limit; each under another set of
    /// limits.
    package static let variants: [DecodingOptions] = {
        var nearest = DecodingOptions()
        nearest.pixelFormat = nil
        var straight = DecodingOptions()
        straight.pixelFormat = .rgba
        var limited = DecodingOptions.atMost(byteCount: 900)
        limited.pixelFormat = nil
        var unturned = DecodingOptions()
        unturned.appliesOrientation = false
        nearest.limits = .untrusted
        straight.limits = .unlimited
        limited.limits = .unlimited
        limited.thumbnailQuality = .fast
        var small = DecodingOptions.thumbnail(width: 13, height: 9)
        small.limits = .untrusted
        // A sound file of a test suite has 6 MiB of text, more than the preset allows; that is not what laws are about.
        nearest.limits.maxMetadataByteCount = DecodingLimits.default.maxMetadataByteCount
        small.limits.maxMetadataByteCount = DecodingLimits.default.maxMetadataByteCount
        var unlimited = DecodingOptions.default
        unlimited.limits = .unlimited
        // Limits on time are for slow machines to keep, not for tests.
        return [.default, nearest, straight, unturned, small, limited, unlimited].map { options in
            var options = options
            options.limits.maxTime = nil
            return options
        }
    }()

    /// Everything about a decode that must not depend on how it was done.
    struct Outcome: Equatable {
        var image: ImageFacts?
        /// `nil` when it succeeded.
        var errorCode: String?

        init(_ decode: () throws(ImageError) -> RasterImage?) {
            do throws(ImageError) {
                image = try decode().map(ImageFacts.init)
            } catch {
                errorCode = error.code
            }
        }

        /// Says what differs, or nothing.
        func differences(from other: Outcome) -> [String] {
            guard let mine = image, let theirs = other.image else {
                return self == other ? [] : ["\(summary) instead of \(other.summary)"]
            }
            return mine.differences(from: theirs)
        }

        var summary: String { errorCode ?? image.map { "\($0.bitmap.size) picture" } ?? "no picture" }
    }

    /// A `RasterImage`, comparable.
    struct ImageFacts: Equatable {
        let bitmap: Bitmap
        let orientation: Orientation
        let format: ImageFormat?
        let metadata: ImageMetadata
        let isPartial: Bool
        let rows: [Range<Int>]?
        let passes: PartialReport.Progress?
        let scans: Int?

        init(_ image: RasterImage) {
            bitmap = image.bitmap
            orientation = image.orientation
            format = image.format
            metadata = image.metadata
            isPartial = image.isPartial
            (rows, passes, scans) = (image.partial?.rows, image.partial?.passes, image.partial?.scans)
        }

        func differences(from other: ImageFacts) -> [String] {
            var found: [String] = []
            if bitmap.size != other.bitmap.size {
                found.append("\(bitmap.size) instead of \(other.bitmap.size)")
            } else if bitmap != other.bitmap {
                found.append("other pixels")
            }
            if metadata != other.metadata { found.append("other metadata") }
            if (rows, scans) != (other.rows, other.scans) || passes != other.passes {
                found.append("real rows \(rows as Any) instead of \(other.rows as Any)")
            }
            if found.isEmpty && self != other { found.append("other details") }
            return found
        }
    }

    func decode(_ file: [UInt8], _ options: DecodingOptions) -> Outcome {
        Outcome { () throws(ImageError) in try coder.decode(ImageData(file), options: options) }
    }

    /// Cuts `file` at `boundaries` and feeds the pieces.
    func decode(_ file: [UInt8], cutAt boundaries: [Int], _ options: DecodingOptions) -> Outcome {
        Outcome { () throws(ImageError) in
            var decoder = coder.makeIncrementalDecoder(options: options)
            return try Self.feed(file, cutAt: boundaries, to: &decoder)
        }
    }

    static func feed(
        _ file: [UInt8], from first: Int = 0, cutAt boundaries: [Int], to decoder: inout any IncrementalImageDecoder
    ) throws(ImageError) -> RasterImage? {
        var start = first
        for end in boundaries + [file.count] where end >= start {
            _ = try decoder.append(file.span.extracting(start..<end))
            start = end
        }
        _ = try decoder.finish()
        return try decoder.image()
    }

    /// Single bytes, but for large files: those the conformance tests feed byte by byte.
    static func smallestPiece(_ file: [UInt8]) -> Int { file.count > 1 << 16 ? 61 : 1 }

    /// Where pieces of `size` bytes end.
    static func boundaries(_ count: Int, every size: Int) -> [Int] { Array(stride(from: size, to: count, by: size)) }

    /// Some increasing places in `range`.
    static func places(_ number: Int, in range: Range<Int>, using random: inout SeededRandom) -> [Int] {
        guard !range.isEmpty else { return [] }
        return (0..<number).map { _ in Int.random(in: range, using: &random) }.sorted()
    }

    /// A name for options in messages.
    static func name(_ options: DecodingOptions) -> String {
        let size =
            switch options.size {
            case .full: ""
            case .fitting(let box, let fit): " thumbnail \(box) \(fit)"
            case .atMost(let byteCount): " limit \(byteCount)"
            }
        return "\(options.strictness) \(options.pixelFormat?.name ?? "nearest")\(size)"
    }
}
