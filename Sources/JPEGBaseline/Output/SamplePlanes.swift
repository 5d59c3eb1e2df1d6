// Samples of up to sixteen bits, of frames whose samples are not eight bits that an inverse DCT has made.

package import ImageCodecsCore

/// Samples of every component, two bytes each: those of the last one or two MCU rows and the row of samples before them, or of the
/// whole picture.
///
/// Rows of a plane, `V` being the component's vertical sampling and `s` the side of a block (1 in a lossless frame):
///
///     row -1           the last row of the MCU row before, if one MCU row is kept; of no meaning otherwise
///     row 0            first row of the MCU row, or of the picture         <- Plane.origin is column 0 of this row
///     ...
///     row V * s - 1    last row of the MCU row; or on to the last row of the second, or of the picture's last MCU row
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
    /// MCU rows that are kept, the next in the place of the first; `nil` if all are.
    private let keptMCURows: Int?
    package var samples: ScratchBuffer

    /// - Parameter mcuRows: How many MCU rows are kept; `nil` if all are, because the picture comes in several scans.
    package init(_ geometry: FrameGeometry, mcuRows: Int?, meter: MemoryMeter?) throws(ImageError) {
        var end = 0
        planes = PerComponent(count: geometry.components.count) { index in
            let component = geometry.components[index]
            let width = component.paddedWidthInSamples
            defer { end += width * (1 + Self.rowCount(component, geometry, mcuRows)) }
            return Plane(origin: end + width, width: width, rowsPerMCURow: component.rowsPerMCURow)
        }
        keptMCURows = mcuRows
        samples = try ScratchBuffer(zeroedByteCount: 2 * end, meter: meter)
    }

    private static func rowCount(
        _ component: FrameGeometry.Component, _ geometry: FrameGeometry, _ mcuRows: Int?
    ) -> Int {
        component.rowsPerMCURow * (mcuRows ?? geometry.mcuRows)
    }

    /// Bytes that planes for `geometry` take: at most 4 · 2 · 65,540².
    package static func byteCount(_ geometry: FrameGeometry, mcuRows: Int?) -> Int {
        geometry.components.reduce(0) {
            $0 + 2 * $1.paddedWidthInSamples * (1 + rowCount($1, geometry, mcuRows))
        }
    }

    /// Samples before column 0 of a row of a component.
    ///
    /// - Parameter row: Counted from the top of the picture; one of those that are kept.
    package func start(_ component: Int, row: Int) -> Int {
        let plane = planes[component]
        let place = if let keptMCURows { row % (plane.rowsPerMCURow * keptMCURows) } else { row }
        return plane.origin + place * plane.width
    }

    /// Makes the last row of this MCU row the one before the next MCU row, in every plane, if one MCU row is kept.
    package mutating func carryLastRows() {
        guard keptMCURows == 1 else { return }
        samples.withMutableBytes { bytes in
            for plane in planes {
                let last = plane.origin + (plane.rowsPerMCURow - 1) * plane.width
                bytes.move(from: 2 * last, to: 2 * (plane.origin - plane.width), count: 2 * plane.width)
            }
        }
    }
}
