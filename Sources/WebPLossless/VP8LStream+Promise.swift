// What decoding a bitstream may hold at once.

package import ImageCore

extension VP8LStream {
    /// Bytes of what is read again when it was not whole: a copy takes up to 58 bits, from any bit of a byte on.
    package static let unitByteCount = 9

    /// The most memory that a stream takes. Saturates.
    ///
    /// Example, 1000x1000: 4 MB of pixels, 0.5 MB for transforms and entropy image, whose blocks are at least 4x4 pixels,
    /// 7 MB for tables of prefix codes, of which hardly any picture needs a tenth, and 0.1 MB for the rest.
    ///
    /// - Parameters:
    ///   - role: what the bitstream is.
    ///   - size: of the picture.
    package static func byteCount(_ role: Role, size: PixelSize) -> Int {
        // Sides have at most 14 bits where a header tells them, 24 where a container does.
        guard !size.isEmpty, let pixelCount = size.pixelCount, pixelCount < 1 << 50 else { return .max }
        let blocks = size.reduced(by: 4)
        let blockCount = blocks.width * blocks.height
        let groupCount = min(blockCount, 1 << 16)
        let imageByteCount = 4 * (pixelCount + CodedImage.margin)
        let smallByteCount = 4 * (max(blockCount, 256) + CodedImage.margin)
        // Each small image has one group, and a workspace.
        let largeTables = PrefixCodeStore.byteCount(groupCount: groupCount, pixelCount: pixelCount)
        let smallTables = PrefixCodeStore.byteCount(groupCount: 1, pixelCount: max(blockCount, 256))
        let workspaces = 2 * 4 * PixelKernel.workspaceCount
        let kept = Transform.byteCount(blockCount: blockCount) + MetaPrefixCodes.byteCount(blockCount: blockCount)
        return max(imageByteCount + largeTables, smallByteCount + smallTables)
            + kept + workspaces + CodeLengthBuffer.byteCount + InverseTransforms.byteCount(width: size.width)
    }
}
