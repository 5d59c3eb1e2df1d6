// The macroblocks of a lossy picture, drawn over it.
//
//     ═══╤═══   a macroblock's left and upper edge in the colour of its filter level, edges inside thin if they are filtered
//     ║ │ \ ·   the sign of each subblock's mode, or one for all luma
//     ║─(+)─    in the middle, on a disc, that of chroma
//     ║ / │ +   all of it in the colour of the segment

import ImageCodecsCore
import WebPLossyCodec

/// Draws macroblocks on a sheet.
struct MacroblockMap {
    /// The macroblocks.
    let decoder: VP8Decoder
    let layers: Set<MacroblockLayer>
    /// Pixels of the sheet for each pixel of the picture.
    let scale: Int

    private let subblockMasks: [VP8Macroblock.SubblockMode: GlyphMask]
    private let lumaMasks: [VP8Macroblock.Mode: GlyphMask]
    private let chromaMasks: [VP8Macroblock.Mode: GlyphMask]
    private let disc: GlyphMask

    init(_ decoder: VP8Decoder, _ layers: Set<MacroblockLayer>, scale: Int) {
        (self.decoder, self.layers, self.scale) = (decoder, layers, scale)
        let stroke = max(1, Double(scale) * 0.42)
        let chromaSide = Self.chromaSide(scale)
        subblockMasks = Self.masks { ModeGlyph($0).mask(side: 4 * scale, stroke: stroke) }
        lumaMasks = Self.masks { ModeGlyph(luma: $0).mask(side: 16 * scale, stroke: max(1.2, stroke)) }
        chromaMasks = Self.masks { ModeGlyph(chroma: $0).mask(side: chromaSide, stroke: stroke) }
        disc = GlyphMask(disc: chromaSide)
    }

    private static func masks<Mode: CaseIterable & Hashable>(_ mask: (Mode) -> GlyphMask) -> [Mode: GlyphMask] {
        Dictionary(uniqueKeysWithValues: Mode.allCases.map { ($0, mask($0)) })
    }

    /// Of the disc behind its sign, which leaves the signs of the subblocks around it free.
    private static func chromaSide(_ scale: Int) -> Int { max(7, 5 * scale / 2) }

    /// Whether there is room for chroma, for edges inside, and for seams around signs.
    var isDetailed: Bool { scale > 1 }

    /// Pixels of a macroblock.
    private var side: Int { 16 * scale }

    /// Pixels of all macroblocks.
    var size: PixelSize {
        PixelSize(width: decoder.macroblockGrid.width * side, height: decoder.macroblockGrid.height * side)
    }

    /// Draws every macroblock that is known.
    ///
    /// - Parameters:
    ///   - sheet: with the picture.
    ///   - origin: where the picture's upper left corner is on it.
    func draw(on sheet: inout Bitmap, at origin: (x: Int, y: Int)) {
        if layers.contains(.segments), (decoder.frameInfo?.segments.count ?? 0) > 1 {
            forEach(at: origin) { macroblock, place, _, _ in
                sheet.tint(place, with: MacroblockColors.segments[macroblock.segment], opacity: 96)
            }
        }
        darkenOutside(of: &sheet, at: origin)
        forEach(at: origin) { macroblock, place, column, row in
            drawEdges(of: macroblock, column, row, place, on: &sheet)
            if layers.contains(.modes) { drawModes(of: macroblock, place, on: &sheet) }
        }
    }

    private func forEach(
        at origin: (x: Int, y: Int),
        _ body: (_ macroblock: VP8Macroblock, _ place: PixelRect, _ column: Int, _ row: Int) -> Void
    ) {
        for row in 0..<decoder.macroblockRowCount {
            for column in 0..<decoder.macroblockGrid.width {
                guard let macroblock = decoder.macroblock(column: column, row: row) else { continue }
                let (x, y) = (origin.x + column * side, origin.y + row * side)
                body(macroblock, PixelRect(x: x, y: y, width: side, height: side), column, row)
            }
        }
    }

    /// What the last macroblocks have beyond the picture.
    private func darkenOutside(of sheet: inout Bitmap, at origin: (x: Int, y: Int)) {
        guard let picture = decoder.header?.size else { return }
        let (width, height) = (scale * picture.width, scale * picture.height)
        let right = PixelRect(
            x: origin.x + width, y: origin.y, width: size.width - width, height: size.height)
        let below = PixelRect(x: origin.x, y: origin.y + height, width: width, height: size.height - height)
        for rect in [right, below] { sheet.tint(rect, with: MacroblockColors.outside, opacity: 144) }
    }

