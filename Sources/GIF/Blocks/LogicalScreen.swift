// The first thirteen bytes: signature, size of the canvas, what global table follows.

package import ImageCodecsCore

/// The header and the logical screen descriptor.
///
/// Source: GIF89a sections 17 "Header" and 18 "Logical Screen Descriptor".
package struct LogicalScreen: Hashable, Sendable {
    /// Width and height as stored; a side may be 0, and then is that of the first frame.
    package let size: PixelSize
    /// `87a` or `89a`; decoders make no difference.
    package let version: String
    /// Entries of the global color table; 0 if there is none.
    package let globalTableCount: Int
    /// The background color index, which nobody paints.
    package let backgroundIndex: UInt8
    /// The pixel aspect ratio as stored: (ratio * 64) - 15; 0 if nothing is said.
    package let aspectRatio: UInt8

    /// Bytes of both.
    static let byteCount = 13

    /// Reads the first thirteen bytes of a file whose signature was looked at.
    ///
    /// - Precondition: there are as many.
    init(_ bytes: Span<UInt8>) {
        version = bytes.hasBytes("87a", at: 3) ? "87a" : "89a"
        size = PixelSize(
            width: Int(bytes.littleEndianUInt16(at: 6)), height: Int(bytes.littleEndianUInt16(at: 8)))
        globalTableCount = ColorTable.count(packedFields: bytes[10])
        backgroundIndex = bytes[11]
        aspectRatio = bytes[12]
    }

    /// The canvas: a screen without a side takes that of the first frame.
    package func canvasSize(firstFrame: ImageDescriptor) -> PixelSize {
        PixelSize(
            width: size.width > 0 ? size.width : firstFrame.rect.width,
            height: size.height > 0 ? size.height : firstFrame.rect.height)
    }
}
