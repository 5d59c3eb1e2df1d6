// What decoding a bitstream holds at once, for planning; the meter is what limits it.

package import ImageCodecsCore

extension VP8LStream {
    /// The memory that a stream of this size holds at most, without the tables of prefix codes: their size is decided by the
    /// bytes that code them, and is at most 128 for each (see `PrefixCodeStore`). Saturates.
    ///
    /// It is about right for a picture with all transforms and blocks of 4x4 pixels, the smallest; most have less.
    ///
    /// Example, 4000x3000: of 750,000 blocks 3.75 MB for two transforms and 1.5 MB for numbers of groups, then either 3 MB for
    /// the entropy image or, which is more, 8.4 MB for the window of pixels and 0.1 MB for rows: 13.8 MB. A picture of up to
    /// 2^21 pixels is held whole.
    ///
    /// - Parameters:
    ///   - role: what the bitstream is.
    ///   - size: of the picture.
    package static func estimatedByteCount(_ role: Role, size: PixelSize) -> Int {
        // A header has at most 14 bits for a side, a container 24.
        guard !size.isEmpty, let pixelCount = size.pixelCount, pixelCount < 1 << 50 else { return .max }
        let blocks = size.reduced(by: 4)
        let blockCount = blocks.width * blocks.height
        let kept = Transform.byteCount(blockCount: blockCount) + MetaPrefixCodes.byteCount(blockCount: blockCount)
        // An image of a transform or the entropy image, before there are pixels.
        let smallByteCount = 4 * (max(blockCount, 256) + CodedImage.margin)
        let windowCount = min(pixelCount, PixelWindow.capacity(width: size.width, slack: largeWindowSlack))
        let pixelByteCount =
            4 * (windowCount + CodedImage.margin) + InverseTransforms.byteCount(width: size.width)
        return kept + max(smallByteCount, pixelByteCount) + VP8LWorkspace.byteCount
    }
}
