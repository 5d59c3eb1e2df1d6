// One property of a picture's coding, a value for each pixel, row or block: what can be laid over the picture.

public import ImageCodecsCore

/// A grid of numbers over a picture.
///
/// Cells are all equally large, but for those at the right and lower edges, which may reach beyond the picture. Of large pictures a cell
/// stands for several pixels (or rows, or blocks): amounts are then those of all of them together, so that sums stay what they are; of
/// everything else it has the value of the upper left one.
public struct MapLayer: Hashable, Sendable {
    /// A name for a value.
    public struct Class: Hashable, Sendable {
        /// A few words: `copy from the row above`.
        public let name: String
        /// Its colour, 0xRRGGBB.
        public let color: UInt32
    }

    /// What the values are.
    public enum Kind: Hashable, Sendable {
        /// Amounts that add up, in parts of the unit: 256 parts to a bit, as several pixels may share one.
        case amounts(partsPerUnit: Int)
        /// Numbers that do not add up, such as a level.
        case numbers
        /// Numbers that name something, such as a block.
        case identifiers
        /// Places in a list of names.
        case classes([Class])
        /// Colours, 0xRRGGBB.
        case colors
    }

    /// A name for programs and options: `bits`.
    public let key: String
    /// A title.
    public let name: String
    /// What is seen, and what it says, in a sentence or two.
    public let explanation: String
    /// What an amount or a number counts, in the plural: `bits`; empty for all others.
    public let unit: String
    /// What the values are.
    public let kind: Kind
    /// Pixels that the grid covers.
    public let area: PixelSize
    /// The part of the picture that it is laid over.
    public internal(set) var place: PixelRect
    /// Pixels of a cell.
    public let cellSize: PixelSize
    /// Cells across and down.
    public let gridSize: PixelSize
    /// Pixels, rows or blocks along each side that a cell stands for; 1 unless the picture is large.
    public let step: Int
    /// The values, row after row; negative if nothing is known.
    public let values: [Int32]

    /// What all amounts come to, in units, rounded to the nearest.
    public var sum: Int? {
        guard case .amounts(let parts) = kind else { return nil }
        return (values.reduce(0) { $0 + max(0, Int($1)) } + parts / 2) / parts
    }

    /// What a cell is: `pixel`, `4x4 pixels`.
    public var cellWords: String {
        if cellSize == PixelSize(width: 1, height: 1) { return "pixel" }
        if gridSize.width == 1, cellSize.width == area.width, gridSize.height > 1 || cellSize.height == 1 {
            return cellSize.height == 1 ? "row" : "\(cellSize.height) rows"
        }
        return "\(cellSize.width)x\(cellSize.height) pixels"
    }

    /// A value in words: `12.5 bits`, `literal`.
    public func words(for value: Int32) -> String {
        guard value >= 0 else { return "nothing known" }
        switch kind {
        case .amounts(let parts):
            guard Int(value) % parts == 0 else { return (Double(value) / Double(parts)).oneDecimal + " " + unit }
            return counted(Int(value) / parts)
        case .numbers: return counted(Int(value))
        case .identifiers: return "number \(value)"
        case .classes(let classes): return Int(value) < classes.count ? classes[Int(value)].name : "\(value)"
        case .colors:
            return FileMap.colorName(
                UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 8),
                UInt8(truncatingIfNeeded: value))
        }
    }

    private func counted(_ count: Int) -> String {
        "\(count) " + (count == 1 && unit.hasSuffix("s") ? String(unit.dropLast()) : unit)
    }
}

/// Cells over a picture that consists of items: pixels, or blocks of them.
struct MapGrid: Hashable, Sendable {
    /// Pixels of the picture.
    let area: PixelSize
    /// Pixels of an item.
    let itemSize: PixelSize
    /// Items along a side of a cell.
    let step: Int
    /// Cells across and down.
    let columns: Int, rows: Int

    /// - Parameters:
    ///   - area: with sides of at least 1.
    ///   - itemSize: likewise.
    ///   - maxCellCount: at least 1.
    init(_ area: PixelSize, itemSize: PixelSize = PixelSize(width: 1, height: 1), maxCellCount: Int) {
        (self.area, self.itemSize) = (area, itemSize)
        func cells(_ side: Int, _ item: Int, _ step: Int) -> Int { (side - 1) / item / step + 1 }
        var step = 1
        while cells(area.width, itemSize.width, step).multipliedSaturated(
            by: cells(area.height, itemSize.height, step)) > max(1, maxCellCount)
        {
            step += max(1, step / 8)
        }
        self.step = step
        columns = cells(area.width, itemSize.width, step)
        rows = cells(area.height, itemSize.height, step)
    }
}

/// The values of a layer while they are collected.
struct LayerValues: Sendable {
    let grid: MapGrid
    private(set) var values: [Int32]

    /// - Parameter value: what all cells begin with.
    /// - Throws: `limitExceeded(.memory)`.
    init(_ grid: MapGrid, filledWith value: Int32 = 0, meter: MemoryMeter) throws(ImageError) {
        self.grid = grid
        // Kept by the map for as long as it is there.
        try meter.reserve(MemoryLayout<Int32>.stride * grid.columns * grid.rows)
        values = [Int32](repeating: value, count: grid.columns * grid.rows)
    }

    /// Adds to the cell of an item; what is outside of the grid is left out.
    @inline(__always)
    mutating func add(_ amount: Int, column: Int, row: Int) {
        let (x, y) = (column / grid.step, row / grid.step)
        guard x < grid.columns, y < grid.rows else { return }
        let place = y * grid.columns + x
        values[place] = Int32(clamping: Int(values[place]) + amount)
    }

    /// Sets the cell that an item is the first of.
    @inline(__always)
    mutating func set(_ value: Int, column: Int, row: Int) {
        guard grid.step == 1 || column % grid.step == 0 && row % grid.step == 0 else { return }
        let (x, y) = (column / grid.step, row / grid.step)
        guard x < grid.columns, y < grid.rows else { return }
        values[y * grid.columns + x] = Int32(clamping: value)
    }

    /// Sets the cell of an item, whichever of its items that is.
    mutating func mark(_ value: Int, column: Int, row: Int) {
        let (x, y) = (column / grid.step, row / grid.step)
        guard x < grid.columns, y < grid.rows else { return }
        values[y * grid.columns + x] = Int32(clamping: value)
    }

    /// The layer.
    func layer(
        _ key: String, _ name: String, _ explanation: String, unit: String = "", _ kind: MapLayer.Kind
    ) -> MapLayer {
        MapLayer(
            key: key, name: name, explanation: explanation, unit: unit, kind: kind, area: grid.area,
            place: PixelRect(grid.area),
            cellSize: PixelSize(width: grid.itemSize.width * grid.step, height: grid.itemSize.height * grid.step),
            gridSize: PixelSize(width: grid.columns, height: grid.rows), step: grid.step, values: values)
    }
}

extension MapLayer.Kind {
    /// Bits in 256ths.
    static let bits = MapLayer.Kind.amounts(partsPerUnit: bitParts)
    /// Parts of a bit.
    static let bitParts = 256
}

extension Int {
    /// The part of this amount that the element at `index` of `count` gets, so that all parts together are the amount.
    @inline(__always)
    func share(of index: Int, among count: Int) -> Int { self * (index + 1) / count - self * index / count }
}
