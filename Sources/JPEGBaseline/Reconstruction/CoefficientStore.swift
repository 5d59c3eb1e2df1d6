// All coefficients of a frame, for frames that come in several scans, or of one MCU row.

package import ImageCodecsCore

/// Quantised coefficients of every block of every component, kept across scans, or of one MCU row at a time.
///
/// 64 `Int16` per block in natural order, blocks row-major over the *padded* grid, component after component; and
/// for each block a mask of its AC coefficients that differ from zero, bit k for zig-zag position k. A component
/// that is reconstructed at one sample per block keeps only the DC coefficient, and no scan of AC coefficients needs
/// to be decoded for it.
///
/// Example, 36×28 pixels, 4:2:0, full scale: luma has 6×4 blocks from coefficient 0 on, Cb 3×2 from 1536, Cr 3×2
/// from 1920, 2304 in all. At 1/8, luma keeps 24 coefficients, and the chroma components, whose blocks become 2×2
/// samples there, all of theirs.
///
/// Memory: 136 bytes per block, or 10; counted in the memory meter.
package struct CoefficientStore: Sendable {
    /// Where one component lies.
    package struct Plane: Hashable, Sendable {
        /// Number of its first block, of all components together.
        package let firstBlock: Int
        /// Coefficients before its first.
        package let start: Int
        /// Blocks of a row, and rows.
        package let blocksPerRow: Int
        package let blockRows: Int
        /// 64, or 1 if only the DC coefficient is kept.
        package let coefficientsPerBlock: Int

        /// Whether AC coefficients are kept.
        package var keepsAC: Bool { coefficientsPerBlock == 64 }
    }

    /// One per component.
    package let planes: [Plane]
    /// MCU rows that there is room for.
    private let mcuRows: Int
    package var coefficients: NumberBuffer<Int16>
    /// One mask per block.
    package var masks: NumberBuffer<UInt64>

    /// A store in which every coefficient is zero.
    ///
    /// - Parameter mcuRows: MCU rows to make room for, all if `nil`.
    /// - Throws: `limitExceeded(.memory)`.
    package init(_ geometry: FrameGeometry, mcuRows: Int? = nil, meter: MemoryMeter?) throws(ImageError) {
        self.mcuRows = mcuRows ?? geometry.mcuRows
        var planes: [Plane] = []
        planes.reserveCapacity(geometry.components.count)
        var blocks = 0
        var coefficients = 0
        for component in geometry.components {
            let plane = Plane(
                firstBlock: blocks, start: coefficients, blocksPerRow: component.paddedWidthInBlocks,
                blockRows: self.mcuRows * component.verticalSampling,
                coefficientsPerBlock: component.keepsAC ? 64 : 1)
            // At most 2^33 blocks of 64 coefficients.
            let count = self.mcuRows * component.blocksPerMCURow
            blocks += count
            coefficients += count * plane.coefficientsPerBlock
            planes.append(plane)
        }
        self.planes = planes
        self.coefficients = try NumberBuffer(count: coefficients, meter: meter)
        masks = try NumberBuffer(count: blocks, meter: meter)
    }

    /// Makes the coefficients this value's own, so that no scan that follows copies them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    package mutating func makeUnique() throws(ImageError) {
        try coefficients.makeUnique()
        try masks.makeUnique()
    }

    /// The MCU row of the store that one of the frame goes to.
    func row(ofMCURow mcuRow: Int) -> Int { mcuRow % mcuRows }

    /// The same for a row of MCUs of a scan, of which there are more if it is of one component alone.
    package func row(_ row: Int, of scan: ScanGeometry) -> Int { row % (mcuRows * scan.mcuRowsPerFrameMCURow) }

    /// Makes every coefficient zero.
    mutating func clear() {
        coefficients.withMutableSpan { for index in $0.indices { $0[index] = 0 } }
        masks.withMutableSpan { for index in $0.indices { $0[index] = 0 } }
    }

    /// Bytes that a store for `geometry` takes.
    package static func byteCount(_ geometry: FrameGeometry, mcuRows: Int? = nil) -> Int {
        geometry.components.reduce(0) {
            $0 + (mcuRows ?? geometry.mcuRows) * $1.blocksPerMCURow * ($1.keepsAC ? 136 : 10)
        }
    }

    /// Bytes that a frame takes besides the output side: the store, and rows of blocks on their way into it and out of it.
    /// Saturates.
    static func frameByteCount(_ geometry: FrameGeometry, mcuRows: Int? = nil, isProgressive: Bool) -> Int {
        byteCount(geometry, mcuRows: mcuRows)
            .addingSaturated(MCURowBuffer.byteCount(geometry))
            .addingSaturated(StoredRowReader.byteCount(geometry, isProgressive: isProgressive))
    }

    /// Replaces a row of blocks of one component.
    ///
    /// - Parameters:
    ///   - coefficients: 64 per block, `blocksPerRow` blocks.
    ///   - lastIndices: For each block the zig-zag index of the last coefficient that may differ from zero.
    package mutating func replaceRow(
        _ row: Int, of component: Int, coefficients source: Span<Int16>, lastIndices: Span<UInt8>
    ) {
        let plane = planes[component]
        let firstBlock = row * plane.blocksPerRow
        let start = plane.start + firstBlock * plane.coefficientsPerBlock
        coefficients.withMutableSpan { coefficients in
            if plane.keepsAC {
                for index in 0..<source.count { coefficients[start + index] = source[index] }
            } else {
                for block in 0..<plane.blocksPerRow { coefficients[start + block] = source[64 * block] }
            }
        }
        masks.withMutableSpan { masks in
            for block in 0..<plane.blocksPerRow {
                // Bit 0 stands for the DC coefficient and says nothing.
                masks[plane.firstBlock + firstBlock + block] = 1 << UInt64(lastIndices[block])
            }
        }
    }
}
