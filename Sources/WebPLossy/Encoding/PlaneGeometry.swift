// Where the samples of a picture that is encoded lie: luma, then U, then V, each in whole macroblocks.

import ImageCodecsCore

/// The layout of the planes. Example: 40x30 pixels are 3x2 macroblocks, so luma is 48x32 samples, U and V are 24x16, and begin
/// after 1,536 and 1,920 bytes.
struct PlaneGeometry: Hashable, Sendable {
    /// The picture.
    let size: PixelSize
    /// Macroblocks in a row, and rows of them.
    let columnCount: Int
    let rowCount: Int

    init(_ size: PixelSize) {
        self.size = size
        columnCount = (size.width + 15) / 16
        rowCount = (size.height + 15) / 16
    }

    var lumaStride: Int { 16 * columnCount }
    var chromaStride: Int { 8 * columnCount }
    /// Where U and V begin.
    var u: Int { 256 * columnCount * rowCount }
    var v: Int { u + 64 * columnCount * rowCount }
    var byteCount: Int { 384 * columnCount * rowCount }

    /// Samples of chroma for the pixels of the picture alone.
    var chromaWidth: Int { (size.width + 1) / 2 }
    var chromaHeight: Int { (size.height + 1) / 2 }
}
