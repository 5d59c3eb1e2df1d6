// The geometry of a frame: how many blocks, MCUs, samples and output pixels a picture has.
//
// In: the size and the sampling factors of the frame header, and the scale to decode at.
// Out: every count that the entropy decoder, the reconstruction and the output agree on. Nothing here
// depends on the entropy-coded data, and nothing is allocated.

package import ImageCodecsCore

/// The size to reconstruct at: eighths of the picture, which is the side of a reconstructed block.
///
/// A block of 8×8 coefficients becomes 8×8, 4×4, 2×2 or 1×1 samples.
package enum DCTScale: Int, Hashable, Sendable, CaseIterable {
    case eighth = 1
    case quarter = 2
    case half = 4
    case full = 8

    /// Pixels of the picture for each that is reconstructed, along either side: 8, 4, 2 or 1.
    ///
    /// The scaled transforms are the full one with its samples averaged, so a pixel is the mean of a square of
    /// `reduction` x `reduction` of them, but for rounding and for chroma that needs no upsampling any more.
    package var reduction: Int { 8 / rawValue }
}

/// Counts of blocks, MCUs, samples and pixels of one frame at one ``DCTScale``.
///
/// A *block* is 8×8 samples, or in a lossless frame one sample (T.81 calls both a *data unit*), an *MCU* of an interleaved scan holds `horizontalSampling × verticalSampling`
/// blocks of each component, an *MCU row* is a row of those. Grids come in two sizes: the blocks that touch
/// the picture, and those padded to whole MCUs.
///
/// Example: 36×28 pixels, 4:2:0 (luma sampled 2×2, both chroma components 1×1), full scale.
///
///     frame     maximum sampling 2×2, an MCU is 16×16 pixels, 3 MCUs in a row, 2 MCU rows
///     luma      36×28 samples, 5×4 blocks, padded 6×4; an MCU row of its plane is 48×16 samples
///     chroma    18×14 samples, 3×2 blocks, padded 3×2; an MCU row of its plane is 24×8 samples
///     interleaved scan of all three    3×2 MCUs of 4+1+1 blocks: 36 blocks
///     luma alone                       5×4 MCUs of one block each: the unpadded grid
///
/// At ``DCTScale/half`` the picture is 18×14 pixels. Luma blocks become 4×4 samples (18×14 samples), and chroma
/// blocks stay 8×8: that gives 18×14 samples as well, so nothing is left to upsample.
///
/// - Source: ITU-T T.81 (1992) §A.1.1 "Dimensions and sampling factors", §A.2 "Order of source image data
///   encoding".
package struct FrameGeometry: Hashable, Sendable {
    /// One component's part of the geometry.
    package struct Component: Hashable, Sendable {
        /// `Ci`, the name that scan headers use.
        package let identifier: UInt8
        /// `Tqi`, the quantisation table's slot, 0...3.
        package let quantizationTable: Int
        /// `Hi` and `Vi`, 1...4: blocks of an MCU across and down. Always 1×1 in a frame of one component,
        /// whatever its header says: a single component is never interleaved.
        package let horizontalSampling: Int
        package let verticalSampling: Int
        /// `Vi` as the header has it, also in a frame of one component.
        package let statedVerticalSampling: Int

        /// Blocks that touch the picture, across and down: the grid that a scan of this component alone visits.
        package let widthInBlocks: Int
        package let heightInBlocks: Int
        /// Blocks of whole MCUs, across and down: the grid that an interleaved scan visits.
        package let paddedWidthInBlocks: Int
        package let paddedHeightInBlocks: Int

        /// Side of a reconstructed block: 1, 2, 4 or 8 samples. At reduced scales a component that is sampled
        /// less often than the others gets a larger one, so that less upsampling is left to do.
        package let dctSize: Int
        /// Samples that count, across and down, after reconstruction at `dctSize`; the rest of the padded
        /// blocks is filling.
        package let widthInSamples: Int
        package let heightInSamples: Int
        /// Output pixels for each reconstructed sample, across and down: the upsampling that is left to do.
        package let horizontalExpansion: Int
        package let verticalExpansion: Int

        /// Samples of a row of padded blocks.
        package var paddedWidthInSamples: Int { paddedWidthInBlocks * dctSize }

        /// Whether AC coefficients are wanted: one sample a block is the DC coefficient alone.
        package var keepsAC: Bool { dctSize > 1 }
        /// Rows of samples in one MCU row.
        package var rowsPerMCURow: Int { verticalSampling * dctSize }
        /// Blocks of one MCU row.
        package var blocksPerMCURow: Int { paddedWidthInBlocks * verticalSampling }
        /// Blocks of the padded grid.
        package var paddedBlockCount: Int { paddedWidthInBlocks * paddedHeightInBlocks }
    }

    /// What the frame header says about a component.
    package struct ComponentSpecification: Hashable, Sendable {
        package var identifier: UInt8
        package var horizontalSampling: Int
        package var verticalSampling: Int
        package var quantizationTable: Int

        package init(identifier: UInt8, horizontalSampling: Int, verticalSampling: Int, quantizationTable: Int) {
            self.identifier = identifier
            self.horizontalSampling = horizontalSampling
            self.verticalSampling = verticalSampling
            self.quantizationTable = quantizationTable
        }
    }

    /// The picture as the header gives it.
    package let size: PixelSize
    /// Samples to a side of a block: 8, or 1 in a lossless frame.
    package let unitSide: Int
    /// The scale of everything called samples or output below.
    package let scale: DCTScale
    /// In the order of the frame header.
    package let components: [Component]
    /// `Hmax` and `Vmax`.
    package let maximumHorizontalSampling: Int
    package let maximumVerticalSampling: Int
    /// MCUs of an interleaved scan, across and down.
    package let mcusPerRow: Int
    package let mcuRows: Int

    /// The largest width or height a header can state.
    package static let maximumSide = 65535

    /// The geometry of a frame, or `nil` if there is none: a side outside 1...65535, no or more than four
    /// components, a sampling factor outside 1...4, or factors of which one does not divide the largest
    /// (as in 3:2, which T.81 allows and neither libjpeg nor this decoder upsamples).
    package init?(
        size: PixelSize, components stated: some RandomAccessCollection<ComponentSpecification>,
        scale: DCTScale = .full, unitSide: Int = 8
    ) {
        let sides = 1...Self.maximumSide
        guard sides.contains(size.width), sides.contains(size.height), (1...4).contains(stated.count),
            stated.allSatisfy({
                (1...4).contains($0.horizontalSampling) && (1...4).contains($0.verticalSampling)
                    && (0...3).contains($0.quantizationTable)
            })
        else { return nil }
        let isAlone = stated.count == 1
        let maximumH = isAlone ? 1 : stated.reduce(1) { max($0, $1.horizontalSampling) }
        let maximumV = isAlone ? 1 : stated.reduce(1) { max($0, $1.verticalSampling) }
        guard
            isAlone
                || stated.allSatisfy({ maximumH % $0.horizontalSampling == 0 && maximumV % $0.verticalSampling == 0 })
        else { return nil }

        self.size = size
        self.scale = scale
        self.unitSide = unitSide
        maximumHorizontalSampling = maximumH
        maximumVerticalSampling = maximumV
        let mcusPerRow = divideUp(size.width, unitSide * maximumH)
        let mcuRows = divideUp(size.height, unitSide * maximumV)
        self.mcusPerRow = mcusPerRow
        self.mcuRows = mcuRows
        components = stated.map { specification in
            let h = isAlone ? 1 : specification.horizontalSampling
            let v = isAlone ? 1 : specification.verticalSampling
            // A block may grow while the larger size still divides the sampling that is missing.
            var dctSize = unitSide / scale.reduction
            while dctSize < unitSide, maximumH * scale.rawValue % (h * dctSize * 2) == 0,
                maximumV * scale.rawValue % (v * dctSize * 2) == 0
            {
                dctSize *= 2
            }
            // No product exceeds 65535 · 4 · 8.
            return Component(
                identifier: specification.identifier, quantizationTable: specification.quantizationTable,
                horizontalSampling: h, verticalSampling: v, statedVerticalSampling: specification.verticalSampling,
                widthInBlocks: divideUp(size.width * h, unitSide * maximumH),
                heightInBlocks: divideUp(size.height * v, unitSide * maximumV),
                paddedWidthInBlocks: mcusPerRow * h, paddedHeightInBlocks: mcuRows * v,
                dctSize: dctSize,
                widthInSamples: divideUp(size.width * h * dctSize, unitSide * maximumH),
                heightInSamples: divideUp(size.height * v * dctSize, unitSide * maximumV),
                horizontalExpansion: maximumH * unitSide / (h * dctSize * scale.reduction),
                verticalExpansion: maximumV * unitSide / (v * dctSize * scale.reduction))
        }
    }

    /// The same of an array: other modules call this one, which is compiled for its type.
    package init?(
        size: PixelSize, components: [ComponentSpecification], scale: DCTScale = .full, unitSide: Int = 8
    ) {
        self.init(size: size, components: components[...], scale: scale, unitSide: unitSide)
    }

    /// The size of the decoded picture: the picture's sides times the scale, rounded up.
    package var outputSize: PixelSize { size.reduced(by: scale.reduction) }

    /// Output rows of one MCU row; the last MCU row may have fewer that count.
    package var outputRowsPerMCURow: Int { maximumVerticalSampling * unitSide / scale.reduction }

    /// Blocks of one MCU row, all components together.
    package var blocksPerMCURow: Int { components.reduce(0) { $0 + $1.blocksPerMCURow } }

    /// Blocks of the padded grids, all components together: at most 4 · 16 · (65535 / 8 + 1)² < 2³³.
    package var paddedBlockCount: Int64 {
        components.reduce(0) { $0 + Int64($1.paddedWidthInBlocks) * Int64($1.paddedHeightInBlocks) }
    }

    /// The same frame at another scale.
    package func scaled(to scale: DCTScale) -> FrameGeometry { replacing(size: size, scale: scale) }

    /// The same frame with another number of lines, 1...65535.
    package func withHeight(_ height: Int) -> FrameGeometry {
        replacing(size: PixelSize(width: size.width, height: height), scale: scale)
    }

    private func replacing(size: PixelSize, scale: DCTScale) -> FrameGeometry {
        FrameGeometry(
            size: size,
            components: components.map {
                ComponentSpecification(
                    identifier: $0.identifier, horizontalSampling: $0.horizontalSampling,
                    verticalSampling: $0.statedVerticalSampling, quantizationTable: $0.quantizationTable)
            }, scale: scale, unitSide: unitSide) ?? self  // a legal geometry stays legal: neither adds a condition
    }
}

