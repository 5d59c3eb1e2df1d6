// What a coder did where: a file with its coded data decoded, as figures, tables and layers for the picture.

import ImageCodecs
public import ImageCodecsCore

/// A file taken apart: what its bits are spent on, and a layer for each property of its coding.
///
/// A listing says which parts there are; a map decodes the coded data as well. Damage is a remark, not an error: what comes before it is
/// there.
///
/// ```swift
/// let map = try FileMap(of: ImageData(contentsOfFile: "photo.png"))
/// for entry in map.account.entries { print(entry.name, entry.bitCount) }
/// for layer in map.layers { print(layer.name, layer.gridSize) }
/// ```
public struct FileMap: Sendable {
    /// A number or a few words about the file.
    public struct Figure: Hashable, Sendable {
        /// What it is.
        public let name: String
        /// The figure with its unit.
        public let value: String
    }

    /// Rows of cells below titles.
    public struct Table: Hashable, Sendable {
        /// A heading; empty if that of the section does.
        public let title: String
        /// Titles of the columns.
        public let columns: [String]
        /// A cell for each column in each.
        public internal(set) var rows: [[String]]
        /// Rows that were left out at the end.
        public internal(set) var omittedRowCount = 0
        /// The column whose cells name a colour as `#rrggbb`.
        public internal(set) var colorColumn: Int?
    }

    /// A part of the description.
    public struct Section: Hashable, Sendable {
        /// A heading.
        public let title: String
        /// What the section is about.
        public internal(set) var introduction = ""
        /// Single numbers.
        public internal(set) var figures: [Figure] = []
        /// Tables.
        public internal(set) var tables: [Table] = []
        /// The block that the section is about; `nil` for all others.
        public internal(set) var block: CoefficientBlock?
    }

    /// Something that a reader should know.
    public struct Remark: Hashable, Sendable {
        /// Whether something is wrong.
        public let isProblem: Bool
        /// What was found.
        public let text: String
        /// What can be done about it; empty if nothing has to be.
        public let advice: String
    }

    /// Bytes of the file that belong together.
    public struct Region: Hashable, Sendable {
        /// What the format calls them; if there are several in a row, how many: `IDAT (12)`.
        public internal(set) var name: String
        /// What they are for.
        public let kind: BitAccount.Kind
        /// The first byte.
        public let offset: Int
        /// How many bytes there are.
        public internal(set) var byteCount: Int
        /// The number of the first part in the listing.
        public let partIndex: Int
    }

    /// One frame of an animation.
    public struct Frame: Hashable, Sendable {
        /// Rectangle, duration, disposal, blending, and what it is composed from.
        public let info: FrameInfo
    }

    /// The parts of the file.
    public let listing: FileListing
    /// Pixels of the picture or the canvas; `nil` if that is not known.
    public internal(set) var size: PixelSize?
    /// All bits of the file.
    public internal(set) var account = BitAccount()
    /// The bytes of the file in order, without gaps.
    public internal(set) var regions: [Region] = []
    /// Figures and tables.
    public internal(set) var sections: [Section] = []
    /// What can be laid over the picture, the most telling first.
    public internal(set) var layers: [MapLayer] = []
    /// One block of a JPEG picture taken apart; `nil` for other files, and if none could be decoded.
    public var block: CoefficientBlock? { sections.lazy.compactMap(\.block).first }
    /// Frames of an animation; empty for a still picture.
    public internal(set) var frames: [Frame] = []
    /// Frames that are not in ``frames``.
    public internal(set) var omittedFrameCount = 0
    /// What is worth knowing.
    public internal(set) var remarks: [Remark] = []

    /// Cells of a layer if nothing else is asked for.
    public static let defaultMaxCellCount = 1 << 20
    /// Rows of a table after which it is cut.
    static let maxRowCount = 200
    /// Pixels of a picture that is decoded anew for layers, by the book or several times.
    static let maxReconstructedPixelCount = 1 << 22

