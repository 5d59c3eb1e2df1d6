// EXIF data with some tags set and others removed.
//
// In: a block, or none. Out: a block in which everything that was not changed stands where it stood: offsets in notes of
// makers, and in unknown tags, stay right. ExifLayout writes it.

public import ImageCodecsCore

/// Changes tags of EXIF data.
///
/// ```swift
/// var editor = ExifEditor(block)
/// try editor.set(.artist, to: .ascii("Ada"))
/// editor.remove(.gps)
/// metadata.exif = try editor.bytes()
/// ```
///
/// Nothing that stays is moved: notes of makers (``ExifTag/makerNote``), whose offsets often count from the start of the block, can still be
/// read, and so can what unknown tags refer to. What is removed is overwritten with zeros unless something else refers to the same bytes,
/// and cut off at the end of the block. Directories and values that have become longer go into room that became free, or to the end.
///
/// What is damaged is not kept: fields whose values lie outside of the block, and directories that do. A directory that was cut off is
/// written with the fields that are there.
public struct ExifEditor: Sendable {
    /// A field as it will be written.
    struct Entry: Sendable {
        enum Content: Sendable {
            /// The last four bytes of the entry, as they are; the first one in the highest place.
            case inline(UInt32)
            /// Values elsewhere in the block, which stay there.
            case place(Range<Int>)
            /// Values that are new.
            case fresh([UInt8])
        }

        let number: UInt16
        let type: UInt16
        let count: UInt32
        let content: Content

        /// Where it has values in the block.
        var place: Range<Int>? { if case .place(let place) = content { place } else { nil } }
    }

    /// A directory as it will be written.
    struct Directory: Sendable {
        /// Without those that lead to other directories.
        var entries: [Entry]
        /// Where it stands, what leads to a further one included; `nil` for a new one.
        let original: Range<Int>?
        /// What leads to a further one. That of the main directory follows from the layout.
        let link: [UInt8]
        /// Whether it has to be written; the main directory and ``ExifDirectory/exif``, which lead to others, always are.
        var isChanged: Bool
        /// Pictures that it describes.
        var pictures: [Range<Int>] = []
    }

    /// The block before the changes.
    let original: [UInt8]
    let byteOrder: TIFFByteOrder
    /// Those that there will be.
    private(set) var directories: [ExifDirectory: Directory] = [:]
    /// What is not used any more, unless something else uses it.
    private(set) var abandoned: [Range<Int>] = []
    private var isChanged = false
    /// Whether tags of ``ExifDirectory/gps`` were set or removed, there or not.
    private(set) var changesLocation = false
    /// Whether a tag leads to a GPS directory that is not followed, for it is not the first or leads out of the block.
    private var hasStrayLocation = false

    /// Begins with a block; without one, with nothing but a header.
    public init(_ block: ExifBlock? = nil) {
        original = block?.bytes ?? [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
        byteOrder = block?.main.byteOrder ?? .bigEndian
        directories[.main] = Directory(entries: [], original: nil, link: [], isChanged: true)
        guard let block else { return }
        for directory in block.directories { directories[directory] = Directory(directory, of: block) }
        let followedCount = directories[.gps] == nil ? 0 : 1
        hasStrayLocation = block.fields(in: .main).count { $0.tag == .gpsPointer } > followedCount
    }

    /// Sets the values of a tag; a directory that is not there is made.
    ///
    /// If the tag was there several times, it is there once.
    ///
    /// - Parameters:
    ///   - tag: any number, also one that the standard does not have.
    ///   - value: of any type; ``ExifTag/valueType`` is what the standard asks for.
    /// - Throws: `invalidArgument` for tags that lead to other directories or to the thumbnail, for tags of a thumbnail that is not there, for
    ///   a value without elements, and for fractions whose parts do not fit into 32 bits.
    public mutating func set(_ tag: ExifTag, to value: ExifValue) throws(ImageError) {
        let name = tag.name ?? "tag \(tag.number)"
        guard tag.target == nil else { throw .invalidArgument("\(name) is an offset in the file, and follows from it") }
        guard tag.directory != .thumbnail || directories[.thumbnail] != nil else {
            throw .invalidArgument("there is no thumbnail whose \(name) could be set")
        }
        guard let bytes = value.bytes(byteOrder), let count = UInt32(exactly: bytes.count / value.type.byteCount) else {
            throw .invalidArgument("\(name) cannot hold this value")
        }
        if tag.directory == .gps { changesLocation = true }
        _ = takeOut(tag)
        let entry = Entry(
            number: tag.number, type: value.type.rawValue, count: count,
            content: bytes.count <= TIFFEntry.inlineByteCount
                ? .inline((bytes + [0, 0, 0]).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }) : .fresh(bytes))
        let empty = Directory(entries: [], original: nil, link: [0, 0, 0, 0], isChanged: true)
        directories[tag.directory, default: empty].insert(entry)
        isChanged = true
    }

