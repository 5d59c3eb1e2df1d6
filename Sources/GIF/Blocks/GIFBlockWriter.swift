// The container: header, blocks and sub-blocks of a file being written. `BlockReader` reads them.

import ImageCodecsCore
package import ImageEncoding

/// A GIF file being put together.
package struct GIFBlockWriter: Sendable {
    /// Blocks that wait for the sink.
    package var pending = PendingBytes()
    /// The data of a sub-block that is not full.
    private var rest: [UInt8] = []

    package init() {}

    /// The most bytes of a sub-block.
    static let subBlockByteCount = 255

    /// Appends header and logical screen descriptor, and the global color table if there is one.
    ///
    /// - Parameters:
    ///   - isPlain: whether nothing of the file needs version 89a.
    ///   - aspectRatio: as stored, 0 if nothing is said.
    /// - Precondition: sides have at most 16 bits.
    /// - Source: GIF89a sections 17 "Header", 18 "Logical Screen Descriptor", 19 "Global Color Table".
    mutating func appendScreen(_ size: PixelSize, _ table: [UInt32]?, isPlain: Bool, aspectRatio: UInt8) {
        pending.bytes += Array((isPlain ? "GIF87a" : "GIF89a").utf8)
        appendLittleEndian(size.width)
        appendLittleEndian(size.height)
        // The color resolution is said to be eight bits.
        pending.bytes += [0x70 | (table.map(Self.tableFlags) ?? 0), 0, aspectRatio]
        if let table { appendTable(table) }
    }

    /// Appends a graphic control extension.
    ///
    /// - Source: GIF89a section 23 "Graphic Control Extension".
    mutating func append(_ control: GraphicControl) {
        let flags = control.disposalMethod << 2 | (control.transparentIndex == nil ? 0 : 1)
        pending.bytes += [BlockReader.extensionIntroducer, ExtensionReader.graphicControlLabel, 4, flags]
        appendLittleEndian(Int(control.delay))
        pending.bytes += [control.transparentIndex ?? 0, 0]
    }

    /// Appends what stands before the data of an image: descriptor, local color table if there is one, minimum code size.
    ///
    /// - Source: GIF89a sections 20 "Image Descriptor", 21 "Local Color Table", 22 "Table Based Image Data".
    mutating func appendImage(_ rect: PixelRect, _ table: [UInt32]?, isInterlaced: Bool, minimumCodeSize: Int) {
        pending.bytes.append(BlockReader.imageSeparator)
        for number in [rect.x, rect.y, rect.width, rect.height] { appendLittleEndian(number) }
        pending.bytes.append((isInterlaced ? 0x40 : 0) | (table.map(Self.tableFlags) ?? 0))
        if let table { appendTable(table) }
        pending.bytes.append(UInt8(truncatingIfNeeded: minimumCodeSize))
    }

    /// Appends an application extension whose data follow; see ``appendData(_:)``.
    ///
    /// - Parameter name: identifier and authentication code, eleven characters.
    /// - Source: GIF89a section 26 "Application Extension".
    mutating func beginApplication(_ name: StaticString) {
        pending.bytes += [BlockReader.extensionIntroducer, ExtensionReader.applicationLabel]
        pending.bytes.append(UInt8(ApplicationExtension.identifierByteCount))
        pending.bytes += Array(String(describing: name).utf8)
    }

    /// Appends the beginning of a comment extension whose text follows; see ``appendData(_:)``.
    ///
    /// - Source: GIF89a section 24 "Comment Extension".
    mutating func beginComment() {
        pending.bytes += [BlockReader.extensionIntroducer, ExtensionReader.commentLabel]
    }

    /// Appends data, cut into sub-blocks of 255 bytes; the last of them waits for more.
    ///
    /// - Source: GIF89a section 15 "Data Sub-blocks".
    mutating func appendData(_ data: RawSpan) {
        var place = 0
        while place < data.byteCount {
            let count = min(Self.subBlockByteCount - rest.count, data.byteCount - place)
            rest.append(data.extracting(place..<place + count))
            place += count
            if rest.count == Self.subBlockByteCount { appendRest() }
        }
    }

    /// Ends the sub-blocks.
    mutating func endData() {
        if !rest.isEmpty { appendRest() }
        pending.bytes.append(0)
    }

    /// Appends the trailer.
    ///
    /// - Source: GIF89a section 27 "Trailer".
    mutating func appendTrailer() { pending.bytes.append(BlockReader.trailerByte) }

    private mutating func appendRest() {
        pending.bytes.append(UInt8(truncatingIfNeeded: rest.count))
        pending.bytes += rest
        rest.removeAll(keepingCapacity: true)
    }

    private mutating func appendLittleEndian(_ number: Int) {
        pending.bytes.append(UInt8(truncatingIfNeeded: number))
        pending.bytes.append(UInt8(truncatingIfNeeded: number >> 8))
    }

    /// The flag and the size of a table in a packed field.
    private static func tableFlags(_ table: [UInt32]) -> UInt8 {
        0x80 | UInt8(truncatingIfNeeded: ColorTable.bitCount(entryCount: table.count) - 1)
    }

    /// Appends a table, filled up with black to a power of two.
    private mutating func appendTable(_ table: [UInt32]) {
        for color in table.prefix(256) {
            for shift in [0, 8, 16] as [UInt32] { pending.bytes.append(UInt8(truncatingIfNeeded: color >> shift)) }
        }
        let missing = 1 << ColorTable.bitCount(entryCount: table.count) - table.count
        pending.bytes += [UInt8](repeating: 0, count: max(0, ColorTable.byteCount(missing)))
    }
}

extension ColorTable {
    /// Bits of the table that this many entries need, 1...8.
    package static func bitCount(entryCount: Int) -> Int {
        let largest = min(max(entryCount, 2), 256) - 1
        return largest.bitWidth - largest.leadingZeroBitCount
    }
}
