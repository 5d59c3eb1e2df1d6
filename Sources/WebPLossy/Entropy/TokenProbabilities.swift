// The probabilities of a frame's tokens, laid out for token decoding.
//
// The standard's table is by band; here each of sixteen coefficient positions has its own row, so that the next position is
// the next row. A row has sixteen numbers for each of three contexts:
//
//     0...10   probabilities of the nodes of the token tree, times 256
//     11       where the position's coefficient goes in raster order (the zig-zag order)
//     12       the position
//     13       1 after the last position, elsewhere 0

/// The probabilities of all tokens of a frame.
///
/// - Source: RFC 6386 section 13.3 "Token Probabilities", section 13.4 "Token Probability Updates"
package struct TokenProbabilities: Hashable, Sendable {
    /// Numbers of a context, of a position and of a block type, which has a row after the last position too.
    package static let contextStride = 16
    package static let rowStride = 3 * contextStride
    package static let typeStride = 17 * rowStride
    package static let count = 4 * typeStride
    /// Where a row says what position it is of.
    package static let placeOffset = 11
    package static let positionOffset = 12
    /// Where a row says whether it is the one after the last position.
    package static let endOffset = 13

    /// Coefficient positions in zig-zag order.
    ///
    /// - Source: RFC 6386 section 13 "DCT Coefficient Decoding", zigzag
    package static let zigZag: [UInt8] = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]

    /// The table, as above.
    package let values: [UInt16]
    /// How many probabilities the frame replaces.
    package let updateCount: Int

    /// Reads the updates of a frame header.
    ///
    /// - Parameters:
    ///   - decoder: of the first partition.
    ///   - input: the first partition.
    package init(_ decoder: inout BooleanDecoder, _ input: Span<UInt8>) {
        var values = Self.defaults
        var count = 0
        let updates = CoefficientProbabilityTables.updates
        var index = decoder.firstSet(updates, from: 0, input)
        while index < updates.count {
            Self.replace(index, by: UInt8(decoder.literal(8, input)), in: &values)
            count += 1
            index = decoder.firstSet(updates, from: index + 1, input)
        }
        self.values = values
        updateCount = count
    }

    /// - Parameter standard: probabilities in the standard's order.
    package init(standard: [UInt8]) {
        values = Self.layout(standard)
        updateCount = 0
    }

    /// What most frames replace little of.
    private static let defaults = layout(CoefficientProbabilityTables.defaults)

    /// Replaces a probability, given by its number in the standard's order, at all positions of its band.
    private static func replace(_ index: Int, by probability: UInt8, in values: inout [UInt16]) {
        let (node, context) = (index % 11, index / 11 % 3)
        let (band, type) = (index / 33 % 8, index / 264)
        for position in 0...16 where Int(CoefficientProbabilityTables.bands[position]) == band {
            values[type * typeStride + position * rowStride + context * contextStride + node] = UInt16(probability) << 8
        }
    }

    private static func layout(_ standard: [UInt8]) -> [UInt16] {
        var values = [UInt16](repeating: 0, count: count)
        for type in 0..<4 {
            for position in 0...16 {
                let band = Int(CoefficientProbabilityTables.bands[position])
                for context in 0..<3 {
                    let source = ((type * 8 + band) * 3 + context) * 11
                    let target = type * Self.typeStride + position * Self.rowStride + context * Self.contextStride
                    for node in 0..<11 { values[target + node] = UInt16(standard[source + node]) << 8 }
                    values[target + Self.placeOffset] = position < 16 ? UInt16(Self.zigZag[position]) : 0
                    values[target + Self.positionOffset] = UInt16(position)
                    values[target + Self.endOffset] = position < 16 ? 0 : 1
                }
            }
        }
        return values
    }
}