    /// Sets where the picture was taken.
    ///
    /// - Parameters:
    ///   - latitude: degrees, north of the equator positive: -90...90. Written to 1/10000 of a second: 3 mm.
    ///   - longitude: degrees, east of Greenwich positive: -180...180.
    ///   - altitude: metres above the sea, negative below, written to 1/100; without one, an altitude that is there is removed.
    /// - Throws: `invalidArgument` for numbers beyond these.
    public mutating func setPosition(
        latitude: Double, longitude: Double, altitude: Double? = nil
    ) throws(ImageError) {
        guard latitude.magnitude <= 90, longitude.magnitude <= 180, (altitude ?? 0).magnitude <= 1e7 else {
            throw .invalidArgument("a latitude of \(latitude), a longitude of \(longitude): there is no such place")
        }
        // Version 2.3 of these tags.
        try set(ExifTag(.gps, 0), to: .byte([2, 3, 0, 0]))
        try set(.gpsLatitudeReference, to: .ascii(latitude < 0 ? "S" : "N"))
        try set(.gpsLatitude, to: Self.degrees(latitude))
        try set(.gpsLongitudeReference, to: .ascii(longitude < 0 ? "W" : "E"))
        try set(.gpsLongitude, to: Self.degrees(longitude))
        guard let altitude else {
            remove(.gpsAltitudeReference)
            remove(.gpsAltitude)
            return
        }
        try set(.gpsAltitudeReference, to: .byte([altitude < 0 ? 1 : 0]))
        try set(.gpsAltitude, to: .rational([ExifRational(Int64((altitude.magnitude * 100).rounded()), 100)]))
    }

    /// Degrees, minutes and seconds.
    private static func degrees(_ degrees: Double) -> ExifValue {
        let all = Int64((degrees.magnitude * 36_000_000).rounded())
        return .rational([
            ExifRational(all / 36_000_000, 1), ExifRational(all / 600_000 % 60, 1), ExifRational(all % 600_000, 10_000),
        ])
    }

    /// Removes a tag wherever it occurs in its directory.
    ///
    /// Without the tag that leads to another directory, or to the thumbnail, that is removed too.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    public mutating func remove(_ tag: ExifTag) -> Bool {
        if let target = tag.target { return remove(target) }
        if tag.directory == .gps { changesLocation = true }
        let wasThere = takeOut(tag)
        if directories[tag.directory]?.entries.isEmpty == true, tag.directory != .main { remove(tag.directory) }
        return wasThere
    }

    /// Removes a directory with all that it has: the thumbnail with its picture, ``ExifDirectory/exif`` with
    /// ``ExifDirectory/interoperability``. Of ``ExifDirectory/main`` the tags are removed, and other directories stay.
    ///
    /// - Returns: whether there was anything to remove.
    @discardableResult
    public mutating func remove(_ directory: ExifDirectory) -> Bool {
        if directory == .gps { changesLocation = true }
        let hadStray = directory == .gps && removeStrayLocation()
        guard var removed = directories[directory] else { return hadStray }
        isChanged = true
        abandoned += removed.entries.compactMap(\.place) + removed.pictures
        if directory == .main {
            let wasThere = !removed.entries.isEmpty
            removed.entries = []
            removed.isChanged = true
            directories[.main] = removed
            return wasThere
        }
        if let place = removed.original { abandoned.append(place) }
        directories[directory] = nil
        if directory == .exif { remove(.interoperability) }
        return true
    }

    /// Removes tags that lead to a GPS directory but where the standard has them, or beside the one that is followed: other programs may
    /// follow them.
    private mutating func removeStrayLocation() -> Bool {
        var wasThere = hasStrayLocation
        hasStrayLocation = false
        for directory in ExifDirectory.allCases where directory != .main {
            wasThere = takeOut(ExifTag(directory, ExifTag.gpsPointer.number)) || wasThere
        }
        isChanged = isChanged || wasThere
        return wasThere
    }

    /// The block with its changes; `nil` if no tag is left.
    ///
    /// - Throws: `invalidArgument` if it would be longer than 2 GiB, or a directory have more than 65535 tags.
    public func bytes() throws(ImageError) -> [UInt8]? {
        guard isChanged else { return original.count > TIFFHeader.byteCount ? original : nil }
        guard directories.values.contains(where: { !$0.entries.isEmpty }) else { return nil }
        return try ExifLayout(self).block()
    }

    private mutating func takeOut(_ tag: ExifTag) -> Bool {
        guard var directory = directories[tag.directory],
            directory.entries.contains(where: { $0.number == tag.number })
        else { return false }
        directories[tag.directory] = nil
        abandoned += directory.entries.filter { $0.number == tag.number }.compactMap(\.place)
        directory.entries.removeAll { $0.number == tag.number }
        directory.isChanged = true
        directories[tag.directory] = directory
        isChanged = true
        return true
    }
}

