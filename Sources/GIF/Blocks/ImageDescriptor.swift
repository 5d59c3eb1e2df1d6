// Where a frame lies, and how its rows are stored.

package import ImageCodecsCore

/// An image descriptor.
///
/// Source: GIF89a section 20 "Image Descriptor".
package struct ImageDescriptor: Hashable, Sendable {
    /// The frame's place on the logical screen, which it may leave.
    package let rect: PixelRect
    /// Whether the rows come in four passes.
    package let isInterlaced: Bool
    /// Entries of the local color table; 0 if there is none.
    package let localTableCount: Int

    /// Bytes, with the separator in front.
    package static let byteCount = 10

    /// Reads a descriptor.
    ///
    /// - Precondition: there are ten bytes, the first is the image separator.
    package init(_ bytes: Span<UInt8>) {
        rect = PixelRect(
            x: Int(bytes.littleEndianUInt16(at: 1)), y: Int(bytes.littleEndianUInt16(at: 3)),
            width: Int(bytes.littleEndianUInt16(at: 5)), height: Int(bytes.littleEndianUInt16(at: 7)))
        isInterlaced = bytes[9] & 0x40 != 0
        localTableCount = ColorTable.count(packedFields: bytes[9])
    }
}
