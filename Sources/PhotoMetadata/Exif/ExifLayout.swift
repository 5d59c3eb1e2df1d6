// Where the parts of an edited block go.
//
//   header │ what stays, where it was │ gaps: zeros, or tables and values that fit │ what did not fit
//
// A table is what a directory is in the file: the number of its entries, the entries, what leads to the next directory.

import ImageCodecsCore

/// Writes the result of an edit.
///
/// Takes time for each byte of the block, and for sorting the fields by their places.
struct ExifLayout {
    private var bytes: [UInt8]
    private let byteOrder: TIFFByteOrder
    private let directories: [ExifDirectory: ExifEditor.Directory]
    private var free: ByteRanges
    /// Where each table begins.
    private var places: [ExifDirectory: Int] = [:]

    /// The most bytes of a block: offsets have 32 bits, and `Int` may have.
    private static let largestByteCount = Int(Int32.max)

    init(_ editor: ExifEditor) {
        bytes = editor.original
        byteOrder = editor.byteOrder
        directories = editor.directories
        let all = Array(directories.values)
        let kept =
            [0..<TIFFHeader.byteCount] + all.filter { !$0.isChanged }.compactMap(\.original)
            + all.flatMap { $0.entries.compactMap(\.place) + $0.pictures }
        let abandoned = editor.abandoned + all.filter(\.isChanged).compactMap(\.original)
        free = ByteRanges(abandoned).subtracting(ByteRanges(kept))
    }

    consuming func block() throws(ImageError) -> [UInt8] {
        for range in free.ranges { bytes.replaceSubrange(range, with: repeatElement(0, count: range.count)) }
        if let last = free.removeLast(endingAt: bytes.count) { bytes.removeSubrange(last) }
        // Tables before values, so that those that have not grown stay where they are.
        for directory in ExifDirectory.allCases { try placeTable(of: directory) }
        for directory in ExifDirectory.allCases { try writeTable(of: directory) }
        bytes.replaceSubrange(4..<8, with: byteOrder.bytes(offset(of: .main)))
        return bytes
    }

    /// What leads to a directory; 0 if there is none.
    private func offset(of directory: ExifDirectory) -> UInt32 { UInt32(places[directory] ?? 0) }

    // MARK: Tables

    private mutating func placeTable(of directory: ExifDirectory) throws(ImageError) {
        guard let table = directories[directory] else { return }
        guard table.isChanged || table.original == nil else {
            places[directory] = table.original?.lowerBound
            return
        }
        let count = table.entries.count + pointers(in: directory).count
        guard count <= 0xFFFF else { throw .invalidArgument("EXIF data with \(count) tags in a directory") }
        places[directory] = try room(
            2 + count * TIFFEntry.byteCount + 4, preferring: table.original?.lowerBound)
    }

    private mutating func writeTable(of directory: ExifDirectory) throws(ImageError) {
        guard let table = directories[directory], let place = places[directory],
            table.isChanged || table.original == nil
        else { return }
        var entries: [(number: UInt16, bytes: [UInt8])] = []
        for entry in table.entries { entries.append((entry.number, try written(entry))) }
        for pointer in pointers(in: directory) {
            let entry = entryBytes(
                pointer.tag.number, ExifValueType.long.rawValue, 1, byteOrder.bytes(offset(of: pointer.target)))
            let index = entries.firstIndex { $0.number > pointer.tag.number } ?? entries.count
            entries.insert((pointer.tag.number, entry), at: index)
        }
        let link = directory == .main ? byteOrder.bytes(offset(of: .thumbnail)) : table.link
        write(byteOrder.bytes(UInt16(entries.count)) + entries.flatMap(\.bytes) + link, at: place)
    }

    /// The tags of a directory that lead to others.
    private func pointers(in directory: ExifDirectory) -> [(tag: ExifTag, target: ExifDirectory)] {
        let all: [(tag: ExifTag, target: ExifDirectory)] = [
            (.exifPointer, .exif), (.gpsPointer, .gps), (.interoperabilityPointer, .interoperability),
        ]
        return all.filter { $0.tag.directory == directory && directories[$0.target] != nil }
    }

    /// An entry; its values are written if they are new.
    private mutating func written(_ entry: ExifEditor.Entry) throws(ImageError) -> [UInt8] {
        let content: [UInt8]
        switch entry.content {
        case .inline(let value): content = TIFFByteOrder.bigEndian.bytes(value)
        case .place(let range): content = byteOrder.bytes(UInt32(range.lowerBound))
        case .fresh(let value):
            let place = try room(value.count)
            write(value, at: place)
            content = byteOrder.bytes(UInt32(place))
        }
        return entryBytes(entry.number, entry.type, entry.count, content)
    }

    private func entryBytes(_ number: UInt16, _ type: UInt16, _ count: UInt32, _ content: [UInt8]) -> [UInt8] {
        byteOrder.bytes(number) + byteOrder.bytes(type) + byteOrder.bytes(count) + content
    }

    // MARK: Room

    /// A place for this many bytes: the preferred one, another that is free, or the end.
    private mutating func room(_ count: Int, preferring place: Int? = nil) throws(ImageError) -> Int {
        if let place, free.take(count, at: place) { return place }
        if let place = free.take(count) { return place }
        let start = bytes.count + bytes.count % 2
        guard start.addingSaturated(count) <= Self.largestByteCount else {
            throw .invalidArgument("EXIF data of more than \(Self.largestByteCount) bytes")
        }
        bytes.append(contentsOf: repeatElement(0, count: start + count - bytes.count))
        return start
    }

    private mutating func write(_ new: [UInt8], at place: Int) {
        bytes.replaceSubrange(place..<place + new.count, with: new)
    }
}
