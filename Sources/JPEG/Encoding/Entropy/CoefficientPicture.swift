// What is written: the coefficients of a whole picture and what its headers say of them.

import ImageCodecsCore
package import JPEGBaselineCodec

/// A picture after quantisation, before entropy coding.
package struct CoefficientPicture: Sendable {
    /// At full scale.
    package let geometry: FrameGeometry
    /// What the components mean.
    package let colorModel: JPEGColorModel
    /// One for each component, over its padded grid.
    package var coefficients: [QuantizedCoefficients]
    /// By slot: those that the components of `geometry` name.
    package var quantizationTables: [QuantizationTable]

    /// - Precondition: the grids are those of `geometry`, and every slot that a component names has its table.
    package init(
        geometry: FrameGeometry, colorModel: JPEGColorModel, coefficients: [QuantizedCoefficients],
        quantizationTables: [QuantizationTable]
    ) {
        precondition(coefficients.count == geometry.components.count)
        for (component, stored) in zip(geometry.components, coefficients) {
            precondition(
                stored.widthInBlocks == component.paddedWidthInBlocks
                    && stored.heightInBlocks == component.paddedHeightInBlocks)
            precondition(component.quantizationTable < quantizationTables.count)
        }
        self.geometry = geometry
        self.colorModel = colorModel
        self.coefficients = coefficients
        self.quantizationTables = quantizationTables
    }

    /// Which Huffman tables a component shares, 0 or 1: colour differences have coefficients unlike the others'.
    package func huffmanTable(ofComponent component: Int) -> Int {
        switch colorModel {
        case .yCbCr, .ycck: (1...2).contains(component) ? 1 : 0
        case .grayscale, .rgb, .cmyk: 0
        }
    }
}
