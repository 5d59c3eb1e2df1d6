// One row of every component at the picture's resolution, whatever the sampling factors.
//
// In: the sample planes of an MCU row. Out: for each component the place of its row, in the planes if there is
// nothing to upsample, else in a buffer of rows kept here.

import ImageCodecsCore

/// Upsamples rows of components.
///
/// Each component that needs it has two rows in the buffer: one upsampled row, and one of vertical sums for
/// components that are interpolated both ways.
struct RowUpsampler: Sendable {
    /// Where a row lies.
    struct Place: Hashable, Sendable {
        /// In the buffer of this upsampler, or else in the planes.
        let isUpsampled: Bool
        let range: Range<Int>
    }

    /// How each component is upsampled.
    let ways: [ChromaUpsampling]
    /// Upsampled rows and rows of sums.
    private(set) var buffer: ScratchBuffer

    private let components: [FrameGeometry.Component]
    private let upsampledRows: [Range<Int>]
    private let sumRows: [Range<Int>]

    init(_ geometry: FrameGeometry, meter: MemoryMeter?) throws(ImageError) {
        components = geometry.components
        ways = geometry.components.map { ChromaUpsampling($0, scale: geometry.scale) }
        var end = 0
        var upsampledRows: [Range<Int>] = []
        var sumRows: [Range<Int>] = []
        for component in geometry.components {
            let (upsampled, sums) = Self.byteCounts(component)
            upsampledRows.append(end..<end + upsampled)
            sumRows.append(end + upsampled..<end + upsampled + sums)
            end += upsampled + sums
        }
        self.upsampledRows = upsampledRows
        self.sumRows = sumRows
        buffer = try ScratchBuffer(byteCount: end, filledWith: 0, meter: meter)
    }

    /// Makes the buffer this value's own.
    mutating func makeUnique() throws(ImageError) { try buffer.makeUnique() }

    /// Bytes of the buffer.
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
    mutating func upsampleRow(_ y: Int, _ planes: inout MCURowPlanes, mcuRow: Int) {
        for component in ways.indices {
            let width = components[component].widthInSamples
            let place = RowPlace(y, component, components[component], planes, mcuRow)
            let start = upsampledRows[component].lowerBound
            switch ways[component] {
            case .none:
                continue
            case .fancyH2V1:
                planes.repeatEdges(at: place.near.lowerBound, width: width)
                planes.samples.withBytes { samples in
                    buffer.withMutableBytes { buffer in
                        UpsamplingKernels.interpolateAcross(
                            samples: samples.extracting(place.nearFromLeft), width: width, into: &buffer, at: start)
                    }
                }
            case .fancyH1V2:
                planes.samples.withBytes { samples in
                    buffer.withMutableBytes { buffer in
                        UpsamplingKernels.interpolateDown(
                            near: samples.extracting(place.near), far: samples.extracting(place.far),
                            bias: y % 2 == 0 ? 1 : 2, width: width, into: &buffer, at: start)
                    }
                }
            case .fancyH2V2:
                blendRow(place, component, planes)
                let sums = sumRows[component]
                buffer.withMutableBytes { buffer in
                    UpsamplingKernels.interpolateAcross(sums: sums, width: width, in: &buffer, at: start)
                }
            case .replicated(let across, _):
                planes.samples.withBytes { samples in
                    buffer.withMutableBytes { buffer in
                        UpsamplingKernels.replicate(
                            samples: samples.extracting(place.near), factor: across, width: width, into: &buffer,
                            at: start)
                    }
                }
            }
        }
    }

    /// Gives access to the buffer, and says where the sums of components 1 and 2 belong.
    mutating func withSumRows(
        _ body: (_ buffer: inout MutableRawSpan, _ cbSums: Range<Int>, _ crSums: Range<Int>) -> Void
    ) {
        let (cbSums, crSums) = (sumRows[1], sumRows[2])
        buffer.withMutableBytes { body(&$0, cbSums, crSums) }
    }

    private mutating func blendRow(_ place: RowPlace, _ component: Int, _ planes: MCURowPlanes) {
        let start = sumRows[component].lowerBound
        let width = components[component].widthInSamples
        planes.samples.withBytes { samples in
            buffer.withMutableBytes { buffer in
                UpsamplingKernels.blend(
                    near: samples.extracting(place.near), far: samples.extracting(place.far), width: width,
                    into: &buffer, at: start)
            }
        }
    }

    /// Where row `y` of a component at full resolution is after ``upsampleRow(_:_:mcuRow:)``.
    func place(_ y: Int, _ component: Int, _ planes: MCURowPlanes, mcuRow: Int) -> Place {
        if ways[component] == .none {
            let place = RowPlace(y, component, components[component], planes, mcuRow)
            return Place(isUpsampled: false, range: place.near)
        }
        return Place(isUpsampled: true, range: upsampledRows[component])
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
        let plane = planes.planes[component]
        let row = y / geometry.verticalExpansion
        let isUpper = y % geometry.verticalExpansion * 2 < geometry.verticalExpansion
        let neighbour = min(max(isUpper ? row - 1 : row + 1, 0), geometry.heightInSamples - 1)
        let top = mcuRow * plane.rows
        let nearest = plane.offset(ofRow: row - top)
        // Only interpolation looks at the second row; without, it may lie outside the planes.
        let second = plane.offset(ofRow: min(max(neighbour - top, -1), plane.rows - 1))
        near = nearest..<nearest + plane.readable
        far = second..<second + plane.readable
    }
}
