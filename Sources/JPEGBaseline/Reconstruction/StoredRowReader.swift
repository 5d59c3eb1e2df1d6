// Takes MCU rows out of a coefficient store for the inverse DCT.

import ImageCodecsCore

/// What makes samples of blocks.
protocol BlockReceiver {
    /// Reconstructs a row of blocks of the current MCU row; see ``PictureRenderer``.
    mutating func reconstruct(
        component: Int, blockRow: Int, coefficients: Span<Int16>, lastIndices: Span<UInt8>)
}

extension PictureRenderer: BlockReceiver {}

/// Reconstructs rows of a ``CoefficientStore``.
struct StoredRowReader: Sendable {
    private let geometry: FrameGeometry
    private var lastIndices: NumberBuffer<UInt8>
    /// Whole blocks: of components of which only the DC coefficient is kept, and of all if some are estimated.
    private var expanded: NumberBuffer<Int16>
    private let smoothing: BlockSmoothing?
    private var neighborhood: DCNeighborhood?

    /// - Parameters:
    ///   - smoothing: What is estimated, if anything.
    ///   - meter: Counts the buffers.
    /// - Throws: `limitExceeded(.memory)`.
    init(_ geometry: FrameGeometry, smoothing: BlockSmoothing?, meter: MemoryMeter?) throws(ImageError) {
        self.geometry = geometry
        self.smoothing = smoothing
        let widest = geometry.components.map(\.paddedWidthInBlocks).max() ?? 0
        lastIndices = try NumberBuffer(count: widest, meter: meter)
        let expandedComponents = geometry.components.filter { smoothing != nil || !$0.keepsAC }
        expanded = try NumberBuffer(
            count: 64 * (expandedComponents.map(\.paddedWidthInBlocks).max() ?? 0), meter: meter)
        neighborhood = smoothing == nil ? nil : try DCNeighborhood(widest: widest, meter: meter)
    }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    ///
    /// - Precondition: Nothing is estimated.
    mutating func makeUnique() throws(ImageError) {
        try lastIndices.makeUnique()
        try expanded.makeUnique()
    }

    /// Bytes that a reader for `geometry` holds at most.
    static func byteCount(_ geometry: FrameGeometry, isProgressive: Bool) -> Int {
        let widest = geometry.components.map(\.paddedWidthInBlocks).max() ?? 0
        return 129 * widest + (isProgressive ? DCNeighborhood.byteCount(widest: widest) : 0)
    }

    /// Reconstructs the blocks of one MCU row.
    ///
    /// - Parameter isReached: Whether the scan under way has come to the row; it decides what is estimated.
    mutating func reconstruct(
        _ mcuRow: Int, isReached: Bool, of store: CoefficientStore, into output: inout some BlockReceiver
    ) {
        for (index, component) in geometry.components.enumerated() {
            let plane = store.planes[index]
            let count = plane.blocksPerRow
            let estimates = smoothing?.estimates(component: index, isReached: isReached)
            for blockRow in 0..<component.verticalSampling {
                let row = mcuRow * component.verticalSampling + blockRow
                let firstBlock = (store.row(ofMCURow: mcuRow) * component.verticalSampling + blockRow) * count
                if estimates != nil || !plane.keepsAC {
                    expand(plane, firstBlock: firstBlock, of: store)
                    // Rows below the picture are not seen.
                    if let estimates, row < component.heightInBlocks {
                        let rows = BlockEstimates.neighborRows(row, of: component)
                        estimate(estimates, from: rows, of: plane, count: component.widthInBlocks, in: store)
                    }
                    expanded.withSpan { expanded in
                        lastIndices.withSpan { lastIndices in
                            output.reconstruct(
                                component: index, blockRow: blockRow,
                                coefficients: expanded.extracting(first: count * 64),
                                lastIndices: lastIndices.extracting(first: count))
                        }
                    }
                    continue
                }
                findLastIndices(plane.firstBlock + firstBlock..<plane.firstBlock + firstBlock + count, of: store)
                let start = plane.start + firstBlock * 64
                store.coefficients.withSpan { coefficients in
                    lastIndices.withSpan { lastIndices in
                        output.reconstruct(
                            component: index, blockRow: blockRow,
                            coefficients: coefficients.extracting(start..<start + count * 64),
                            lastIndices: lastIndices.extracting(first: count))
                    }
                }
            }
        }
    }

    /// The highest bit of a block's mask is its last coefficient.
    private mutating func findLastIndices(_ blocks: Range<Int>, of store: CoefficientStore) {
        store.masks.withSpan { masks in
            lastIndices.withMutableSpan { lastIndices in
                for index in 0..<blocks.count {
                    let mask = masks[blocks.lowerBound + index]
                    lastIndices[index] = UInt8(truncatingIfNeeded: 63 - (mask | 1).leadingZeroBitCount)
                }
            }
        }
    }

    /// Copies a row of blocks. Of blocks without AC coefficients only the first coefficient is written and looked at.
    private mutating func expand(_ plane: CoefficientStore.Plane, firstBlock: Int, of store: CoefficientStore) {
        let step = plane.coefficientsPerBlock
        let source = plane.start + firstBlock * step
        store.coefficients.withSpan { coefficients in
            expanded.withMutableSpan { expanded in
                for block in 0..<plane.blocksPerRow {
                    for index in 0..<step { expanded[block * 64 + index] = coefficients[source + block * step + index] }
                }
            }
        }
        guard plane.keepsAC else {
            lastIndices.withMutableSpan { lastIndices in
                for block in 0..<plane.blocksPerRow { lastIndices[block] = 0 }
            }
            return
        }
        findLastIndices(
            plane.firstBlock + firstBlock..<plane.firstBlock + firstBlock + plane.blocksPerRow, of: store)
    }

    private mutating func estimate(
        _ estimates: BlockEstimates, from rows: [Int], of plane: CoefficientStore.Plane, count: Int,
        in store: CoefficientStore
    ) {
        guard var neighborhood = neighborhood.take() else { return }
        store.coefficients.withSpan { neighborhood.load(rows, of: plane, count: count, from: $0) }
        expanded.withMutableSpan { expanded in
            lastIndices.withMutableSpan { lastIndices in
                neighborhood.estimate(
                    plane.keepsAC ? estimates.positions : estimates.positions.filter { $0 == 0 }, by: estimates,
                    count: count, blocks: &expanded, lastIndices: &lastIndices)
            }
        }
        self.neighborhood = neighborhood
    }
}
