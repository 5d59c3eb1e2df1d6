// The samples of one MCU row, between the inverse DCT and upsampling.

/// Reconstructed samples of one MCU row of every component, and the last row of the MCU row before it.
///
/// All planes share one buffer, so that one pointer reaches them all. Rows of a plane, `R` being the
/// component's `rowsPerMCURow`:
///
///     row -1        last row of the previous MCU row: context for vertical interpolation
///     row 0         first row of this MCU row        <- Plane.origin is column 0 of this row
///     ...
///     row R - 1     last row of this MCU row
///
/// Each row has ``margin`` bytes on its left, of which the last holds a copy of column 0 while a row is
/// interpolated, and at least ``slack`` bytes on its right that vector loads may touch. Strides are odd
/// multiples of 64, so that the eight rows of a block do not fall into the same cache set.
///
/// Example, 36x28 pixels, 4:2:0: luma 17 rows of stride 192 (48 samples in use), chroma 9 rows of stride 192 each.
package struct SamplePlanes: Sendable {
    /// Where one component lies in the buffer.
    package struct Plane: Hashable, Sendable {
        /// Index of column 0 of row 0.
        package let origin: Int
        /// Bytes from a sample to the one below it.
        package let stride: Int
        /// Rows of an MCU row, the carried row not counted.
        package let rows: Int
        /// Samples of a row that blocks are written to: whole MCUs.
        package let width: Int
        /// Samples per side of a block.
        package let blockSize: Int
    }

    /// Bytes to the left of each row.
    package static let margin = 16
    /// Bytes to the right of each row, at least.
    package static let slack = 64

    /// One per component of the frame.
    package let planes: [Plane]
    /// The samples of all planes.
    package var samples: [UInt8]

    /// Planes for one MCU row of `geometry`; the samples are not meaningful yet.
    package init(_ geometry: FrameGeometry) {
        var planes: [Plane] = []
        var end = 0
        for component in geometry.components {
            let stride = Self.stride(component)
            planes.append(
                Plane(
                    origin: end + stride + Self.margin, stride: stride, rows: component.rowsPerMCURow,
                    width: component.paddedWidthInSamples, blockSize: component.dctSize))
            end += stride * (component.rowsPerMCURow + 1)
        }
        self.planes = planes
        samples = Array(repeating: 128, count: end)
    }

    /// Bytes that planes for `geometry` take.
    package static func byteCount(_ geometry: FrameGeometry) -> Int {
        geometry.components.reduce(0) { $0 + stride($1) * ($1.rowsPerMCURow + 1) }
    }

    /// Makes the last row of this MCU row the carried row of the next one, in every plane.
    package mutating func carryLastRows() {
        for plane in planes {
            let last = plane.origin + (plane.rows - 1) * plane.stride - Self.margin
            let carried = plane.origin - plane.stride - Self.margin
            for column in 0..<plane.stride { samples[carried + column] = samples[last + column] }
        }
    }

    private static func stride(_ component: FrameGeometry.Component) -> Int {
        ((margin + component.paddedWidthInSamples + slack + 63) / 64 | 1) * 64
    }
}
