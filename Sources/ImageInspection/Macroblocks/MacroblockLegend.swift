// What stands below a picture of macroblocks: each sign and colour, what it means, and how often it occurs.

import ImageCodecsCore
import WebPLossyCodec

/// The lines of a legend, laid out for a width.
struct MacroblockLegend {
    private enum Symbol {
        case luma(VP8Macroblock.Mode)
        case subblock(VP8Macroblock.SubblockMode)
        case chroma(VP8Macroblock.Mode)
        case area(SIMD3<UInt8>)
        case edge(SIMD3<UInt8>)
    }

    private struct Entry {
        var symbol: Symbol?
        let text: String
    }

    /// A heading and what stands after it, in as many lines as it takes.
    private struct Section {
        let heading: String
        var entries: [Entry]
    }

    private var sections: [Section] = []
    private let width: Int

    private static let magnification = 2
    private static let lineHeight = magnification * BitmapFont.lineHeight + 8
    private static let symbolSide = 20
    private static let gap = 8

    /// - Parameters:
    ///   - decoder: with the macroblocks.
    ///   - layers: those that are drawn.
    ///   - frame: which of several it is; `nil` for a still.
    ///   - isDetailed: whether everything is drawn that there is no room for in small macroblocks.
    ///   - width: pixels in a line.
    init(_ decoder: VP8Decoder, _ layers: Set<MacroblockLayer>, frame: Int?, isDetailed: Bool, width: Int) {
        self.width = width
        guard let info = decoder.frameInfo else { return }
        let counts = MacroblockCounts(decoder)
        sections.append(Self.summary(decoder, info, counts, frame))
        if layers.contains(.modes) { sections += Self.modes(counts, isDetailed) }
        if layers.contains(.segments) { sections.append(Self.segments(info, counts)) }
        if layers.contains(.filter) { sections += Self.filter(info, counts, isDetailed) }
    }

    /// The narrowest legend that is laid out well.
    static let leastWidth = 760

    private static func summary(
        _ decoder: VP8Decoder, _ info: VP8FrameInfo, _ counts: MacroblockCounts, _ frame: Int?
    ) -> Section {
        let (size, grid) = (info.header.size, decoder.macroblockGrid)
        var text = "\(size.width)x\(size.height) pixels, \(grid.width)x\(grid.height) macroblocks"
        if counts.total < grid.width * grid.height { text += ", \(counts.total) decoded" }
        return Section(
            heading: frame.map { "frame \($0)" } ?? "picture",
            entries: [Entry(text: text), Entry(text: "without residue: \(counts.withoutResidue)")])
    }

    private static func modes(_ counts: MacroblockCounts, _ isDetailed: Bool) -> [Section] {
        let whole = VP8Macroblock.Mode.allCases.map {
            Entry(symbol: .luma($0), text: "\($0.words): \(counts.luma[$0, default: 0])")
        }
        let subblocks = VP8Macroblock.SubblockMode.allCases.map {
            Entry(symbol: .subblock($0), text: "\($0.words): \(counts.subblocks[$0, default: 0])")
        }
        let chroma = VP8Macroblock.Mode.allCases.map {
            Entry(symbol: .chroma($0), text: "\($0.words): \(counts.chroma[$0, default: 0])")
        }
        return [
            Section(heading: "luma", entries: whole), Section(heading: "subblocks", entries: subblocks),
            Section(
                heading: "chroma", entries: chroma + (isDetailed ? [] : [Entry(text: "drawn at scale 2 and more")])),
        ]
    }

    private static func segments(_ info: VP8FrameInfo, _ counts: MacroblockCounts) -> Section {
        guard info.segments.count > 1 else {
            return Section(heading: "segments", entries: [Entry(text: "none, quantizer \(info.quantizer)")])
        }
        let entries = info.segments.indices.map { index in
            Entry(
                symbol: .area(MacroblockColors.segments[index]),
                text: "\(index), quantizer \(info.segments[index].quantizer): \(counts.segments[index, default: 0])")
        }
        return Section(heading: "segments", entries: entries)
    }

    private static func filter(
        _ info: VP8FrameInfo, _ counts: MacroblockCounts, _ isDetailed: Bool
    ) -> [Section] {
        guard info.filterKind != .none else { return [Section(heading: "filter", entries: [Entry(text: "none")])] }
        let kind = Entry(text: "\(info.filterKind.rawValue), sharpness \(info.filterSharpness)")
        let levels = counts.levels.sorted { $0.key < $1.key }.map { level, count in
            Entry(symbol: .edge(MacroblockColors.filter(level: level)), text: "level \(level): \(count)")
        }
        let inside = Entry(text: (isDetailed ? "thin, " : "") + "edges inside: \(counts.filteredInside)")
        return [Section(heading: "filter", entries: [kind] + levels + [inside])]
    }

    // MARK: Layout

    /// Pixels from the left to where entries begin.
    private var indent: Int { ((sections.map(\.heading.count).max() ?? 0) + 2) * Self.advance }
    private static let advance = magnification * BitmapFont.advance

