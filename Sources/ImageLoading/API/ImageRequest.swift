// What is to be loaded, and how.

import ImageCaching
public import ImageCodecsCore

/// A picture to be loaded: where it is, in which size, what is made of it.
///
/// ```swift
/// var request = ImageRequest("/pictures/cat.jpg", options: .thumbnail(width: 400, height: 300))
/// request.transformations = [.roundedCorners(radius: 12)]
/// request.priority = .high
/// ```
public struct ImageRequest: Sendable {
    /// How soon a request is served among those that wait.
    public enum Priority: Int, Hashable, Comparable, Sendable, CaseIterable {
        /// After all others.
        case veryLow
        /// Looking ahead.
        case low
        /// What most requests have.
        case normal
        /// What somebody looks at.
        case high
        /// Before all others.
        case veryHigh

        /// Whether a request of the first is served after one of the second.
        public static func < (lhs: Priority, rhs: Priority) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// What becomes of the frames of an animation.
    public enum Frames: String, Hashable, Sendable, CaseIterable {
        /// The first one is the picture; the others are not decoded.
        case first
        /// The first one is the picture, and ``LoadedImage/animation`` decodes each frame when it is asked for. With
        /// transformations as ``first``.
        case lazy
        /// All are decoded, and in ``LoadedImage/image``; transformations change each.
        case preloaded
    }

    /// Where the picture is: a path, a `file:` address, an address that some source of the loader knows.
    public var address: String
    /// Delivers the bytes in place of the loader's sources.
    public var source: (any ImageSource)?
    /// Size, pixel format, strictness and limits of the decode.
    public var options: DecodingOptions
    /// What is made of the decoded picture, in this order.
    public var transformations: [ImageTransformation]
    /// How soon it is served.
    public var priority: Priority
    /// What becomes of an animation.
    public var frames: Frames
    /// Which caches are read and written.
    public var cachePolicy: CachePolicy
    /// Whether only caches are asked; what they do not have is `LoadError.Reason.notInCache`.
    public var isOnlyFromCache: Bool
    /// What caches know the source by, in place of its address.
    public var sourceKey: String?
    /// The shortest time between two partial pictures of ``ImageLoader/pictures(for:)``.
    public var partialInterval: Duration

    /// Creates a request for what is at an address.
    ///
    /// - Parameters:
    ///   - address: a path, a `file:` address, an address that some source of the loader knows.
    ///   - options: size, pixel format, strictness and limits of the decode.
    ///   - transformations: what is made of the decoded picture.
    ///   - priority: how soon it is served.
    public init(
        _ address: String, options: DecodingOptions = .loading, transformations: [ImageTransformation] = [],
        priority: Priority = .normal
    ) {
        self.address = address
        self.options = options
        self.transformations = transformations
        self.priority = priority
        frames = .lazy
        cachePolicy = .all
        isOnlyFromCache = false
        partialInterval = .milliseconds(100)
    }

    /// Creates a request for the picture that bytes in memory are.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - name: what caches know it by; another one for other bytes.
    ///   - options: size, pixel format, strictness and limits of the decode.
    ///   - transformations: what is made of the decoded picture.
    ///   - priority: how soon it is served.
    public init(
        _ data: ImageData, name: String, options: DecodingOptions = .loading,
        transformations: [ImageTransformation] = [], priority: Priority = .normal
    ) {
        self.init(name, options: options, transformations: transformations, priority: priority)
        source = DataSource(data)
    }

    /// The decode alone, without what is made of the picture.
    var decodingVariant: String {
        switch frames {
        case .first: options.variant + ",first frame"
        case .lazy: options.variant
        case .preloaded: options.variant + ",all frames"
        }
    }

    /// The variant after the first `count` transformations.
    func variant(transformationCount count: Int) -> String {
        transformations.prefix(count).reduce(decodingVariant) { $0 + "|" + $1.key }
    }
}

/// Which caches a request reads and writes.
public struct CachePolicy: OptionSet, Hashable, Sendable {
    /// A bit for each cache and direction.
    public let rawValue: Int
    /// A set of those whose bits are set.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A picture in memory is delivered.
    public static let readsMemory = CachePolicy(rawValue: 1)
    /// The picture is kept in memory.
    public static let writesMemory = CachePolicy(rawValue: 2)
    /// The bytes of the source are read from the disk.
    public static let readsOriginals = CachePolicy(rawValue: 4)
    /// The bytes of the source are kept on the disk.
    public static let writesOriginals = CachePolicy(rawValue: 8)
    /// The finished picture is read from the disk, if the loader has a serializer.
    public static let readsResults = CachePolicy(rawValue: 16)
    /// The finished picture is kept on the disk, if the loader has a serializer.
    public static let writesResults = CachePolicy(rawValue: 32)

    /// The source is asked whether bytes on the disk still hold, also if they are fresh; pictures in memory and finished ones are not
    /// delivered. Bytes that never change while they are fresh are delivered all the same.
    public static let revalidates = CachePolicy(rawValue: 64)

    /// All caches are read and written.
    public static let all: CachePolicy = [
        .readsMemory, .writesMemory, .readsOriginals, .writesOriginals, .readsResults, .writesResults,
    ]
    /// The source is asked again, and what it says is kept.
    public static let reload: CachePolicy = [.writesMemory, .writesOriginals, .writesResults]
    /// No cache is read or written.
    public static let none: CachePolicy = []
}
