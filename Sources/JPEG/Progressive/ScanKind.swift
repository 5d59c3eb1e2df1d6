// The four kinds of progressive scan.

/// What a progressive scan carries, known from its spectral selection and successive approximation.
///
/// - Source: ITU-T T.81 (1992) §G.1.1.1.1 "Spectral selection control", §G.1.1.1.2 "Successive approximation
///   control".
package enum ScanKind: Hashable, Sendable {
    /// DC coefficients, all but the lowest `Al` bits (§G.1.2.1).
    case dcFirst
    /// One more bit of each DC coefficient (§G.1.2.1).
    case dcRefinement
    /// A band of AC coefficients, all but the lowest `Al` bits (§G.1.2.2).
    case acFirst
    /// One more bit of each AC coefficient in a band (§G.1.2.3).
    case acRefinement

    /// - Parameters:
    ///   - spectralStart: `Ss`, 0 for a DC scan.
    ///   - approximationHigh: `Ah`, 0 for a first scan.
    package init(spectralStart: Int, approximationHigh: Int) {
        switch (spectralStart == 0, approximationHigh == 0) {
        case (true, true): self = .dcFirst
        case (true, false): self = .dcRefinement
        case (false, true): self = .acFirst
        case (false, false): self = .acRefinement
        }
    }
}
