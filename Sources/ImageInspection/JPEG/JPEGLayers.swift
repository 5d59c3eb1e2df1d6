// Layers of a JPEG picture: bits of MCUs, coefficients that are not zero, and the picture of DC coefficients alone.

import ImageCodecsCore
import JPEGBaselineCodec

extension FileMap {
    mutating func addJPEGLayers(
        _ geometry: FrameGeometry, _ walk: JPEGWalk, _ tables: [QuantizationTable?], isRGB: Bool, _ build: MapBuild,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        let isColor = geometry.components.count > 1
        layers.append(
            walk.bits.layer(
                "bits", walk.header.isLossless ? "Bits of pixels" : "Bits of MCUs",
                "What the \(walk.header.isLossless ? "samples" : "blocks") of each MCU take, \(walk.scans.count == 1 ? "all components" : "of all scans") together.",
                unit: "bits", .bits))
        if isColor {
            layers.append(
                walk.lumaBits.layer(
                    "bits-first", isRGB ? "Bits of the first component" : "Bits of luma",
                    "What the first component alone takes.", unit: "bits", .bits))
            layers.append(
                walk.chromaBits.layer(
                    "bits-others", isRGB ? "Bits of the other components" : "Bits of chroma",
                    "What all other components take.", unit: "bits", .bits))
        }
        if !walk.header.isLossless {
            layers.append(try coefficientLayer(geometry, walk, build, &work))
            layers.append(try dcLayer(geometry, walk, tables, isRGB: isRGB, build))
        }
        if let damage = walk.damage {
            layers.append(
                damage.layer(
                    "damage", "Damage",
                    "MCUs that cannot be decoded in one scan at least. What damage has changed without making codes impossible is not known.",
                    .classes([
                        MapLayer.Class(name: "decoded", color: 0x9ECAE1),
                        MapLayer.Class(name: "cannot be decoded", color: 0xD43D2A),
                    ])))
        }
        if let intervals = walk.intervals {
            layers.append(
                intervals.layer(
                    "restart", "Restart intervals",
                    """
                    The number of the interval that each MCU is in. Decoding begins anew with each: damage ends there, and several can be decoded \
                    at once.
                    """,
                    .identifiers))
        }
        for (index, bits) in walk.scanBits.enumerated() where walk.scans.count > 1 {
            layers.append(
                bits.layer(
                    "bits-scan-\(index + 1)", "Bits of scan \(index + 1)",
                    "What scan \(index + 1) brings to each MCU. A run of ended blocks counts where it begins.",
                    unit: "bits",
                    .bits))
        }
    }

    private func coefficientLayer(
        _ geometry: FrameGeometry, _ walk: JPEGWalk, _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) -> MapLayer {
        var counts = try LayerValues(walk.bits.grid, meter: build.meter)
        for (component, plane) in zip(geometry.components, walk.planes) {
            for place in plane.masks.indices {
                try work.spend(1)
                let count = plane.masks[place].nonzeroBitCount + (plane.dc[place] == 0 ? 0 : 1)
                let (x, y) = (place % plane.blocksPerRow, place / plane.blocksPerRow)
                counts.add(count, column: x / component.horizontalSampling, row: y / component.verticalSampling)
            }
        }
        return counts.layer(
            "coefficients", "Coefficients", "How many coefficients of each MCU are not zero, of all components.",
            unit: "coefficients", .amounts(partsPerUnit: 1))
    }

    /// One sample for each block, as a scan of DC coefficients alone shows it.
    private func dcLayer(
        _ geometry: FrameGeometry, _ walk: JPEGWalk, _ tables: [QuantizationTable?], isRGB: Bool, _ build: MapBuild
    ) throws(ImageError) -> MapLayer {
        let (maxH, maxV) = (geometry.maximumHorizontalSampling, geometry.maximumVerticalSampling)
        let grid = MapGrid(
            geometry.size, itemSize: PixelSize(width: 8, height: 8), maxCellCount: build.maxCellCount)
        var values = try LayerValues(grid, meter: build.meter)
        func sample(_ index: Int, _ x: Int, _ y: Int) -> Int {
            let (component, plane) = (geometry.components[index], walk.planes[index])
            let column = min(x * component.horizontalSampling / maxH, plane.blocksPerRow - 1)
            let row = min(y * component.verticalSampling / maxV, component.paddedHeightInBlocks - 1)
            let step = Int(tables[index]?.values[0] ?? 1)
            // The transform of a block has eight times the mean as its DC coefficient. Of deeper samples the upper eight bits are shown.
            let eighths = (Int(plane.dc[row * plane.blocksPerRow + column]) * step) >> (walk.header.precision - 8)
            return min(max((eighths + 4) >> 3 + 128, 0), 255)
        }
        for cellRow in 0..<grid.rows {
            for cellColumn in 0..<grid.columns {
                let (x, y) = (cellColumn * grid.step, cellRow * grid.step)
                let first = sample(0, x, y)
                guard geometry.components.count == 3 else {
                    values.set(first << 16 | first << 8 | first, column: x, row: y)
                    continue
                }
                let (second, third) = (sample(1, x, y), sample(2, x, y))
                values.set(
                    isRGB ? first << 16 | second << 8 | third : Self.rgb(first, second, third), column: x, row: y)
            }
        }
        return values.layer(
            "dc", "DC coefficients alone",
            "The picture of which each block is its mean: what is left without AC coefficients.", .colors)
    }

    /// - Source: ITU-T T.871 (2011) §7 "Conversion to and from RGB", with factors in 65536ths.
    private static func rgb(_ y: Int, _ cb: Int, _ cr: Int) -> Int {
        func clamp(_ value: Int) -> Int { min(max((value + 32768) >> 16, 0), 255) }
        let (base, blue, red) = (y << 16, cb - 128, cr - 128)
        return clamp(base + 91881 * red) << 16 | clamp(base - 22554 * blue - 46802 * red) << 8
            | clamp(base + 116130 * blue)
    }
}
