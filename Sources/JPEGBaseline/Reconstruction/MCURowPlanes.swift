// The samples of one MCU row, between the inverse DCT and upsampling.

package import ImageCodecsCore

/// Reconstructed samples of one MCU row of every component, and the last row of the MCU row before it.
///
/// All planes share one buffer. Rows of a plane, `R` being the component's `rowsPerMCURow`:
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
/// Example, 36x28 pixels, 4:2:0: luma has 17 rows of stride 192 (48 samples in use), each chroma component 9 rows of
/// stride 192 (24 samples in use).
package struct MCURowPlanes: Sendable {
    /// Where one component lies in the buffer.
    package struct Plane: Hashable, Sendable {
        /// Offset of column 0 of row 0.
        package let origin: Int
        /// Bytes from a sample to the one below it.
        package let stride: Int
        /// Rows of an MCU row, the carried row not counted.
        package let rows: Int
        /// Samples of a row that blocks are written to: whole MCUs.
        package let width: Int
        /// Samples per side of a block.
        package let blockSize: Int

        /// Bytes of a row that may be read, from column 0 on.
        var readable: Int { stride - MCURowPlanes.margin }

        /// Offset of column 0 of a row, -1 ..< rows.
        func offset(ofRow row: Int) -> Int { origin + row * stride }
    }

    /// Bytes to the left of each row.
    package static let margin = 16
    /// Bytes to the right of each row, at least.
    package static let slack = 64

    /// One per component of the frame.
    package let planes: PerComponent<Plane>
    /// The samples of all planes, and after them rows that are made from them.
    package var samples: ScratchBuffer
    /// Where the planes end in the buffer.
    private let end: Int

    /// Planes for one MCU row of `geometry`, which hold nothing yet: blocks are written before they are read, and what lies
    /// beside them matters to no pixel of the picture.
    ///
    /// - Parameter rowByteCount: Bytes for rows that are made from the planes.
    package init(_ geometry: FrameGeometry, rowByteCount: Int = 0, meter: MemoryMeter?) throws(ImageError) {
        var end = 0
        let planes = PerComponent(count: geometry.components.count) { index in
            let component = geometry.components[index]
            let stride = Self.stride(component)
            defer { end += stride * (component.rowsPerMCURow + 1) }
            return Plane(
                origin: end + stride + Self.margin, stride: stride, rows: component.rowsPerMCURow,
                width: component.paddedWidthInSamples, blockSize: component.dctSize)
        }
        samples = try ScratchBuffer(byteCount: end + rowByteCount, meter: meter)
        self.planes = planes
        self.end = end
    }

    /// Bytes that planes for `geometry` take.
    package static func byteCount(_ geometry: FrameGeometry) -> Int {
        geometry.components.reduce(0) { $0 + stride($1) * ($1.rowsPerMCURow + 1) }
    }

    /// Makes the last row of this MCU row the carried row of the next one, in every plane.
    package mutating func carryLastRows() {
        samples.withMutableBytes { bytes in
            for plane in planes {
                bytes.move(
                    from: plane.offset(ofRow: plane.rows - 1), to: plane.offset(ofRow: -1), count: plane.readable)
            }
        }
    }

    /// Gives access to the planes, for reading, and to the rows that are made from them.
    mutating func withRows(_ body: (_ samples: RawSpan, _ rows: inout MutableRawSpan) -> Void) {
        samples.withMutableBytes { $0.withSplit(at: end) { samples, rows in body(samples.bytes, &rows) } }
    }

    /// The same, both for reading.
    func withRows(_ body: (_ samples: RawSpan, _ rows: RawSpan) -> Void) {
        samples.withBytes { body($0.extracting(0..<end), $0.extracting(end..<$0.byteCount)) }
    }

    /// Repeats the outermost samples of a row on both sides, for horizontal interpolation.
    ///
    /// - Parameter offset: Of column 0.
    mutating func repeatEdges(at offset: Int, width: Int) {
        samples.withMutableBytes { bytes in
            bytes.move(from: offset, to: offset - 1, count: 1)
            bytes.move(from: offset + width - 1, to: offset + width, count: 1)
        }
    }

    private static func stride(_ component: FrameGeometry.Component) -> Int {
        ((margin + component.paddedWidthInSamples + slack + 63) / 64 | 1) * 64
    }
}
