// Pictures of a JPEG file on the way to the whole one: after each scan, and of the first coefficients of each block.

import ImageCodecs
import ImageCodecsCore
import JPEGCodec

extension FileMap {
    /// How many coefficients the pictures have: the mean and two, three, five diagonals of patterns.
    private static let coefficientCounts = [3, 6, 15]

    /// Decodes a sequential file with the first coefficients of each block alone.
    mutating func addCoefficientPictures(_ build: MapBuild, _ work: inout WorkGuard) throws(ImageError) {
        guard let count = size?.pixelCount, count <= Self.maxReconstructedPixelCount else { return }
        try work.check()
        var options = EncodingOptions(effort: .fast)
        var limits = build.limits
        limits.maxTime = limits.maxTime.map { max(.zero, $0 - work.remaining(of: DecodingOptions()).spentTime) }
        options.limits.maxTime = limits.maxTime
        let surgery = Surgery(options, limits: limits, strictness: .tolerant)
        guard let files = try? surgery.keepingFirst(Self.coefficientCounts, of: build.data) else { return }
        for (count, file) in zip(Self.coefficientCounts, files) {
            try work.check()
            guard
                let layer = try pictureLayer(
                    of: file, "first-\(count)", "First \(count) coefficients",
                    "The picture of the mean and the \(count - 1) coarsest patterns of each block.", build, work)
            else { return }
            layers.append(layer)
        }
    }

    /// Decodes a progressive file up to the end of each scan but the last.
    ///
    /// - Parameter ends: where in the file the scans end.
    mutating func addScanPictures(
        _ ends: [Int], _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) {
        for (index, end) in ends.dropLast().prefix(JPEGWalk.maxScanLayerCount).enumerated() {
            try work.check()
            guard let bytes = build.data.bytes(0..<end),
                let layer = try pictureLayer(
                    of: ImageData(bytes), "scan-\(index + 1)", "After scan \(index + 1)",
                    "The picture when \(index + 1) of \(ends.count) scans are there, as a decoder shows it.", build,
                    work)
            else { return }
            layers.append(layer)
        }
    }

    /// What a decoder shows of a file; `nil` if that is nothing.
    private func pictureLayer(
        of data: ImageData, _ key: String, _ name: String, _ explanation: String, _ build: MapBuild, _ work: WorkGuard
    ) throws(ImageError) -> MapLayer? {
        guard let size else { return nil }
        let grid = build.grid(size)
        var options = DecodingOptions()
        (options.limits, options.strictness, options.pixelFormat) = (build.limits, .tolerant, .rgb)
        options.appliesOrientation = false
        // No more pixels than the layer has cells.
        options.size = .fitting(PixelSize(width: grid.columns, height: grid.rows), .fit)
        guard let bitmap = try? RasterImage(data, options: work.remaining(of: options)).bitmap, !bitmap.size.isEmpty
        else { return nil }
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
        return values.layer(key, name, explanation, .colors)
    }
}
