// Where the samples of a row of macroblocks lie while they are reconstructed, filtered and turned into pixels.
//
// One plane of luma and two of chroma, each as wide as the macroblocks of a row. Example: a picture of 40x30 pixels has 3
// macroblocks in each of 2 rows, so luma is 48 samples wide and chroma 24:
//
//               16          48 (24)         16
//            ┌──────┬───────────────────┬──────┐
//    carried │      │ the last rows of the     │  10 (5): filtered further by the next row, and held back by upsampling
//            │      │ row above                │
//            ├──────┼───────────────────┼──────┤
//            │  129 │ this row          │      │  16 (8)
//            └──────┴───────────────────┴──────┘
//
// The samples at the lower edge of the row above as they were before filtering, which prediction wants, are kept in lines
// of their own: one that is read and one that is written, in turns.

package import ImageCodecsCore

/// The layout of the work rows of a picture.
///
/// - Source: RFC 6386 section 12 "Intraframe Prediction" for what stands at the edges
package struct MacroblockWorkspace: Hashable, Sendable {
    /// The picture.
    package let size: PixelSize
    /// Macroblocks in a row, and rows of them.
    package let columnCount: Int
    package let rowCount: Int
    /// Bytes from one line of luma to the next.
    package let lumaStride: Int
    /// Bytes from one line of chroma to the next.
    package let chromaStride: Int

    /// Lines of the row above that are kept.
    package static let carriedLumaCount = 10
    package static let carriedChromaCount = 5
    /// Bytes to the left of a line, and to its right.
    package static let margin = 16

    /// - Parameter size: 1...16383 either way.
    package init(_ size: PixelSize) {
        self.size = size
        columnCount = (size.width + 15) / 16
        rowCount = (size.height + 15) / 16
        lumaStride = Self.stride(16 * columnCount + 2 * Self.margin)
        chromaStride = Self.stride(8 * columnCount + 2 * Self.margin)
    }

    /// A multiple of 64, but an odd one: lines a multiple of 4096 bytes apart would push each other out of the cache.
    private static func stride(_ width: Int) -> Int { ((width + 63) / 64 | 1) * 64 }

    /// Columns and lines of a chroma plane.
    package var chromaWidth: Int { (size.width + 1) / 2 }
    package var chromaHeight: Int { (size.height + 1) / 2 }

    /// Where the planes begin.
    private var chromaByteCount: Int { (Self.carriedChromaCount + 8) * chromaStride }
    private var uStart: Int { (Self.carriedLumaCount + 16) * lumaStride }
    private var vStart: Int { uStart + chromaByteCount }

    /// Bytes of the planes.
    package var planeByteCount: Int { vStart + chromaByteCount }

    /// Where line `line` of this row of macroblocks begins; lines of the row above are negative.
    package func luma(line: Int) -> Int { (Self.carriedLumaCount + line) * lumaStride + Self.margin }
    package func u(line: Int) -> Int { uStart + (Self.carriedChromaCount + line) * chromaStride + Self.margin }
    package func v(line: Int) -> Int { vStart + (Self.carriedChromaCount + line) * chromaStride + Self.margin }

    /// Bytes of a line of unfiltered samples: luma, U and V, each with margins.
    package var edgeByteCount: Int { lumaStride + 2 * chromaStride }
    /// Where the samples begin in it.
    package static let edgeLuma = margin
    package var edgeU: Int { lumaStride + Self.margin }
    package var edgeV: Int { lumaStride + chromaStride + Self.margin }

    // What follows the planes in memory: two lines of unfiltered samples, mixed lines of U and of V, a row of pixels.

    /// Where the mixed lines begin, after the planes and two lines of unfiltered samples: a multiple of 64.
    var sumStart: Int { planeByteCount + 2 * edgeByteCount }
    /// Bytes of a mixed line: a multiple of 16.
    var sumByteCount: Int { 2 * VP8UpsamplingKernels.sumCount(width: size.width) }
    /// Bytes of it all.
    var byteCount: Int { sumStart + 2 * sumByteCount + 4 * size.width }

    /// What stands above the picture, and to its left.
    package static let aboveValue: UInt8 = 127
    package static let leftValue: UInt8 = 129
}
