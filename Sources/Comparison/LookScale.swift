// One of six scales: what has come of it, and what was measured.

import ImageCodecsCore

/// A scale of both pictures while its rows come.
struct LookScale: Sendable {
    let size: PixelSize
    let places: LookPlaces
    /// Of each channel.
    let needs: [LookNeeds]
    /// Rows that have come.
    var rowCount = 0
    /// Rows of which differences were measured.
    var measuredCount = 0
    /// Of each channel.
    var sums = [LookSums](repeating: LookSums(), count: 3)

    init(_ size: PixelSize, _ index: Int, _ weights: LookWeights, from base: Int) {
        self.size = size
        places = LookPlaces(width: size.width, from: base)
        needs = (0..<3).map { weights.needs($0, index) }
    }

    /// The channels of which structure is compared.
    var products: LookChannels {
        LookChannels((0..<3).filter { needs[$0] == .all }.map { LookChannels(rawValue: 1 << $0) })
    }

    /// Whether all rows have come that two more rows of differences need: five below the second.
    var isReady: Bool {
        measuredCount < size.height && (rowCount == size.height || rowCount >= measuredCount + 7)
    }
}
