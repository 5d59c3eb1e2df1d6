// From the bytes of an ICC profile to a model of its colours.
//
// In: bytes from anywhere. Out: a validated `ColorProfile`, or an error with a stable code. Stages: header, tag table, then the tags
// that the model needs; every table is read whole before it is used.
//
// Source: ICC.1:2022 (version 4) and ICC.1:2001-04 (version 2).

import ImageCodecsCore

extension ColorProfile {
    /// Reads an ICC profile of version 2 or 4: input, display, output or colour space class; gray, RGB or CMYK; curves with a matrix
    /// (`rTRC`, `rXYZ` and so on), a gray curve (`kTRC`), or tables (`A2B0`, `A2B1`, `A2B2` as `mft1`, `mft2`, `mAB `). Tables
    /// are preferred. Of printers with four inks the inks of a colour are read too (`B2A0` as `mft1`, `mft2`, `mBA `): black is what they
    /// print for it. For absolute colorimetry `wtpt` is read, for people `desc` and `chad`.
    /// Floating-point tags (`D2B0`) are passed over.
    ///
    /// - Throws: `ICCProfileError`.
    public init(icc bytes: [UInt8]) throws(ICCProfileError) {
        self = try ICCProfileReader(bytes).profile()
    }
}

/// Reads one profile.
struct ICCProfileReader {
    /// The largest profile that is read; those of printing presses take 0.5 to 3 MB.
    static let maxByteCount = 16 << 20
    /// The most tags of a profile.
    static let maxTagCount = 256

    let bytes: [UInt8]
    private let tags: [String: Range<Int>]
    private let channels: ColorProfile.Channels
    private let connectsToLab: Bool
    private let isVersion4: Bool

    init(_ bytes: [UInt8]) throws(ICCProfileError) {
        guard bytes.count >= 132 else { throw ICCProfileError(.truncated, at: bytes.count) }
        guard bytes.hasBytes("acsp", at: 36) else { throw ICCProfileError(.notAProfile, at: 36) }
        guard bytes.count <= Self.maxByteCount else { throw ICCProfileError(.tooLarge, at: 0) }
        guard ["scnr", "mntr", "prtr", "spac"].contains(bytes.signature(at: 12)) else {
            throw ICCProfileError(.unsupportedClass, at: 12)
        }
        switch bytes.signature(at: 16) {
        case "GRAY": channels = .gray
        case "RGB ": channels = .rgb
        case "CMYK": channels = .cmyk
        default: throw ICCProfileError(.unsupportedColorSpace, at: 16)
        }
        switch bytes.signature(at: 20) {
        case "XYZ ": connectsToLab = false
        case "Lab ": connectsToLab = true
        default: throw ICCProfileError(.unsupportedConnectionSpace, at: 20)
        }
        isVersion4 = bytes[8] >= 4
        self.bytes = bytes
        tags = try Self.tagTable(bytes)
    }

    /// §7.3 "Tag table". Of two tags of one signature the first counts.
    private static func tagTable(_ bytes: [UInt8]) throws(ICCProfileError) -> [String: Range<Int>] {
        let count = Int(bytes.word32(at: 128))
        guard count <= maxTagCount else { throw ICCProfileError(.tooLarge, at: 128) }
        guard bytes.count >= 132 + 12 * count else { throw ICCProfileError(.truncated, at: bytes.count) }
        var tags: [String: Range<Int>] = [:]
        for index in 0..<count {
            let entry = 132 + 12 * index
            let (offset, size) = (
                Int(bytes.word32(at: entry + 4)), Int(bytes.word32(at: entry + 8))
            )
            let name = bytes.signature(at: entry)
            guard tags[name] == nil else { continue }
            // Some writers leave out the padding of the last tag or count it twice: what is there is read.
            guard offset + 8 <= bytes.count else { continue }
            tags[name] = offset..<min(offset + size, bytes.count)
        }
        return tags
    }

    func profile() throws(ICCProfileError) -> ColorProfile {
        ColorProfile(
            channels: channels, name: bytes.withSpan { ICCProfileDescription.text(of: $0) } ?? "", model: try model(),
            mediaWhite: mediaWhite(), deviceWhite: deviceWhite(), isPrinter: isPrinter, printing: try printing(),
            isVersion4: isVersion4)
    }

    /// How a printer prints colours with four inks, perceptually.
    private func printing() throws(ICCProfileError) -> ProfileTable? {
        guard channels == .cmyk, isPrinter, let range = tags["B2A0"] else { return nil }
        return try table("B2A0", range, isToDevice: true)
    }

    private var isPrinter: Bool { bytes.signature(at: 12) == "prtr" }