    private static func width(of entry: Entry) -> Int {
        (entry.symbol == nil ? 0 : symbolSide + gap) + entry.text.count * advance + 3 * gap
    }

    /// Calls `body` with each entry and where it stands; returns how many lines there are.
    @discardableResult
    private func layOut(_ body: (Entry?, _ heading: String, _ x: Int, _ line: Int) -> Void) -> Int {
        var line = 0
        for section in sections {
            body(nil, section.heading, 0, line)
            var x = indent
            for entry in section.entries {
                let entryWidth = Self.width(of: entry)
                if x > indent, x + entryWidth > width { (x, line) = (indent, line + 1) }
                body(entry, "", x, line)
                x += entryWidth
            }
            line += 1
        }
        return line
    }

    /// Pixels that it is high.
    var height: Int { layOut { _, _, _, _ in } * Self.lineHeight }

    /// Draws it.
    ///
    /// - Parameters:
    ///   - sheet: with room for it.
    ///   - origin: its upper left corner.
    func draw(on sheet: inout Bitmap, at origin: (x: Int, y: Int)) {
        let clip = PixelRect(sheet.size)
        layOut { entry, heading, x, line in
            var (x, y) = (origin.x + x, origin.y + line * Self.lineHeight)
            if let symbol = entry?.symbol {
                Self.draw(symbol, on: &sheet, x: x, y: y)
                x += Self.symbolSide + Self.gap
            }
            y += (Self.symbolSide - Self.magnification * (BitmapFont.height - 1)) / 2
            sheet.write(
                entry?.text ?? heading, x: x, y: y, with: entry == nil ? MacroblockColors.faint : MacroblockColors.text,
                magnification: Self.magnification, in: clip)
        }
    }

    private static func draw(_ symbol: Symbol, on sheet: inout Bitmap, x: Int, y: Int) {
        let place = PixelRect(x: x, y: y, width: symbolSide, height: symbolSide)
        switch symbol {
        case .luma(let mode): draw(ModeGlyph(luma: mode), MacroblockColors.luma, place, on: &sheet)
        case .subblock(let mode): draw(ModeGlyph(mode), MacroblockColors.luma, place, on: &sheet)
        case .chroma(let mode):
            sheet.draw(GlyphMask(disc: symbolSide), x: x, y: y, with: MacroblockColors.disc)
            draw(ModeGlyph(chroma: mode), MacroblockColors.chroma, place, on: &sheet)
        case .area(let color): sheet.fill(place, with: color)
        case .edge(let color):
            sheet.fill(PixelRect(x: x, y: y + symbolSide / 2 - 2, width: symbolSide, height: 4), with: color)
        }
    }

    private static func draw(
        _ glyph: ModeGlyph, _ color: SIMD3<UInt8>, _ place: PixelRect, on sheet: inout Bitmap
    ) {
        sheet.draw(glyph.mask(side: place.width, stroke: 2), x: place.x, y: place.y, with: color)
    }
}

/// How often what occurs in the macroblocks that are known.
struct MacroblockCounts {
    private(set) var total = 0
    private(set) var withoutResidue = 0
    private(set) var filteredInside = 0
    private(set) var luma: [VP8Macroblock.Mode: Int] = [:]
    private(set) var subblocks: [VP8Macroblock.SubblockMode: Int] = [:]
    private(set) var chroma: [VP8Macroblock.Mode: Int] = [:]
    private(set) var segments: [Int: Int] = [:]
    private(set) var levels: [Int: Int] = [:]

    init(_ decoder: VP8Decoder) {
        for row in 0..<decoder.macroblockRowCount {
            for column in 0..<decoder.macroblockGrid.width {
                if let macroblock = decoder.macroblock(column: column, row: row) { add(macroblock) }
            }
        }
    }

    private mutating func add(_ macroblock: VP8Macroblock) {
        total += 1
        if !macroblock.hasResidue { withoutResidue += 1 }
        if macroblock.filtersInside { filteredInside += 1 }
        switch macroblock.luma {
        case .whole(let mode): luma[mode, default: 0] += 1
        case .subblocks(let modes): for mode in modes { subblocks[mode, default: 0] += 1 }
        }
        chroma[macroblock.chroma, default: 0] += 1
        segments[macroblock.segment, default: 0] += 1
        levels[macroblock.filterLevel, default: 0] += 1
    }
}

extension VP8Macroblock.Mode {
    fileprivate var words: String {
        switch self {
        case .dc: "dc"
        case .vertical: "vertical"
        case .horizontal: "horizontal"
        case .trueMotion: "truemotion"
        }
    }
}

extension VP8Macroblock.SubblockMode {
    fileprivate var words: String {
        switch self {
        case .dc: "dc"
        case .trueMotion: "tm"
        case .vertical: "ve"
        case .horizontal: "he"
        case .leftDown: "ld"
        case .rightDown: "rd"
        case .verticalRight: "vr"
        case .verticalLeft: "vl"
        case .horizontalDown: "hd"
        case .horizontalUp: "hu"
        }
    }
}
