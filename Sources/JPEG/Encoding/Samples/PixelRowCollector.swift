// Rows of pixels to the planes of an MCU row: colour conversion, edges, downsampling.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Collects rows of a picture, from the top, until the planes of an MCU row are full.
///
/// What an MCU row has beyond the picture is filled as the reference encoder does it, so that coefficients are equal to
/// its own: rows are continued to the right with their last pixel before they are downsampled; at the bottom the last
/// row is repeated to the end of a box, and then the last row of each plane to the end of the MCU row.
///
/// - Source: ITU-T T.81 (1992) §A.2.4 "Completion of partial MCU" leaves the filling to the encoder.
package struct PixelRowCollector: Sendable {
    package let geometry: FrameGeometry
    /// What rows hold.
    package let format: PixelFormat
    /// The current MCU row: whole when ``write(_:)`` says so.
    package private(set) var planes: MCURowSamples
    /// Rows written, of the picture and of the current MCU row.
    package private(set) var rowCount = 0
    private var rowInMCU = 0

    private let order: PixelOrder?

    /// - Parameter format: One that ``canRead(_:as:)`` accepts for the frame's colour model.
    package init(_ frame: EncoderFrame, format: PixelFormat, meter: MemoryMeter?) throws(ImageError) {
        precondition(Self.canRead(format, as: frame.colorModel))
        geometry = frame.geometry
        self.format = format
        order = PixelOrder(format)
        planes = try MCURowSamples(frame.geometry, meter: meter)
    }

    /// Whether rows of `format` can be written to a file of `colorModel` as they are. Alpha is not looked at.
    package static func canRead(_ format: PixelFormat, as colorModel: JPEGColorModel) -> Bool {
        switch colorModel {
        case .grayscale: format == .gray
        case .yCbCr: PixelOrder(format) != nil
        case .cmyk: format == .cmyk
        case .rgb, .ycck: false
        }
    }

    /// Bytes that a collector for `geometry` holds.
    package static func byteCount(_ geometry: FrameGeometry) -> Int { MCURowSamples.byteCount(geometry) }

    /// Whether the picture's last row has been written.
    package var isComplete: Bool { rowCount == geometry.size.height }

    /// Adds the next row.
    ///
    /// - Parameter row: The picture's width in pixels of ``format``.
    /// - Returns: Whether ``planes`` hold a whole MCU row now; the next row begins another one.
    /// - Precondition: The picture has another row.
    package mutating func write(_ row: RawSpan) -> Bool {
        precondition(!isComplete, "more rows than the picture has")
        let rowInBox = rowInMCU % geometry.maximumVerticalSampling
        separate(row, rowInBox)
        continueRight(rowInBox)
        rowCount += 1
        if rowInBox == geometry.maximumVerticalSampling - 1 || isComplete { downsample(rowInBox) }
        rowInMCU += 1
        guard rowInMCU == geometry.outputRowsPerMCURow || isComplete else { return false }
        continueDown()
        rowInMCU = 0
        return true
    }

    /// Where the samples of the current row go, of a component: to its plane, or to where they wait for the rest of
    /// their box.
    private func place(_ component: Int, _ rowInBox: Int) -> Int {
        let plane = planes.planes[component]
        return plane.isDownsampled ? plane.pendingOffset(rowInBox) : plane.offset(ofRow: rowInMCU)
    }

    /// Splits a row into samples at full resolution.
    private mutating func separate(_ row: RawSpan, _ rowInBox: Int) {
        let width = geometry.size.width
        if let order {
            let places = SIMD3(place(0, rowInBox), place(1, rowInBox), place(2, rowInBox))
            planes.samples.withMutableBytes {
                PixelSeparationKernels.convertToYCbCr(row, width: width, order: order, into: &$0, at: places)
            }
        } else if format == .cmyk {
            let places = SIMD4(place(0, rowInBox), place(1, rowInBox), place(2, rowInBox), place(3, rowInBox))
            planes.samples.withMutableBytes {
                PixelSeparationKernels.separateInks(row, width: width, into: &$0, at: places)
            }
        } else {
            let place = place(0, rowInBox)
            planes.samples.withMutableBytes { $0.copy(row.extracting(first: width), at: place) }
        }
    }

    /// Repeats the last sample of the current row to the end of its blocks.
    private mutating func continueRight(_ rowInBox: Int) {
        let width = geometry.size.width
        for component in planes.planes.indices {
            let plane = planes.planes[component]
            let place = place(component, rowInBox)
            let end = plane.width * plane.horizontalExpansion
            guard width < end else { continue }
            let last = planes.samples.withBytes { $0.byte(at: place + width - 1) }
            planes.samples.fill(place + width..<place + end, with: last)
        }
    }

    /// Averages the boxes of which the current row is the last.
    private mutating func downsample(_ rowInBox: Int) {
        for plane in planes.planes where plane.isDownsampled {
            let last = plane.verticalExpansion - 1
            let rows = SIMD2(plane.pendingOffset(0), plane.pendingOffset(min(last, rowInBox)))
            let target = plane.offset(ofRow: rowInMCU / plane.verticalExpansion)
            planes.samples.withMutableBytes {
                DownsamplingKernels.downsample(
                    rows, horizontal: plane.horizontalExpansion, vertical: plane.verticalExpansion,
                    count: plane.width, in: &$0, into: target)
            }
        }
    }

    /// Repeats the last row of each plane to the end of the MCU row.
    private mutating func continueDown() {
        for plane in planes.planes {
            let filled = (rowInMCU + plane.verticalExpansion - 1) / plane.verticalExpansion
            planes.samples.withMutableBytes { samples in
                for row in filled..<max(filled, plane.rows) {
                    let last = plane.offset(ofRow: filled - 1)
                    samples.move(from: last, to: plane.offset(ofRow: row), count: plane.width)
                }
            }
        }
    }
}
