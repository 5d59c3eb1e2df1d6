// The bytes of a file on the page: a strip, what its bits are spent on, and its parts.

import ImageCodecs
import ImageInspection

/// Sections about bytes.
enum PageBytes {
    /// Parts after these are not in the table.
    private static let maxPartCount = 1000
    /// Regions after these are drawn as one.
    private static let maxRegionCount = 600

    /// A colour for each use of bits, told apart in light and dark.
    static func color(of kind: BitAccount.Kind) -> UInt32 {
        switch kind {
        case .pixels: 0x2F7FC1
        case .coding: 0x5BA84C
        case .structure: 0x8A8A96
        case .header: 0xE0A100
        case .metadata: 0xB0479B
        case .padding: 0xC9C9C9
        case .unknown: 0xD43D2A
        }
    }

    /// What a use of bits is called.
    static func words(_ kind: BitAccount.Kind) -> String {
        switch kind {
        case .pixels: "picture"
        case .coding: "how it is coded"
        case .structure: "frame of the format"
        case .header: "header and colors"
        case .metadata: "metadata"
        case .padding: "filling"
        case .unknown: "not read"
        }
    }

    static func swatch(_ kind: BitAccount.Kind) -> HTML {
        "<span class=\"swatch\" style=\"background:\(color(of: kind).htmlColor)\"></span>"
    }

    /// All bits, by what they are for.
    static func account(_ map: FileMap) -> HTML {
        let all = map.account.bitCount
        let rows = map.account.entries.map { entry in
            HTML(
                """
                <tr><td>\(swatch(entry.kind))\(words(entry.kind))</td><td>\(entry.name)</td><td>\(entry.bitCount)</td>\
                <td>\(share(entry.bitCount, all))</td></tr>

                """)
        }
        return """
            <p>Every bit of the file, each counted once.</p>
            \(bar(map))
            <div class="scroll" tabindex="0" role="group" aria-label="Bits by use"><table><caption>Bits by use</caption>
            <thead><tr><th scope="col">for</th><th scope="col">what</th><th scope="col">bits</th><th scope="col">share</th></tr></thead>
            <tbody>\(rows)</tbody>
            <tfoot><tr><th scope="row" colspan="2">the file</th><td>\(all)</td><td>100 %</td></tr></tfoot></table></div>

            """
    }

    /// The bits as a strip.
    static func bar(_ map: FileMap) -> HTML {
        let bars = map.account.entries.map { entry in
            HTML("<span style=\"flex-grow:\(entry.bitCount);background:\(color(of: entry.kind).htmlColor)\"></span>")
        }
        return "<div class=\"strip\" aria-hidden=\"true\">\(bars)</div>"
    }

    private static func share(_ part: Int, _ whole: Int) -> String {
        whole == 0 ? "" : (100 * Double(part) / Double(whole)).fixed(1) + " %"
    }

    /// The strip of the file, and the list of its parts.
    static func parts(_ structure: FileStructure, _ map: FileMap) -> HTML {
        let regions = map.regions.prefix(maxRegionCount)
        let shown = min(map.listing.parts.count, maxPartCount)
        let links = regions.map { region in
            let style: HTML = "style=\"flex-grow:\(region.byteCount);background:\(color(of: region.kind).htmlColor)\""
            let title = "\(region.name): \(region.byteCount.counted("byte")) from byte \(region.offset)"
            guard region.partIndex < shown else { return HTML("<span \(style) title=\"\(title)\"></span>") }
            return HTML("<a href=\"#part-\(region.partIndex)\" tabindex=\"-1\" title=\"\(title)\" \(style)></a>")
        }
        let kinds = BitAccount.Kind.allCases.filter { kind in regions.contains { $0.kind == kind } }
        let legend = kinds.map { HTML("<li>\(swatch($0))\(words($0))</li>") }
        let omission: HTML =
            map.regions.count > regions.count
            ? "<p class=\"note\">The first \(regions.count) of \(map.regions.count) runs of parts are drawn.</p>" : ""
        return """
            <p>From the first byte to the last; each color is a use. A click leads to the part. \(lengths(map.listing.format))</p>
            <div class="strip" aria-hidden="true">\(links)</div><ul class="legend">\(legend)</ul>\(omission)
            \(table(structure, shown))
            """
    }

    /// What the lengths of parts leave out.
    private static func lengths(_ format: ImageFormat) -> String {
        switch format {
        case .gif: ""
        case .jpeg:
            "Lengths below are without marker and length. Coded data follow SOS: its row says how many bytes they are."
        case .png, .apng: "Lengths below are without length, type and checksum."
        default: "Lengths below are without type and length."
        }
    }

    private static func table(_ structure: FileStructure, _ shown: Int) -> HTML {
        let listing = structure.listing
        let rows = zip(0..., listing.parts.prefix(shown)).map { index, part in
            let damage: HTML = part.damage.map { "<span class=\"problem\">\($0)</span> " } ?? ""
            let remarks = part.details.map(\.remark).filter { !$0.isEmpty }
            let whole = structure.textOfPart(index) ?? ""
            // A comment's summary is how it begins.
            let summary = whole.hasPrefix(part.summary) ? "" : part.summary
            let text = ([summary] + remarks + [whole]).filter { !$0.isEmpty }
            return HTML(
                """
                <tr id="part-\(index)"><td>\(part.offset)</td><td>\(part.byteCount.map(String.init) ?? "")</td><td>\(part.name)</td>\
                <td class="long">\(damage)\(text.joined(separator: "; "))</td></tr>

                """)
        }
        let rest = listing.parts.count - shown
        let omission: HTML =
            rest > 0 || listing.isCut
            ? "<p class=\"note\">\(rest > 0 ? "\(rest) more are" : "More are") not listed.</p>" : ""
        return """
            <div class="scroll" tabindex="0" role="group" aria-label="Parts of the file"><table><caption>Parts</caption>
            <thead><tr><th scope="col">offset</th><th scope="col">length</th><th scope="col">\(listing.vocabulary.name)</th>\
            <th scope="col">what it says</th></tr></thead><tbody>\(rows)</tbody></table></div>\(omission)

            """
    }
}
