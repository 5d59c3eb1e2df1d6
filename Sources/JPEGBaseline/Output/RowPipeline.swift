// Reconstruction beside entropy decoding: MCU rows of coefficients pass from the caller's thread to another.

import ImageCore

/// The queue of MCU rows between entropy decoding and reconstruction.
typealias RowPipeline = HelperPipeline<PictureRenderer, MCURowBuffer>

extension RowPipeline {
    /// Rows after which the second thread is woken in a picture of this geometry: about 2^17 pixels.
    static func unit(_ geometry: FrameGeometry) -> Int {
        let pixelsPerRow =
            geometry.mcusPerRow * 64 * geometry.maximumHorizontalSampling * geometry.maximumVerticalSampling
        return max(1, (1 << 17) / pixelsPerRow)
    }

    /// Buffers that a pipeline needs besides the caller's own.
    static func bufferCount(_ geometry: FrameGeometry) -> Int { 3 * unit(geometry) }

    /// Starts the second thread, which reconstructs rows.
    convenience init(_ output: inout [PictureRenderer], spare: inout [MCURowBuffer], policy: HelperPolicy) {
        self.init(&output, spare: &spare, policy: policy) { (row, output) throws(ImageError) in
            try row.emit(into: &output)
        }
    }
}
