// What each scan of a progressive file adds: the picture that is there after it.

import ImageCodecs
import ImageCodecsCore

extension FileMap {
    /// Decodes the file up to the end of each scan but the last.
    ///
    /// - Parameter ends: where in the file the scans end.
    mutating func addScanPictures(
        _ ends: [Int], _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let size else { return }
        let grid = build.grid(size)
        for (index, end) in ends.dropLast().prefix(JPEGWalk.maxScanLayerCount).enumerated() {
            try work.check()
            var options = DecodingOptions()
            (options.limits, options.strictness, options.pixelFormat) = (build.limits, .tolerant, .rgb)
            options.appliesOrientation = false
            // No more pixels than the layer has cells.
            options.size = .fitting(PixelSize(width: grid.columns, height: grid.rows), .fit)
            guard let bytes = build.data.bytes(0..<end),
                let bitmap = try? RasterImage(ImageData(bytes), options: work.remaining(of: options)).bitmap,
                !bitmap.size.isEmpty
            else { return }
            var values = try LayerValues(grid, meter: build.meter)
            for row in 0..<grid.rows {
                bitmap.withRow(row * bitmap.height / grid.rows) { source in
                    for column in 0..<grid.columns {
                        let pixel = 3 * (column * bitmap.width / grid.columns)
                        let color = Int(source[pixel]) << 16 | Int(source[pixel + 1]) << 8 | Int(source[pixel + 2])
                        values.set(color, column: column * grid.step, row: row * grid.step)
                    }
                }
            }
            layers.append(
                values.layer(
                    "scan-\(index + 1)", "After scan \(index + 1)",
                    "The picture when \(index + 1) of \(ends.count) scans are there, as a decoder shows it.", .colors))
        }
    }
}
