// Takes MCU rows out of a coefficient store for the inverse DCT.

import ImageCore

/// Reconstructs rows of a ``CoefficientStore``.
struct StoredRowReader: Sendable {
    private let geometry: FrameGeometry
    private var lastIndices: NumberBuffer<UInt8>
    /// Whole blocks for components of which only the DC coefficient is kept.
    private var expanded: NumberBuffer<Int16>

    /// - Parameter meter: Counts the buffers.
    /// - Throws: `limitExceeded(.memory)`.
    init(_ geometry: FrameGeometry, meter: MemoryMeter?) throws(ImageError) {
        self.geometry = geometry
        let widest = geometry.components.map(\.paddedWidthInBlocks).max() ?? 0
        lastIndices = try NumberBuffer(count: widest, meter: meter)
        expanded = try NumberBuffer(
            count: 64 * (geometry.components.filter { $0.dctSize == 1 }.map(\.paddedWidthInBlocks).max() ?? 0),
            meter: meter)
    }

    /// Bytes that a reader for `geometry` holds.
    static func byteCount(_ geometry: FrameGeometry) -> Int {
        129 * (geometry.components.map(\.paddedWidthInBlocks).max() ?? 0)
    }

    /// Reconstructs the blocks of one MCU row.
    mutating func reconstruct(_ mcuRow: Int, of store: CoefficientStore, into output: inout PictureOutput) {
        for (index, component) in geometry.components.enumerated() {
            let plane = store.planes[index]
            let count = plane.blocksPerRow
            for blockRow in 0..<component.verticalSampling {
                let firstBlock = (mcuRow * component.verticalSampling + blockRow) * count
                guard plane.keepsAC else {
                    expandDC(plane, firstBlock: firstBlock, of: store)
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

    private mutating func expandDC(_ plane: CoefficientStore.Plane, firstBlock: Int, of store: CoefficientStore) {
        store.coefficients.withSpan { coefficients in
            expanded.withMutableSpan { expanded in
                for block in 0..<plane.blocksPerRow {
                    expanded[block * 64] = coefficients[plane.start + firstBlock + block]
                }
            }
        }
        lastIndices.withMutableSpan { lastIndices in
            for block in 0..<plane.blocksPerRow { lastIndices[block] = 0 }
        }
    }
}
