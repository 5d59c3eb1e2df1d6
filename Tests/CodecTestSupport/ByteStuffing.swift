// Bytes as they stand in a JPEG file's entropy-coded segments.

extension [UInt8] {
    /// The bytes with a zero after each 0xFF, so that none begins a marker (ITU-T T.81 §B.1.1.5 "Entropy-coded data
    /// segments").
    package var stuffed: [UInt8] { flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] } }
}
