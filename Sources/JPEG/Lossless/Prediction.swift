// From differences to samples: a row of one component at a time.
//
//     Rc Rb        above and to the left of a sample, above it,
//     Ra x         and to its left

/// The predictors of the lossless process.
///
/// - Source: ITU-T T.81 (1992) §H.1.2.1 "Prediction", table H.1 "Predictors for lossless coding"; §H.2.1 "Lossless decoder
///   control procedures".
package enum Prediction: Int, Sendable, CaseIterable {
    /// `Ra`
    case left = 1
    /// `Rb`
    case above
    /// `Rc`
    case aboveLeft
    /// `Ra + Rb - Rc`
    case plane
    /// `Ra + (Rb - Rc) / 2`
    case leftWithSlope
    /// `Rb + (Ra - Rc) / 2`
    case aboveWithSlope
    /// `(Ra + Rb) / 2`
    case mean

    /// Adds predictions to the differences of the first row of a scan or restart interval, each by the sample to its left.
    ///
    /// - Parameters:
    ///   - differences: Modulo 2^16, as many as the row has samples.
    ///   - first: What the first sample is predicted to be: half of its range.
    ///   - row: Receives the samples.
    package static func beginRows(_ differences: Span<UInt16>, first: UInt16, into row: inout MutableSpan<UInt16>) {
        precondition(row.count == differences.count, "as many samples as differences")
        var left = first
        for x in 0..<row.count {
            left &+= differences[x]
            row[x] = left
        }
    }

    /// Adds predictions to the differences of any other row, whose first sample is predicted by the one above it.
    ///
    /// - Parameters:
    ///   - differences: Modulo 2^16, as many as the row has samples.
    ///   - above: The row of samples above.
    ///   - row: Receives the samples.
    /// - Precondition: All three have the same length, which is not 0.
    package func reconstruct(_ differences: Span<UInt16>, above: Span<UInt16>, into row: inout MutableSpan<UInt16>) {
        let width = row.count
        precondition(width > 0 && differences.count == width && above.count == width, "rows of one length")
        var corner = Int32(above[0])
        let first = above[0] &+ differences[0]
        row[0] = first
        var left = Int32(first)
        // Sums of three samples; the low sixteen bits count.
        switch self {
        case .left:
            var left = first
            for x in 1..<width {
                left &+= differences[x]
                row[x] = left
            }
        case .above:
            for x in 1..<width { row[x] = above[x] &+ differences[x] }
        case .aboveLeft:
            for x in 1..<width { row[x] = above[x &- 1] &+ differences[x] }
        case .plane:
            // The corner is known before the sample to the left is.
            var left = first
            for x in 1..<width {
                left &+= above[x] &- above[x &- 1] &+ differences[x]
                row[x] = left
            }
        case .leftWithSlope:
            var left = first
            for x in 1..<width {
                let slope = (Int32(above[x]) &- Int32(above[x &- 1])) &>> 1
                left &+= UInt16(truncatingIfNeeded: slope) &+ differences[x]
                row[x] = left
            }
        case .aboveWithSlope:
            for x in 1..<width {
                let up = Int32(above[x])
                left = (up &+ (left &- corner) &>> 1 &+ Int32(differences[x])) & 0xFFFF
                corner = up
                row[x] = UInt16(truncatingIfNeeded: left)
            }
        case .mean:
            for x in 1..<width {
                left = ((left &+ Int32(above[x])) &>> 1 &+ Int32(differences[x])) & 0xFFFF
                row[x] = UInt16(truncatingIfNeeded: left)
            }
        }
    }
}
