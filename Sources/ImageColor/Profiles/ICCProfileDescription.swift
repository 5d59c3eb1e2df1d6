// What an ICC profile is called, for people: the one thing that is read of a profile here.
//
// In: the profile's bytes, from anywhere. Out: its description, cut to a bound. Nothing is followed but one entry of the
// tag table and one record of the text it leads to.

import ImageCodecsCore

/// The description in an ICC profile: `sRGB IEC61966-2.1`, `Display P3`.
///
/// - Source: ICC.1:2022 §7.2 "Profile header", §7.3 "Tag table", §9.2.41 "profileDescriptionTag", §10.15
///   "multiLocalizedUnicodeType"; ICC.1:2001-04 §6.5.17 "textDescriptionType" for version 2.
package enum ICCProfileDescription {
    private static let headerByteCount = 128
    private static let tagByteCount = 12
    /// More tags than this are in no profile; those after are not looked at.
    private static let maxTagCount = 1024
    private static let maxRecordCount = 1024
    /// The most bytes of the text that are read.
    private static let maxTextByteCount = 512

    /// The text of the `desc` tag; `nil` if there is none, or none that can be read.
    package static func text(of profile: Span<UInt8>) -> String? {
        guard let range = descriptionRange(profile) else { return nil }
        let element = profile.extracting(range)
        let text: String? =
            if element.hasBytes("desc") {
                ascii(element)
            } else if element.hasBytes("mluc") {
                localized(element)
            } else {
                nil
            }
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Where the bytes are that the `desc` entry of the tag table leads to.
    private static func descriptionRange(_ profile: Span<UInt8>) -> Range<Int>? {
        guard profile.count >= headerByteCount + 4 else { return nil }
        let room = (profile.count - headerByteCount - 4) / tagByteCount
        let wanted = Int(clamping: profile.bigEndianUInt32(at: headerByteCount))
        for index in 0..<min(wanted, room, maxTagCount) {
            let entry = headerByteCount + 4 + index * tagByteCount
            guard profile.extracting(droppingFirst: entry).hasBytes("desc") else { continue }
            let offset = Int(clamping: profile.bigEndianUInt32(at: entry + 4))
            let byteCount = Int(clamping: profile.bigEndianUInt32(at: entry + 8))
            guard offset <= profile.count else { return nil }
            return offset..<offset + min(byteCount, profile.count - offset)
        }
        return nil
    }

    /// Version 2: a count, zero byte included, and that many ASCII characters.
    private static func ascii(_ element: Span<UInt8>) -> String? {
        guard element.count >= 12 else { return nil }
        let count = min(Int(clamping: element.bigEndianUInt32(at: 8)), element.count - 12, maxTextByteCount)
        var bytes: [UInt8] = []
        for at in 12..<12 + count {
            if element[at] == 0 { break }
            bytes.append(element[at])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Version 4: texts in several languages as UTF-16, of which the English one is used, or else the first.
    private static func localized(_ element: Span<UInt8>) -> String? {
        guard element.count >= 16 else { return nil }
        let recordByteCount = Int(clamping: element.bigEndianUInt32(at: 12))
        guard recordByteCount >= 12 else { return nil }
        let room = (element.count - 16) / recordByteCount
        let count = min(Int(clamping: element.bigEndianUInt32(at: 8)), room, maxRecordCount)
        guard count > 0 else { return nil }
        let english = (0..<count).first {
            element.extracting(droppingFirst: 16 + $0 * recordByteCount).hasBytes("en")
        }
        let record = 16 + (english ?? 0) * recordByteCount
        let byteCount = Int(clamping: element.bigEndianUInt32(at: record + 4))
        let offset = Int(clamping: element.bigEndianUInt32(at: record + 8))
        guard offset <= element.count else { return nil }
        return utf16(element.extracting(offset..<offset + min(byteCount, element.count - offset, maxTextByteCount)))
    }

    private static func utf16(_ bytes: Span<UInt8>) -> String {
        var units: [UInt16] = []
        for index in 0..<bytes.count / 2 {
            let unit = bytes.bigEndianUInt16(at: 2 * index)
            if unit == 0 { break }
            units.append(unit)
        }
        return String(decoding: units, as: UTF16.self)
    }
}
