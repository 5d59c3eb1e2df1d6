// Marker codes: the second byte of 0xFF, code.

/// A marker code.
///
/// - Source: ITU-T T.81 (1992) §B.1.1.3 "Marker assignments", table B.1.
package struct Marker: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// For temporary private use in arithmetic coding; stands alone.
    package static let tem = Marker(rawValue: 0x01)
    /// Start of frame, baseline DCT.
    package static let sof0 = Marker(rawValue: 0xC0)
    /// Start of frame, extended sequential DCT.
    package static let sof1 = Marker(rawValue: 0xC1)
    /// Start of frame, progressive DCT.
    package static let sof2 = Marker(rawValue: 0xC2)
    /// Start of frame, lossless.
    package static let sof3 = Marker(rawValue: 0xC3)
    /// Start of frame, extended sequential DCT with arithmetic coding.
    package static let sof9 = Marker(rawValue: 0xC9)
    /// Start of frame, progressive DCT with arithmetic coding.
    package static let sof10 = Marker(rawValue: 0xCA)
    /// Define Huffman tables.
    package static let dht = Marker(rawValue: 0xC4)
    /// Reserved for extensions of JPEG; shares the SOF range.
    package static let jpg = Marker(rawValue: 0xC8)
    /// Define arithmetic coding conditioning.
    package static let dac = Marker(rawValue: 0xCC)
    /// Start of image.
    package static let soi = Marker(rawValue: 0xD8)
    /// End of image.
    package static let eoi = Marker(rawValue: 0xD9)
    /// Start of scan.
    package static let sos = Marker(rawValue: 0xDA)
    /// Define quantisation tables.
    package static let dqt = Marker(rawValue: 0xDB)
    /// Define number of lines.
    package static let dnl = Marker(rawValue: 0xDC)
    /// Define restart interval.
    package static let dri = Marker(rawValue: 0xDD)
    /// Application segment 0: JFIF.
    package static let app0 = Marker(rawValue: 0xE0)
    /// Application segment 1: Exif, XMP.
    package static let app1 = Marker(rawValue: 0xE1)
    /// Application segment 2: ICC profile, multi-picture format.
    package static let app2 = Marker(rawValue: 0xE2)
    /// Application segment 13: Photoshop resources, IPTC.
    package static let app13 = Marker(rawValue: 0xED)
    /// Application segment 14: Adobe.
    package static let app14 = Marker(rawValue: 0xEE)
    /// Comment.
    package static let com = Marker(rawValue: 0xFE)

    /// The number of a restart marker, 0...7.
    package var restartNumber: Int? { rawValue & 0xF8 == 0xD0 ? Int(rawValue & 7) : nil }

    /// Whether it starts a frame, of whatever process.
    package var isStartOfFrame: Bool { rawValue & 0xF0 == 0xC0 && self != .dht && self != .jpg && self != .dac }

    /// Whether it stands alone, without a length and a body.
    package var isStandalone: Bool {
        restartNumber != nil || self == .soi || self == .eoi || self == .tem
    }

    /// Whether its code is below SOF0: reserved, or TEM. Nothing that this package decodes has such markers, so that
    /// after the first SOS segment they are damaged data.
    package var isReserved: Bool { rawValue < Self.sof0.rawValue }

    /// Whether coded data end before it, as far as can be told without decoding them: restart markers stand in them,
    /// and so do reserved ones, which are damaged data.
    package var endsCodedData: Bool { restartNumber == nil && !isReserved }

    /// The number in `SOFn`, for messages.
    package var startOfFrameName: String { "SOF\(rawValue & 0x0F)" }
}