    private func model() throws(ICCProfileError) -> ColorProfile.Model {
        var tables: [ProfileTable?] = []
        for name in ["A2B0", "A2B1", "A2B2"] {
            tables.append(
                try tags[name].map { range throws(ICCProfileError) in
                    try table(name, range, isToDevice: false)
                })
        }
        if tables.contains(where: { $0 != nil }) { return .tables(tables) }
        switch channels {
        case .gray: return .gray(try curve("kTRC"), connectsToLab ? .lab : .xyz)
        case .rgb:
            guard !connectsToLab else { throw ICCProfileError(.missingTag, tag: "A2B0", at: 128) }
            var (curves, colorants): ([ToneCurve], [SIMD4<Double>]) = ([], [])
            for name in ["r", "g", "b"] {
                curves.append(try curve(name + "TRC"))
                colorants.append(try tristimulus(name + "XYZ"))
            }
            return .matrix(curves, Matrix3(columns: colorants[0], colorants[1], colorants[2]))
        case .cmyk: throw ICCProfileError(.missingTag, tag: "A2B0", at: 128)
        }
    }

    /// The lightest colour of a print or of what was scanned. That of displays is the white of the connection space, whatever version 2 of
    /// the specification lets profiles say (ICC.1:2022 §9.2 "Tag listing", mediaWhitePointTag).
    private func mediaWhite() -> SIMD4<Double> {
        guard bytes.signature(at: 12) != "mntr", let white = try? tristimulus("wtpt"), white.y > 0 else {
            return Whites.d50
        }
        return white
    }

    /// The white that a device was measured with (`chad` makes D50 of it); `nil` if the profile does not say, or the matrix cannot be undone.
    ///
    /// Nothing is converted by it: tables, matrices and the white of the medium are for D50 already.
    ///
    /// - Source: ICC.1:2022 §9.2.15 "chromaticAdaptationTag", §10.22 "s15Fixed16ArrayType".
    private func deviceWhite() -> SIMD4<Double>? {
        guard let range = tags["chad"], range.count >= 44, bytes.hasBytes("sf32", at: range.lowerBound) else {
            return nil
        }
        let matrix = Matrix3(rows: (0..<9).map { bytes.fixed16(at: range.lowerBound + 8 + 4 * $0) })
        return matrix.inverse.map { $0 * Whites.d50 }
    }

    private func range(_ name: String) throws(ICCProfileError) -> Range<Int> {
        guard let range = tags[name] else { throw ICCProfileError(.missingTag, tag: name, at: 128) }
        return range
    }

    /// §10.31 "XYZType".
    private func tristimulus(_ name: String) throws(ICCProfileError) -> SIMD4<Double> {
        let range = try range(name)
        guard bytes.hasBytes("XYZ ", at: range.lowerBound) else {
            throw ICCProfileError(.unsupportedTagType, tag: name, at: range.lowerBound)
        }
        guard range.count >= 20 else { throw ICCProfileError(.truncated, tag: name, at: range.upperBound) }
        let at = range.lowerBound + 8
        return SIMD4(bytes.fixed16(at: at), bytes.fixed16(at: at + 4), bytes.fixed16(at: at + 8), 0)
    }

    private func curve(_ name: String) throws(ICCProfileError) -> ToneCurve {
        try CurveReader(bytes: bytes, tag: name).curve(in: try range(name)).curve
    }

    private func table(
        _ name: String, _ range: Range<Int>, isToDevice: Bool
    ) throws(ICCProfileError) -> ProfileTable {
        let reader = LookupReader(
            bytes: bytes, tag: name, range: range, channelCount: channels.rawValue, connectsToLab: connectsToLab,
            isToDevice: isToDevice)
        return try reader.table()
    }
}

extension [UInt8] {
    /// An unsigned number of 32 bits.
    func word32(at offset: Int) -> UInt32 { withSpan { $0.bigEndianUInt32(at: offset) } }

    /// An unsigned number of 16 bits.
    func word16(at offset: Int) -> UInt16 { withSpan { $0.bigEndianUInt16(at: offset) } }

    /// Whether these characters stand there.
    func hasBytes(_ text: String, at offset: Int) -> Bool { withSpan { $0.hasBytes(text, at: offset) } }

    /// Four characters.
    func signature(at offset: Int) -> String {
        String(decoding: (0..<4).map { self[offset + $0] }, as: UTF8.self)
    }

    /// A signed number with 16 bits after the point (§4.6 "s15Fixed16Number").
    func fixed16(at offset: Int) -> Double {
        Double(Int32(bitPattern: word32(at: offset))) / 65536
    }
}