    /// Takes a file apart.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - limits: Those of a decode: size, memory, time and scans count.
    ///   - maxCellCount: Cells of a layer; each stands for several pixels if the picture has more.
    ///   - block: A pixel of the JPEG block to take apart; `nil` for the block of the first component that takes the most bits. Other
    ///     formats have none, and a pixel outside of the picture is in none.
    /// - Throws: `unknownFormat` or `unsupported` for another file, `limitExceeded`, `cancelled`.
    public init(
        of data: ImageData, limits: DecodingLimits = .default, maxCellCount: Int = defaultMaxCellCount,
        block: (x: Int, y: Int)? = nil
    ) throws(ImageError) {
        try limits.check(inputByteCount: data.count)
        var work = WorkGuard(limits: limits)
        work.begin()
        var bounded = limits
        bounded.maxMemoryByteCount = min(
            limits.maxMemoryByteCount, FileListing.memoryByteCount(partCount: Self.maxPartCount))
        listing = try FileListing(of: data, limits: bounded)
        regions = Self.regions(of: listing, byteCount: data.count)
        let build = MapBuild(
            data: data, limits: limits, meter: MemoryMeter(limit: limits.maxMemoryByteCount),
            maxCellCount: max(1, maxCellCount), block: block)
        switch listing.format {
        case .png, .apng: try addPNG(build, &work)
        case .jpeg: try addJPEG(build, &work)
        case .gif: try addGIF(build, &work)
        case .webP: try addWebP(build, &work)
        default: break
        }
        account.close(at: 8 * data.count)
        for line in StructureFindings(listing, data).allLines.reversed() {
            remarks.insert(Remark(isProblem: true, text: line, advice: ""), at: 0)
        }
        try addFrames(build)
        addGeneralRemarks(data.count)
    }

    /// Parts that are looked at.
    private static let maxPartCount = 10_000
}

/// What is the same for all parts of a map while it is made.
struct MapBuild {
    let data: ImageData
    let limits: DecodingLimits
    let meter: MemoryMeter
    var maxCellCount: Int
    let block: (x: Int, y: Int)?

    /// A grid of pixels.
    func grid(_ size: PixelSize) -> MapGrid { MapGrid(size, maxCellCount: maxCellCount) }
}

extension FileMap {
    /// Something wrong.
    mutating func addProblem(_ text: String, advice: String = "") {
        remarks.append(Remark(isProblem: true, text: text, advice: advice))
    }

    /// Something worth knowing.
    mutating func addRemark(_ text: String, advice: String = "") {
        remarks.append(Remark(isProblem: false, text: text, advice: advice))
    }

    /// The frames of an animation, as far as they can be opened.
    private mutating func addFrames(_ build: MapBuild) throws(ImageError) {
        var options = DecodingOptions()
        (options.limits, options.strictness, options.firstFrameOnly) = (build.limits, .tolerant, false)
        let animation: any AnimatedImageProvider
        do throws(ImageError) {
            guard try ImageInfo(build.data, options: options).animation != nil else { return }
            animation = try CoderRegistry.shared.makeAnimation(from: build.data, options: options)
        } catch {
            switch error {
            case .cancelled, .limitExceeded(.time, _, _): throw error
            default: return
            }
        }
        for index in 0..<min(animation.frameCount, Self.maxFrameCount) {
            guard let info = try? animation.frameInfo(at: index) else { break }
            frames.append(Frame(info: info))
        }
        omittedFrameCount = max(0, animation.frameCount - frames.count)
    }

    /// Frames after these are not listed.
    private static let maxFrameCount = 1000

    /// What holds for every format.
    private mutating func addGeneralRemarks(_ byteCount: Int) {
        let bits = account.bitCount(of: .metadata)
        if bits > 8 * 4096, bits * 10 > 8 * byteCount {
            addRemark(
                "metadata is \((bits / 8).percent(of: byteCount)) of the file",
                advice: "imagetool metadata --strip keeps the picture and leaves out what is about it")
        }
        if listing.trailingByteCount > 0 {
            addRemark(
                "\(listing.trailingByteCount) bytes follow the end of the picture",
                advice: "decoders ignore them"
                    + (listing.format == .jpeg ? "" : "; imagetool optimize leaves them out"))
        }
    }
}

extension Int {
    /// `12.3 %`.
    func percent(of whole: Int) -> String {
        guard whole > 0 else { return "0 %" }
        return (Double(self) * 100 / Double(whole)).oneDecimal + " %"
    }

    /// The quotient with one decimal.
    func mean(of count: Int) -> String { count > 0 ? (Double(self) / Double(count)).oneDecimal : "0" }
}

extension Double {
    /// With one digit after the point.
    var oneDecimal: String {
        guard isFinite, magnitude < 1e15 else { return "0" }
        let tenths = Int((magnitude * 10).rounded())
        return (self < 0 && tenths > 0 ? "-" : "") + "\(tenths / 10).\(tenths % 10)"
    }
}