    /// The edges that a macroblock's filter level counts for: the left and the upper one, and those inside of it.
    private func drawEdges(
        of macroblock: VP8Macroblock, _ column: Int, _ row: Int, _ place: PixelRect, on sheet: inout Bitmap
    ) {
        let showsFilter = layers.contains(.filter)
        let level = showsFilter ? macroblock.filterLevel : 0
        let color = MacroblockColors.filter(level: level)
        if showsFilter, macroblock.filtersInside, isDetailed {
            for subblock in 1..<4 {
                let offset = 4 * subblock * scale
                let upright = PixelRect(x: place.x + offset, y: place.y, width: 1, height: side)
                let level = PixelRect(x: place.x, y: place.y + offset, width: side, height: 1)
                sheet.tint(upright, with: color, opacity: 104)
                sheet.tint(level, with: color, opacity: 104)
            }
        }
        // No edge of the picture is filtered.
        func edge(_ rect: PixelRect, isInPicture: Bool) {
            let isFiltered = isInPicture && level > 0
            sheet.tint(
                rect, with: isFiltered ? color : MacroblockColors.unfiltered,
                opacity: isFiltered && isDetailed ? 255 : 128)
        }
        let width = level > 0 ? max(1, scale / 2) : 1
        edge(
            PixelRect(x: place.x, y: place.y, width: column > 0 ? width : 1, height: side),
            isInPicture: column > 0)
        edge(PixelRect(x: place.x, y: place.y, width: side, height: row > 0 ? width : 1), isInPicture: row > 0)
    }

    private func drawModes(of macroblock: VP8Macroblock, _ place: PixelRect, on sheet: inout Bitmap) {
        switch macroblock.luma {
        case .whole(let mode): draw(lumaMasks[mode], place, on: &sheet)
        case .subblocks(let modes):
            let width = 4 * scale
            for (index, mode) in modes.enumerated() {
                let (x, y) = (place.x + index % 4 * width, place.y + index / 4 * width)
                draw(subblockMasks[mode], PixelRect(x: x, y: y, width: width, height: width), on: &sheet)
            }
        }
        guard isDetailed else { return }
        let middle = place.middle(for: PixelSize(width: disc.side, height: disc.side))
        sheet.draw(disc, x: middle.x, y: middle.y, with: MacroblockColors.disc)
        guard let mask = chromaMasks[macroblock.chroma] else { return }
        sheet.draw(mask, x: middle.x, y: middle.y, with: MacroblockColors.chroma)
    }

    private func draw(_ mask: GlyphMask?, _ place: PixelRect, on sheet: inout Bitmap) {
        guard let mask else { return }
        let opacity = isDetailed ? 255 : 112
        sheet.draw(
            mask, x: place.x, y: place.y, with: MacroblockColors.luma, opacity: opacity, hasSeam: isDetailed)
    }
}

extension Bitmap {
    /// Mixes a colour into the pixels of a rectangle that are in the bitmap.
    ///
    /// - Parameter opacity: 0...255, how much of it.
    mutating func tint(_ rect: PixelRect, with color: SIMD3<UInt8>, opacity: Int) {
        let area = rect.intersection(PixelRect(size))
        guard !area.isEmpty else { return }
        for y in area.y..<area.y + area.height {
            withSheetRow(y) { row in
                for index in 3 * area.x..<3 * (area.x + area.width) {
                    row[index] = row[index].mixed(with: color[index % 3], opacity: opacity)
                }
            }
        }
    }

    /// Draws a sign as far as it is in the bitmap, its seam first.
    ///
    /// - Parameter opacity: 0...255, of the sign.
    mutating func draw(
        _ mask: GlyphMask, x: Int, y: Int, with color: SIMD3<UInt8>, opacity: Int = 255, hasSeam: Bool = true
    ) {
        let area = PixelRect(x: x, y: y, width: mask.side, height: mask.side).intersection(PixelRect(size))
        guard !area.isEmpty else { return }
        for line in area.y..<area.y + area.height {
            withSheetRow(line) { row in
                for column in area.x..<area.x + area.width {
                    let place = (line - y) * mask.side + column - x
                    let seam = hasSeam ? Int(mask.seam[place]) * 3 / 4 : 0
                    let coverage = Int(mask.coverage[place]) * opacity / 255
                    if seam == 0, coverage == 0 { continue }
                    for channel in 0..<3 {
                        let dark = row[3 * column + channel].mixed(with: 0, opacity: seam)
                        row[3 * column + channel] = dark.mixed(with: color[channel], opacity: coverage)
                    }
                }
            }
        }
    }
}

extension UInt8 {
    /// This value with a part of another in it.
    fileprivate func mixed(with other: UInt8, opacity: Int) -> UInt8 {
        UInt8((Int(self) * (255 - opacity) + Int(other) * opacity + 127) / 255)
    }
}
