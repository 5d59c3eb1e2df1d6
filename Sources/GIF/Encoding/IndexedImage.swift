// One image on its way into the file: palette indices, and everything that stands before their codes.
//
//   exact colours ─────────────▶ FrameIndexer ─┐
//   colours that were reduced ─▶ FrameIndexer ─┼─▶ IndexedImage ──▶ ImageWriter ──▶ sub-blocks
//   a search that loses a bit ─────────────────┘

package import ImageCodecsCore

/// An image whose pixels have become indices.
package struct IndexedImage: Sendable {
    /// Where it lies on the canvas.
    package var rect: PixelRect
    /// Its own color table, straight RGBA with red in the lowest byte; `nil` if it has that of the file.
    package var localTable: [UInt32]?
    /// The index that leaves the canvas as it is, if there is one.
    package var transparentIndex: UInt8?
    /// 2...8; two to this power is larger than every index.
    package var minimumCodeSize: Int
    /// Whether the rows lie in the order of four passes.
    package var isInterlaced = false
    /// A byte for each pixel, row after row, in the order of the file.
    package var indices: ScratchBuffer
    /// Where the table of strings is cleared, if that is known.
    package var clears: LZWClears?

    package init(
        _ rect: PixelRect, localTable: [UInt32]? = nil, transparentIndex: UInt8? = nil, minimumCodeSize: Int,
        isInterlaced: Bool = false, indices: ScratchBuffer
    ) {
        self.rect = rect
        self.localTable = localTable
        self.transparentIndex = transparentIndex
        self.minimumCodeSize = minimumCodeSize
        self.isInterlaced = isInterlaced
        self.indices = indices
    }

    /// The minimum code size for indices below `count`: at least 2, as the standard asks for two colours too.
    ///
    /// - Source: GIF89a Appendix F "Variable-Length-Code LZW Compression", "Establish code size".
    package static func minimumCodeSize(indexCount count: Int) -> Int { max(2, ColorTable.bitCount(entryCount: count)) }

    /// Bytes of the image in the file without its LZW data.
    var overheadByteCount: Int {
        let table = localTable.map { ColorTable.byteCount(1 << ColorTable.bitCount(entryCount: $0.count)) } ?? 0
        return ImageDescriptor.byteCount + 1 + table
    }
}

extension [UInt32] {
    /// The number of the transparent colour in a table.
    var transparentIndex: UInt8? { firstIndex(of: 0).map { UInt8(truncatingIfNeeded: $0) } }
}
