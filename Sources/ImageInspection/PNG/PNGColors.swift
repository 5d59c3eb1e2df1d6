// The palette of a PNG picture as a table, and the passes of an interlaced one as pictures.

import ImageCodecs
import ImageCodecsCore
import PNGCodec

extension FileMap {
    /// Colours of PLTE with their opacity.
    mutating func addPalette(_ data: ImageData) {
        func body(_ name: String, most: Int) -> [UInt8]? {
            guard let part = listing.parts.first(where: { $0.name == name }), let count = part.byteCount else {
                return nil
            }
            return data.bytes(part.offset + 8..<part.offset + 8 + min(count, most))
        }
        guard let colors = body("PLTE", most: 768) else { return }
        let alpha = body("tRNS", most: 256) ?? []
        var table = Table(title: "", columns: ["index", "color", "opacity"], rows: [], colorColumn: 1)
        for index in 0..<colors.count / 3 {
            let opacity = index < alpha.count ? Int(alpha[index]) : 255
            table.rows.append([
                "\(index)", Self.colorName(colors[3 * index], colors[3 * index + 1], colors[3 * index + 2]),
                "\(opacity)",
            ])
        }
        sections.append(
            Section(
                title: "Palette", introduction: "Pixels are numbers of these colors.",
                tables: [table]))
    }

    /// `#rrggbb`.
    static func colorName(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> String {
        let number = 1 << 24 | Int(red) << 16 | Int(green) << 8 | Int(blue)
        return "#" + String(number, radix: 16).dropFirst()
    }

    /// What shows after each pass, the gaps filled from above and the left.
    mutating func addPasses(_ header: ImageHeader, _ build: MapBuild) throws(ImageError) {
        var options = DecodingOptions()
        (options.limits, options.strictness, options.pixelFormat) = (build.limits, .tolerant, .rgb)
        (options.firstFrameOnly, options.appliesOrientation) = (true, false)
        guard let image = try? RasterImage(build.data, options: options), image.bitmap.size == header.size else {
            return
        }
        let grid = build.grid(header.size)
        let steps: [(column: Int, row: Int)] = [(8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2)]
        let passes = Adam7.passes(of: header.size).map(\.number)
        for (index, step) in steps.enumerated() where passes.contains(index + 1) {
            var values = try LayerValues(grid, meter: build.meter)
            for y in stride(from: 0, to: header.size.height, by: grid.step) {
                image.bitmap.withRow(y - y % step.row) { row in
                    for x in stride(from: 0, to: header.size.width, by: grid.step) {
                        let pixel = 3 * (x - x % step.column)
                        let color = Int(row[pixel]) << 16 | Int(row[pixel + 1]) << 8 | Int(row[pixel + 2])
                        values.set(color, column: x, row: y)
                    }
                }
            }
            layers.append(
                values.layer(
                    "pass-\(index + 1)", "After pass \(index + 1)",
                    "The picture when \(index + 1) of the 7 passes of Adam7 are there, gaps filled with the pixel above and to the left.",
                    .colors))
        }
    }
}
