// One row of every component at the picture's resolution, whatever the sampling factors.
//
// In: the sample planes of an MCU row. Out: for each component the place of its row, in the planes if there is
// nothing to upsample, else among the rows that are kept beside them.

import ImageCodecsCore

/// Upsamples rows of components.
///
/// Each component that needs it has two of the rows beside the planes: one upsampled row, and one of vertical sums for
/// components that are interpolated both ways.
struct RowUpsampler: Sendable {
    /// Where a row lies.
    struct Place: Hashable, Sendable {
        /// Among the rows beside the planes, or else in the planes.
        let isUpsampled: Bool
        let range: Range<Int>
    }

    /// How one component is upsampled.
    private struct Part: Sendable {
        let way: ChromaUpsampling
        /// Where its upsampled row is among the rows beside the planes, and after that its row of sums.
        let upsampledRow: Range<Int>
        let sumRow: Range<Int>
    }

    private let components: [FrameGeometry.Component]
    private let parts: PerComponent<Part>

    init(_ geometry: FrameGeometry) {
        components = geometry.components
        var end = 0
        parts = PerComponent(count: geometry.components.count) { index in
            let component = geometry.components[index]
            let (upsampled, sums) = Self.byteCounts(component)
            defer { end += upsampled + sums }
            return Part(
                way: ChromaUpsampling(component, in: geometry), upsampledRow: end..<end + upsampled,
                sumRow: end + upsampled..<end + upsampled + sums)
        }
    }

    /// How a component is upsampled.
    func way(_ component: Int) -> ChromaUpsampling { parts[component].way }

    /// Whether some component is.
    var isNeeded: Bool { parts.contains { $0.way != .none } }

    /// Bytes of the rows.
    static func byteCount(_ geometry: FrameGeometry) -> Int {
        geometry.components.reduce(0) { $0 + byteCounts($1).upsampled + byteCounts($1).sums }
    }

    private static func byteCounts(_ component: FrameGeometry.Component) -> (upsampled: Int, sums: Int) {
        guard component.horizontalExpansion * component.verticalExpansion > 1 else { return (0, 0) }
        // Kernels write whole vectors of up to 8 source samples and read 16 output samples at a time.
        let upsampled = ((component.paddedWidthInSamples + 8) * component.horizontalExpansion + 31) & ~15
        return (upsampled, UpsamplingKernels.byteCountOfSums(width: component.paddedWidthInSamples))
    }

    /// Upsamples one row of every component.
    ///
    /// - Parameters:
    ///   - y: Row of the picture.
    ///   - mcuRow: The MCU row in the planes.
    func upsampleRow(_ y: Int, _ planes: inout MCURowPlanes, mcuRow: Int) {
        for component in parts.indices {
            let part = parts[component]
            let width = components[component].widthInSamples
            let place = RowPlace(y, component, components[component], planes, mcuRow)
            let start = part.upsampledRow.lowerBound
            switch part.way {
            case .none:
                continue
            case .fancyH2V1:
                planes.repeatEdges(at: place.near.lowerBound, width: width)
                planes.withRows { samples, rows in
                    UpsamplingKernels.interpolateAcross(
                        samples: samples.extracting(place.nearFromLeft), width: width, into: &rows, at: start)
                }
            case .fancyH1V2:
                planes.withRows { samples, rows in
                    UpsamplingKernels.interpolateDown(
                        near: samples.extracting(place.near), far: samples.extracting(place.far),
                        bias: y % 2 == 0 ? 1 : 2, width: width, into: &rows, at: start)
                }
            case .fancyH2V2:
                planes.withRows { samples, rows in
                    UpsamplingKernels.blend(
                        near: samples.extracting(place.near), far: samples.extracting(place.far), width: width,
                        into: &rows, at: part.sumRow.lowerBound)
                    UpsamplingKernels.interpolateAcross(sums: part.sumRow, width: width, in: &rows, at: start)
                }
            case .replicated(let across, _):
                planes.withRows { samples, rows in
                    UpsamplingKernels.replicate(
                        samples: samples.extracting(place.near), factor: across, width: width, into: &rows,
                        at: start)
                }
            }
        }
    }

    /// Where the sums of a component belong among the rows beside the planes.
    func sumRow(_ component: Int) -> Range<Int> { parts[component].sumRow }

    /// Where row `y` of a component at full resolution is after ``upsampleRow(_:_:mcuRow:)``.
    func place(_ y: Int, _ component: Int, _ planes: MCURowPlanes, mcuRow: Int) -> Place {
        if parts[component].way == .none {
            let place = RowPlace(y, component, components[component], planes, mcuRow)
            return Place(isUpsampled: false, range: place.near)
        }
        return Place(isUpsampled: true, range: parts[component].upsampledRow)
    }
}

/// Which rows of a plane one row of the picture is made from.
struct RowPlace {
    /// The nearest row, from column 0 to the end of what may be read.
    let near: Range<Int>
    /// The second nearest row; at the edges of the picture the nearest one stands in for it.
    let far: Range<Int>

    /// The same rows of a component of the same shape, `distance` bytes away.
    func moved(by distance: Int) -> RowPlace {
        RowPlace(
            near: near.lowerBound + distance..<near.upperBound + distance,
            far: far.lowerBound + distance..<far.upperBound + distance)
    }

    private init(near: Range<Int>, far: Range<Int>) {
        self.near = near
        self.far = far
    }

    /// The nearest row from column -1 on.
    var nearFromLeft: Range<Int> { near.lowerBound - 1..<near.upperBound }

    /// - Parameters:
    ///   - y: Row of the picture.
    ///   - mcuRow: The MCU row in the planes.
    init(
        _ y: Int, _ component: Int, _ geometry: FrameGeometry.Component, _ planes: MCURowPlanes, _ mcuRow: Int
    ) {
        self = ComponentRows(geometry, planes.planes[component], mcuRow).place(y)
    }

    fileprivate init(near: Int, far: Int, readable: Int) {
        self.near = near..<near + readable
        self.far = far..<far + readable
    }
}

/// The rows of one component that the planes hold with one MCU row.
struct ComponentRows {
    private let plane: MCURowPlanes.Plane
    /// The component's row that is row 0 of the plane.
    private let top: Int
    private let lastRow: Int
    private let expansion: Int

    init(_ geometry: FrameGeometry.Component, _ plane: MCURowPlanes.Plane, _ mcuRow: Int) {
        self.plane = plane
        top = mcuRow * plane.rows
        lastRow = geometry.heightInSamples - 1
        expansion = geometry.verticalExpansion
    }

    /// Where row `y` of a component that is not upsampled is, from column 0 to the end of what may be read.
    @inline(__always)
    func near(_ y: Int) -> Range<Int> {
        let start = plane.offset(ofRow: y - top)
        return start..<start + plane.readable
    }

    /// What row `y` of the picture is made from.
    @inline(__always)
    func place(_ y: Int) -> RowPlace {
        // The usual factors without a division.
        let row = expansion == 1 ? y : expansion == 2 ? y >> 1 : y / expansion
        let isUpper = (y - row * expansion) * 2 < expansion
        let neighbour = min(max(isUpper ? row - 1 : row + 1, 0), lastRow)
        // Only interpolation looks at the second row; without, it may lie outside the planes.
        return RowPlace(
            near: plane.offset(ofRow: row - top),
            far: plane.offset(ofRow: min(max(neighbour - top, -1), plane.rows - 1)), readable: plane.readable)
    }
}
