// Samples of up to sixteen bits, of frames whose samples are not eight bits that an inverse DCT has made.

package import ImageCodecsCore

/// Samples of every component, two bytes each: those of one MCU row and the row of samples before it, or of the whole picture.
///
/// Rows of a plane, `V` being the component's vertical sampling and `s` the side of a block (1 in a lossless frame):
///
///     row -1           the last row of the MCU row before, if one MCU row is kept; of no meaning at the top
///     row 0            first row of the MCU row, or of the picture         <- Plane.origin is column 0 of this row
///     ...
///     row V * s - 1    last row of the MCU row; or on to the last row of the picture's last MCU row
///
/// What no scan has delivered is zero.
package struct SamplePlanes: Sendable {
    /// Where one component lies.
    package struct Plane: Hashable, Sendable {
        /// Samples before column 0 of row 0.
        package let origin: Int
        /// Samples of a row: whole MCUs.
        package let width: Int
        /// Rows of an MCU row.
        package let rowsPerMCURow: Int
    }

    /// One per component of the frame.
    package let planes: PerComponent<Plane>
    /// Whether the whole picture is kept.
    package let keepsAll: Bool
    package var samples: ScratchBuffer

    /// - Parameter keepsAll: Whether the whole picture is kept, because it comes in several scans.
    package init(_ geometry: FrameGeometry, keepsAll: Bool, meter: MemoryMeter?) throws(ImageError) {
        var end = 0
        planes = PerComponent(count: geometry.components.count) { index in
            let component = geometry.components[index]
            let width = component.paddedWidthInSamples
            defer { end += width * (1 + Self.rowCount(component, geometry, keepsAll: keepsAll)) }
            return Plane(origin: end + width, width: width, rowsPerMCURow: component.rowsPerMCURow)
        }
        self.keepsAll = keepsAll
        samples = try ScratchBuffer(zeroedByteCount: 2 * end, meter: meter)
    }

    private static func rowCount(
        _ component: FrameGeometry.Component, _ geometry: FrameGeometry, keepsAll: Bool
    ) -> Int {
        component.rowsPerMCURow * (keepsAll ? geometry.mcuRows : 1)
    }

    /// Bytes that planes for `geometry` take: at most 4 · 2 · 65,540².
    package static func byteCount(_ geometry: FrameGeometry, keepsAll: Bool) -> Int {
        geometry.components.reduce(0) {
            $0 + 2 * $1.paddedWidthInSamples * (1 + rowCount($1, geometry, keepsAll: keepsAll))
        }
    }

    /// Samples before column 0 of a row of a component.
    ///
    /// - Parameter row: Counted from the top of the picture; one of the MCU row that is kept, unless all are.
    package func start(_ component: Int, row: Int) -> Int {
        let plane = planes[component]
        return plane.origin + (keepsAll ? row : row % plane.rowsPerMCURow) * plane.width
    }

    /// Makes the last row of this MCU row the one before the next MCU row, in every plane, if one MCU row is kept.
    package mutating func carryLastRows() {
        guard !keepsAll else { return }
        samples.withMutableBytes { bytes in
            for plane in planes {
                let last = plane.origin + (plane.rowsPerMCURow - 1) * plane.width
                bytes.move(from: 2 * last, to: 2 * (plane.origin - plane.width), count: 2 * plane.width)
            }
        }
    }
}
