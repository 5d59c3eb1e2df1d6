// What the unpacked bytes of a picture are: filter types and samples, and the pixel that each belongs to.

import ImageCodecsCore
import PNGCodec

/// Puts the cost of each byte to its pixel.
struct ScanlineTally: DeflateVisitor {
    /// The pixels of one pass, or all of a picture.
    private struct Pass {
        let size: PixelSize
        let x: Int, columnStep: Int
        let y: Int, rowStep: Int
    }

    /// Bits of each pixel, in 256ths.
    private(set) var bits: LayerValues
    /// Where the first byte of a pixel comes from.
    private(set) var sources: LayerValues
    /// How far back that is.
    private(set) var distances: LayerValues
    /// The deflate block of it.
    private(set) var blocks: LayerValues
    /// The filter type of each row; of each pixel if the picture is interlaced.
    private(set) var filters: LayerValues
    /// Rows of each filter type.
    private(set) var filterCounts = [Int](repeating: 0, count: 5)
    /// Rows whose filter type is none.
    private(set) var wrongFilterCount = 0
    /// What filter types cost, and bytes after the last row, in 256ths of a bit.
    private(set) var filterAmount = 0
    private(set) var surplusAmount = 0
    /// What pixels cost.
    private(set) var pixelAmount = 0
    private(set) var rowCount = 0

    private let header: ImageHeader
    private let passes: [Pass]
    private var passIndex = 0
    private var row = 0
    /// Bytes of the row so far, its filter type among them.
    private var rowByteCount = 0
    private var lineByteCount: Int

    init(_ header: ImageHeader, _ build: MapBuild) throws(ImageError) {
        self.header = header
        let grid = build.grid(header.size)
        bits = try LayerValues(grid, meter: build.meter)
        sources = try LayerValues(grid, filledWith: -1, meter: build.meter)
        distances = try LayerValues(grid, filledWith: -1, meter: build.meter)
        blocks = try LayerValues(grid, filledWith: -1, meter: build.meter)
        let rows = PixelSize(width: header.size.width, height: 1)
        filters = try LayerValues(
            header.isInterlaced ? grid : MapGrid(header.size, itemSize: rows, maxCellCount: build.maxCellCount),
            filledWith: -1, meter: build.meter)
        passes =
            header.isInterlaced
            ? Adam7.passes(of: header.size).map {
                Pass(size: $0.size, x: $0.x, columnStep: $0.columnStep, y: $0.y, rowStep: $0.rowStep)
            } : [Pass(size: header.size, x: 0, columnStep: 1, y: 0, rowStep: 1)]
        lineByteCount = header.bytesPerScanline(width: passes[0].size.width)
    }

    /// Bytes that the picture unpacks to, with filter types.
    static func byteCount(_ header: ImageHeader) -> Int {
        let sizes = header.isInterlaced ? Adam7.passes(of: header.size).map(\.size) : [header.size]
        return sizes.reduce(0) { sum, size in
            sum.addingSaturated(size.height.multipliedSaturated(by: header.bytesPerScanline(width: size.width) + 1))
        }
    }

    mutating func add(_ value: UInt8, amount: Int, distance: Int, block: Int) {
        guard passIndex < passes.count else {
            surplusAmount += amount
            return
        }
        if rowByteCount == 0 {
            filterAmount += amount
            addFilter(value)
        } else {
            pixelAmount += amount
            addSample(rowByteCount - 1, amount, distance, block)
        }
        rowByteCount += 1
        if rowByteCount > lineByteCount { endRow() }
    }

    private mutating func addFilter(_ value: UInt8) {
        if value < 5 { filterCounts[Int(value)] += 1 } else { wrongFilterCount += 1 }
        let pass = passes[passIndex]
        let y = pass.y + row * pass.rowStep
        if header.isInterlaced {
            for column in 0..<pass.size.width {
                filters.set(Int(min(value, 5)), column: pass.x + column * pass.columnStep, row: y)
            }
        } else {
            filters.set(Int(min(value, 5)), column: 0, row: y)
        }
    }

    private mutating func addSample(_ byte: Int, _ amount: Int, _ distance: Int, _ block: Int) {
        let bitsPerPixel = header.bitsPerPixel
        guard bitsPerPixel < 8 else {
            let bytesPerPixel = bitsPerPixel / 8
            let column = byte / bytesPerPixel
            return addPixel(column, amount, distance, block, isFirst: byte == column * bytesPerPixel)
        }
        let pixelsPerByte = 8 / bitsPerPixel
        let first = byte * pixelsPerByte
        let count = min(pixelsPerByte, passes[passIndex].size.width - first)
        for index in 0..<count {
            addPixel(first + index, amount.share(of: index, among: count), distance, block, isFirst: true)
        }
    }

    @inline(__always)
    private mutating func addPixel(_ column: Int, _ amount: Int, _ distance: Int, _ block: Int, isFirst: Bool) {
        let pass = passes[passIndex]
        let (x, y) = (pass.x + column * pass.columnStep, pass.y + row * pass.rowStep)
        bits.add(amount, column: x, row: y)
        guard isFirst else { return }
        sources.set(source(distance), column: x, row: y)
        distances.set(max(0, distance), column: x, row: y)
        blocks.set(block, column: x, row: y)
    }

    /// A place in ``sourceClasses``.
    @inline(__always)
    private func source(_ distance: Int) -> Int {
        if distance <= 0 { return distance == 0 ? 0 : 5 }
        if distance <= header.filterDistance { return 1 }
        if distance < lineByteCount + 1 { return 2 }
        return distance < 2 * (lineByteCount + 1) ? 3 : 4
    }

    /// Where a byte comes from.
    static let sourceClasses = [
        MapLayer.Class(name: "literal", color: 0xD94801),
        MapLayer.Class(name: "copy of the pixel before", color: 0x9ECAE1),
        MapLayer.Class(name: "copy from the same row", color: 0x4292C6),
        MapLayer.Class(name: "copy from the row above", color: 0x41AB5D),
        MapLayer.Class(name: "copy from farther up", color: 0x00441B),
        MapLayer.Class(name: "stored", color: 0x969696),
    ]

    /// Filter types, and what is none.
    static let filterClasses = [
        MapLayer.Class(name: "None", color: 0x969696), MapLayer.Class(name: "Sub", color: 0x4292C6),
        MapLayer.Class(name: "Up", color: 0x41AB5D), MapLayer.Class(name: "Average", color: 0xF2B701),
        MapLayer.Class(name: "Paeth", color: 0xD94801), MapLayer.Class(name: "no filter type", color: 0xFF00FF),
    ]

    private mutating func endRow() {
        rowByteCount = 0
        rowCount += 1
        row += 1
        guard row == passes[passIndex].size.height else { return }
        row = 0
        passIndex += 1
        if passIndex < passes.count { lineByteCount = header.bytesPerScanline(width: passes[passIndex].size.width) }
    }
}
