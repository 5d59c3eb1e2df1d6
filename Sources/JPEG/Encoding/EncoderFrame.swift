// What an encoder decides before it sees a pixel: components, sampling factors, quantisation tables.
//
// In: the picture's size, its colour model, a subsampling, tables. Out: the geometry that every stage agrees on, and the
// tables that both the frame header and the quantisation use.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// The components of a frame that is going to be written.
///
///     model       components             sampling factors               quantisation table   Huffman tables
///     grayscale   1 (Y)                  1x1                            0                    0
///     yCbCr       1, 2, 3 (Y, Cb, Cr)    those of the subsampling, 1x1  0, 1, 1              0, 1, 1
///     cmyk        "C", "M", "Y", "K"     1x1                            0                    0
///
/// Identifiers and slots are those of libjpeg.
package struct EncoderFrame: Sendable {
    /// Blocks, MCUs and samples at full scale.
    package let geometry: FrameGeometry
    /// `.grayscale`, `.yCbCr` or `.cmyk`.
    package let colorModel: JPEGColorModel
    /// One table per slot that a component names: one, or two with chroma.
    package let quantizationTables: [QuantizationTable]

    /// The frame, or `nil` if there is none of that size: a side outside 1...65535.
    ///
    /// - Parameters:
    ///   - size: The picture's.
    ///   - colorModel: `.grayscale`, `.yCbCr` or `.cmyk`.
    ///   - subsampling: Applies to `.yCbCr` alone.
    ///   - quantizationTables: As many as ``tableCount(_:)`` says: for luma, for chroma. Divisors are 1...255.
    package init?(
        size: PixelSize, colorModel: JPEGColorModel, subsampling: JPEGSubsampling = .yCbCr444,
        quantizationTables: [QuantizationTable]
    ) {
        precondition(quantizationTables.count == Self.tableCount(colorModel))
        precondition(quantizationTables.allSatisfy { $0.values.allSatisfy { (1...255).contains($0) } })
        let specifications = Self.specifications(colorModel, subsampling)
        guard let geometry = FrameGeometry(size: size, components: specifications) else { return nil }
        self.geometry = geometry
        self.colorModel = colorModel
        self.quantizationTables = quantizationTables
    }

    /// Quantisation tables of a frame.
    package static func tableCount(_ colorModel: JPEGColorModel) -> Int { colorModel == .yCbCr ? 2 : 1 }

    /// The slot of the Huffman tables, DC and AC, that a component uses: 0 for luma and inks, 1 for chroma.
    package func huffmanSlot(_ component: Int) -> Int { geometry.components[component].quantizationTable }

    /// The quantisation table of a component.
    package func quantizationTable(_ component: Int) -> QuantizationTable {
        quantizationTables[geometry.components[component].quantizationTable]
    }

    private static func specifications(
        _ colorModel: JPEGColorModel, _ subsampling: JPEGSubsampling
    ) -> [FrameGeometry.ComponentSpecification] {
        func component(_ identifier: UInt8, _ h: Int, _ v: Int, _ table: Int) -> FrameGeometry.ComponentSpecification {
            FrameGeometry.ComponentSpecification(
                identifier: identifier, horizontalSampling: h, verticalSampling: v, quantizationTable: table)
        }
        switch colorModel {
        case .grayscale:
            return [component(1, 1, 1, 0)]
        case .yCbCr:
            return [
                component(1, subsampling.horizontalFactor, subsampling.verticalFactor, 0),
                component(2, 1, 1, 1), component(3, 1, 1, 1),
            ]
        case .cmyk:
            return "CMYK".utf8.map { component($0, 1, 1, 0) }
        case .rgb, .ycck:
            preconditionFailure("no encoder writes this colour model")
        }
    }
}
