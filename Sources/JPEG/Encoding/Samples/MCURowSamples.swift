// The samples of one MCU row, between colour conversion and the forward DCT.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Samples of one MCU row of every component, and rows at full resolution that wait to be downsampled.
///
/// All of them share one buffer:
///
///     plane of component 0     8 · V rows
///     plane of component 1 ...
///     pending rows             of each component that is downsampled, as many as the luma rows of one of its rows
///
/// A row of a plane holds the component's samples of whole blocks, not of whole MCUs. Strides are odd multiples of 64, so
/// that the eight rows of a block do not fall into the same cache set; they leave at least ``slack`` bytes after a row.
///
/// Example, 36x28 pixels, 4:2:0: luma has 16 rows of stride 64 (40 samples in use), each chroma component 8 rows of
/// stride 64 (24 in use) and two pending rows of stride 64 (48 in use).
package struct MCURowSamples: Sendable {
    /// Where one component lies in the buffer.
    package struct Plane: Hashable, Sendable {
        /// Offset of the first sample of row 0.
        package let origin: Int
        /// Bytes from a sample to the one below it.
        package let stride: Int
        /// Rows of an MCU row.
        package let rows: Int
        /// Samples of a row: whole blocks that touch the picture.
        package let width: Int
        /// Pixels for each sample, across and down.
        package let horizontalExpansion: Int
        package let verticalExpansion: Int
        /// The first pending row, and bytes from one to the next; for planes that are downsampled.
        package let pendingOrigin: Int
        package let pendingStride: Int

        /// Whether a sample is the mean of several.
        package var isDownsampled: Bool { horizontalExpansion * verticalExpansion > 1 }

        /// Offset of the first sample of a row.
        package func offset(ofRow row: Int) -> Int { origin + row * stride }

        /// Offset of the first sample of a pending row.
        package func pendingOffset(_ row: Int) -> Int { pendingOrigin + row * pendingStride }
    }

    /// Bytes after each row that kernels may touch.
    package static let slack = 16

    /// One per component of the frame.
    package let planes: [Plane]
    /// The samples of all planes.
    package var samples: ScratchBuffer

    /// Planes for one MCU row of `geometry`, all of it mid-gray.
    package init(_ geometry: FrameGeometry, meter: MemoryMeter?) throws(ImageError) {
        let (planes, byteCount) = Self.layout(geometry)
        self.planes = planes
        samples = try ScratchBuffer(byteCount: byteCount, filledWith: 128, meter: meter)
    }

    /// Bytes that planes for `geometry` take.
    package static func byteCount(_ geometry: FrameGeometry) -> Int { layout(geometry).byteCount }

    private static func layout(_ geometry: FrameGeometry) -> (planes: [Plane], byteCount: Int) {
        var planes: [Plane] = []
        var end = 0
        for component in geometry.components {
            let width = component.widthInBlocks * 8
            let (h, v) = (component.horizontalExpansion, component.verticalExpansion)
            let (rowStride, pendingStride) = (stride(width), h * v > 1 ? stride(width * h) : 0)
            let pending = end + rowStride * component.rowsPerMCURow
            planes.append(
                Plane(
                    origin: end, stride: rowStride, rows: component.rowsPerMCURow, width: width,
                    horizontalExpansion: h, verticalExpansion: v, pendingOrigin: pending,
                    pendingStride: pendingStride))
            end = pending + pendingStride * v
        }
        return (planes, end)
    }

    /// Room for a row whose samples are written, or read four at a time, up to a multiple of 16.
    private static func stride(_ width: Int) -> Int { ((width + 63) / 64 * 64 + slack + 63) / 64 / 2 * 128 + 64 }
}
