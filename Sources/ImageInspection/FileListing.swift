// The parts of a file as they lie in it, whatever the format calls them: what `imagetool inspect` prints.

import ImageCodecs
public import ImageCodecsCore

/// The parts a file consists of, in file order: chunks, marker segments, blocks.
///
/// The listing says what the parts are and what is known about them; printing them as text or JSON is left to its users.
/// Made for looking at damaged files too: damage is listed, not thrown.
///
/// ```swift
/// let listing = try FileListing(of: ImageData(contentsOfFile: "photo.jpg"))
/// for part in listing.parts { print(part.offset, part.name, part.summary) }
/// ```
public struct FileListing: Hashable, Sendable {
    /// The words of a format for its parts.
    public struct Vocabulary: Hashable, Sendable {
        /// What one part is called: `chunk`, `segment`.
        public let part: String
        /// What the name of a part is: `type`, `marker`.
        public let name: String

        /// The words of a format.
        public init(part: String, name: String) {
            self.part = part
            self.name = name
        }
    }

    /// A property of a part, or of the whole file.
    public struct Detail: Hashable, Sendable {
        /// What a detail can be.
        public enum Value: Hashable, Sendable {
            case count(Int)
            /// A number that people know by its eight hexadecimal digits.
            case checksum(UInt32)
            /// Yes or no.
            case flag(Bool)
            /// Not in the file.
            case missing
        }

        /// A name for programs, in lower camel case: `restartCount`.
        public let key: String
        /// The detail itself.
        public let value: Value
        /// The same in words for people; empty if there is nothing to remark.
        public let remark: String

        /// A detail and what to say about it.
        public init(_ key: String, _ value: Value, remark: String = "") {
            self.key = key
            self.value = value
            self.remark = remark
        }
    }

    /// A detail that every part has and that people look for in a column of its own.
    public struct Column: Hashable, Sendable {
        /// The key of the detail.
        public let key: String
        /// What stands above the column.
        public let title: String

        /// A column for the details with this key.
        public init(key: String, title: String) {
            self.key = key
            self.title = title
        }
    }

    /// One part.
    public struct Part: Hashable, Sendable {
        /// What the standard calls it.
        public let name: String
        /// Where it starts in the file, with what says its name and length.
        public let offset: Int
        /// Bytes of its body as its length says, whether or not they are there; `nil` for parts without.
        public let byteCount: Int?
        /// What is wrong with it in a few words, `cut off` or `wrong checksum`; `nil` if nothing is.
        public let damage: String?
        /// What it says in a few words; empty for parts that are not described.
        public let summary: String
        /// Its other properties.
        public let details: [Detail]

        /// A part and its properties.
        public init(
            name: String, offset: Int, byteCount: Int?, damage: String?, summary: String, details: [Detail]
        ) {
            self.name = name
            self.offset = offset
            self.byteCount = byteCount
            self.damage = damage
            self.summary = summary
            self.details = details
        }
    }

    /// The file's format.
    public let format: ImageFormat
    /// What the format calls its parts.
    public let vocabulary: Vocabulary
    /// Details of parts that people see in columns.
    public let columns: [Column]
    /// The parts, those that are cut off or damaged included.
    public let parts: [Part]
    /// Properties of the file as a whole.
    public let notes: [Detail]
    /// Bytes after the last part listed.
    public let trailingByteCount: Int
    /// Whether there were more parts than asked for, so that the last ones are not listed.
    public let isCut: Bool

    /// A listing with everything in it.
    public init(
        format: ImageFormat, vocabulary: Vocabulary, columns: [Column] = [], parts: [Part], notes: [Detail] = [],
        trailingByteCount: Int, isCut: Bool
    ) {
        self.format = format
        self.vocabulary = vocabulary
        self.columns = columns
        self.parts = parts
        self.notes = notes
        self.trailingByteCount = trailingByteCount
        self.isCut = isCut
    }
}

extension FileListing {
    /// The formats whose parts can be listed.
    public static let formats: [ImageFormat] = [.png, .apng, .gif, .jpeg, .webP]

    /// Lists the parts of a file, whether or not it can be decoded.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - format: The format to list it as; `nil` for the one that its first bytes show.
    ///   - limits: Time and memory count. If the listing would take more memory, it is cut (``isCut``).
    /// - Throws: `unknownFormat` or `unsupported` if the file does not begin as one of ``formats``; `limitExceeded(.time)`,
    ///   `cancelled`.
    public init(
        of data: ImageData, as format: ImageFormat? = nil, limits: DecodingLimits = .default
    ) throws(ImageError) {
        let shown = try data.withBytes { (bytes) throws(ImageError) in
            if let format { return format }
            return try Self.format(of: bytes.extracting(first: ImageFormat.sniffingByteCount))
        }
        switch shown {
        case .png, .apng: try self.init(png: data, limits: limits)
        case .gif: try self.init(gif: data, limits: limits)
        case .jpeg: try self.init(jpeg: data, limits: limits)
        case .webP: try self.init(webP: data, limits: limits)
        default: throw .unsupported(shown, feature: Self.feature)
        }
    }

    /// The format of a file that begins with `header`, so that a file of another format need not be read.
    ///
    /// - Parameter header: The first bytes, `ImageFormat.sniffingByteCount` of them if there are as many.
    /// - Throws: `unsupported` for a known format that is not listed, `unknownFormat` for all others.
    public static func format(of header: Span<UInt8>) throws(ImageError) -> ImageFormat {
        try ImageFormat(sniffing: header, for: feature, of: formats)
    }

    private static let feature = "listing its parts"

    /// Bytes that a part takes at most, with its details and summary, in the lists it goes through.
    private static let partByteCount = 512

    /// Parts after which a listing stops, whatever the limits allow.
    package static let largestPartCount = 1 << 20

    /// Parts that a listing may have under these limits.
    package static func maxPartCount(_ limits: DecodingLimits) -> Int {
        min(largestPartCount, limits.maxMemoryByteCount / partByteCount)
    }

    /// The memory that allows this many parts.
    package static func memoryByteCount(partCount: Int) -> Int { partCount * partByteCount }
}

extension ImageFormat {
    /// The format of a file that begins with `header`, for a feature that only some formats have.
    ///
    /// - Throws: `unsupported` for another known format, `unknownFormat` for all others.
    init(sniffing header: Span<UInt8>, for feature: String, of formats: [ImageFormat]) throws(ImageError) {
        guard let format = ImageFormat(sniffing: header) else { throw .unknownFormat }
        guard formats.contains(format) else { throw .unsupported(format, feature: feature) }
        self = format
    }
}
