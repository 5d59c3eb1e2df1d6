// What a walk through a JPEG file keeps of components and of scans.

import JPEGBaselineCodec
import JPEGCodec

extension JPEGWalk {
    /// The blocks of a component: of its padded grid, row after row; none of a lossless frame, whose blocks are single samples.
    struct Plane: Sendable {
        let blocksPerRow: Int
        /// DC coefficients, not yet multiplied.
        var dc: [Int32]
        /// A bit for each coefficient that is not zero, in zig-zag order; bit 0 is not used.
        var masks: [UInt64]
        /// What each block takes.
        var bitCounts: [Int32]
    }

    /// One scan.
    struct Scan: Sendable {
        let header: ScanHeader
        let kind: ScanKind?
        let byteCount: Int
        var dcBitCount = 0
        var acBitCount = 0
        /// Bits that fill bytes; of arithmetic-coded scans also those with which intervals begin and end.
        var paddingBitCount = 0
        var stuffedByteCount = 0
        var restartCount = 0
        /// Bytes from one restart to the next, the smallest and the largest.
        var intervalByteCounts: ClosedRange<Int>?
        /// The first MCU that cannot be decoded, and how many there are.
        var damagedMCU: Int?
        var lostMCUCount = 0
        /// Whether decoding goes on after damage, at a restart marker.
        var goesOn = false

        /// Bits of coefficients.
        var bitCount: Int { dcBitCount + acBitCount }
    }
}