extension ExifEditor.Directory {
    /// A directory as it is, without what is damaged.
    fileprivate init(_ directory: ExifDirectory, of block: ExifBlock) {
        entries = []
        guard let table = block.table(directory) else {
            (original, link, isChanged) = (nil, [], true)
            return
        }
        let place = block.bytes.withSpan { table.bytes(of: $0) }
        let isWhole = table.isWhole && place.count == 2 + table.entryCount * TIFFEntry.byteCount + 4
        original = place
        link = isWhole ? Array(block.bytes[place.upperBound - 4..<place.upperBound]) : [0, 0, 0, 0]
        isChanged = !isWhole || directory == .main || directory == .exif
        let hasJPEG = directory == .thumbnail && block.thumbnailRange != nil
        if directory == .thumbnail { pictures = block.pictures }
        entries.reserveCapacity(table.entryCount)
        for index in 0..<table.entryCount {
            let entry = block.bytes.withSpan { table.entry(index, of: $0) }
            let tag = ExifTag(directory, entry.tag)
            // What leads to directories is written anew, and what leads to a picture that is not there is left out.
            if let target = tag.target, target != .thumbnail { continue }
            let isInline = entry.type == nil || entry.isInline
            let isWithoutPicture =
                switch tag {
                case .pictureOffset, .pictureByteCount: !hasJPEG
                case .stripOffsets, .stripByteCounts: pictures.isEmpty
                default: false
                }
            if isWithoutPicture || !isInline && entry.valueBytes == nil {
                isChanged = true
                continue
            }
            let (type, count, value) = block.bytes.withSpan { tiff in
                (
                    table.byteOrder.uint16(in: tiff, at: entry.offset + 2),
                    table.byteOrder.uint32(in: tiff, at: entry.offset + 4),
                    tiff.bigEndianUInt32(at: entry.offset + 8)
                )
            }
            entries.append(
                ExifEditor.Entry(
                    number: entry.tag, type: type, count: count,
                    content: isInline ? .inline(value) : .place(entry.valueBytes ?? 0..<0)))
        }
    }

    /// Puts an entry before the first one with a larger number: entries are in ascending order.
    fileprivate mutating func insert(_ entry: ExifEditor.Entry) {
        entries.insert(entry, at: entries.firstIndex { $0.number > entry.number } ?? entries.count)
        isChanged = true
    }
}

extension ExifBlock {
    /// Where the pictures lie that the thumbnail directory describes: a JPEG file, or strips of samples.
    fileprivate var pictures: [Range<Int>] {
        if let thumbnailRange { return [thumbnailRange] }
        guard let offsets = self[.stripOffsets], let counts = self[.stripByteCounts] else { return [] }
        return zip(offsets.integers, counts.integers).compactMap { start, count in
            start >= TIFFHeader.byteCount && start <= bytes.count && count <= bytes.count - start
                ? start..<start + count : nil
        }
    }
}

extension ExifValue {
    /// Numbers without sign.
    fileprivate var integers: [Int] {
        switch self {
        case .short(let values): values.map { Int($0) }
        case .long(let values): values.map { Int(clamping: $0) }
        default: []
        }
    }
}