/// What one scan visits: the MCUs of a scan, interleaved or not.
///
/// A scan of several components visits `geometry.mcusPerRow × geometry.mcuRows` MCUs, also when it leaves out
/// some of the frame's components. A scan of one visits that component's unpadded blocks, one per MCU.
///
/// - Source: T.81 §A.2.2 "Non-interleaved order (Ns = 1)", §A.2.3 "Interleaved order (Ns > 1)".
package struct ScanGeometry: Hashable, Sendable {
    /// Indices into the frame's components, in the order of the scan header.
    package let components: PerComponent<Int>
    /// Whether an MCU holds blocks of several components.
    package let isInterleaved: Bool
    /// MCUs across and down.
    package let mcusPerRow: Int
    package let mcuRows: Int
    /// Blocks of an MCU; see ``maximumBlocksPerMCU``.
    package let blocksPerMCU: Int
    /// Scan MCU rows that make up one MCU row of the frame: 1, or the component's vertical sampling in a scan
    /// of that component alone.
    package let mcuRowsPerFrameMCURow: Int

    /// T.81 §B.2.3 "Scan header syntax" allows no more.
    package static let maximumBlocksPerMCU = 10

    /// - Precondition: `components` is not empty and holds valid, distinct indices.
    package init(components indices: some RandomAccessCollection<Int>, in frame: FrameGeometry) {
        components = PerComponent(count: indices.count) { indices[indices.index(indices.startIndex, offsetBy: $0)] }
        isInterleaved = components.count > 1
        if isInterleaved {
            mcusPerRow = frame.mcusPerRow
            mcuRows = frame.mcuRows
            blocksPerMCU = components.reduce(0) {
                $0 + frame.components[$1].horizontalSampling * frame.components[$1].verticalSampling
            }
            mcuRowsPerFrameMCURow = 1
        } else {
            let component = frame.components[components[0]]
            mcusPerRow = component.widthInBlocks
            mcuRows = component.heightInBlocks
            blocksPerMCU = 1
            mcuRowsPerFrameMCURow = component.verticalSampling
        }
    }
}

/// `⌈dividend / divisor⌉` of positive numbers.
private func divideUp(_ dividend: Int, _ divisor: Int) -> Int { (dividend + divisor - 1) / divisor }
