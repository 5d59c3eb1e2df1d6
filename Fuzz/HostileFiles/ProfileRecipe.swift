// ICC profiles that are hardly more than a description: a header, a tag table, a text in either form.

package import CodecTestSupport

/// The bytes of a profile.
///
/// - Source: ICC.1:2022 §7.2 "Profile header", §7.3 "Tag table", §10.15 "multiLocalizedUnicodeType"; ICC.1:2001-04 §6.5.17
///   "textDescriptionType".
package enum ProfileRecipe {
    /// Any profile: mostly one with a description, its numbers now and then beyond what there is.
    package static func any(_ source: inout DecisionSource) -> [UInt8] {
        if source.oneIn(6) { return source.bytes(source.below(200)) }
        let tagCount = source.pick([1, 1, 3, 0, 2000])
        let written = min(tagCount, 4)
        let element = source.oneIn(2) ? textDescription(&source) : localizedTexts(&source)
        var profile = [UInt8](repeating: 0, count: 128) + number(tagCount)
        let start = profile.count + 12 * written
        for tag in 0..<written {
            let name = tag == written - 1 ? "desc" : source.pick(["rXYZ", "cprt", "desc"])
            let offset = source.isFault(oneIn: 8) ? source.pick([0, start + element.count, 0xFFFF_FFFF]) : start
            let byteCount = source.isFault(oneIn: 8) ? source.pick([0, 11, 0xFFFF_FFFF]) : element.count
            profile += Array(name.utf8) + number(offset) + number(byteCount)
        }
        profile += element
        return source.isFault(oneIn: 8) ? Array(profile.prefix(source.below(profile.count + 1))) : profile
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func textDescription(_ source: inout DecisionSource) -> [UInt8] {
        let text = source.bytes(source.below(40)).map { $0 & 0x7F } + [0]
        let count = source.isFault(oneIn: 5) ? source.pick([0, 0xFFFF_FFFF]) : text.count
        return Array("desc".utf8) + number(0) + number(count) + text
    }

    private static func localizedTexts(_ source: inout DecisionSource) -> [UInt8] {
        let count = source.below(4)
        let recordByteCount = source.isFault(oneIn: 6) ? source.pick([0, 11, 16, 0xFFFF_FFFF]) : 12
        let text = source.bytes(2 * source.below(30))
        var element = Array("mluc".utf8) + number(0)
        element += number(source.isFault(oneIn: 6) ? 0xFFFF_FFFF : count) + number(recordByteCount)
        for _ in 0..<count {
            let offset = source.isFault(oneIn: 6) ? source.pick([0, 0xFFFF_FFFF]) : 16 + 12 * count
            let byteCount = source.isFault(oneIn: 6) ? 0xFFFF_FFFF : text.count
            element += Array(source.pick(["enUS", "deDE", "zhCN"]).utf8) + number(byteCount) + number(offset)
        }
        return element + text
    }
}
