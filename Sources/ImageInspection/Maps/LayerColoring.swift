// A layer as a picture: a colour for each value, and what each colour means.

public import ImageCodecsCore

/// The colours of a layer's values.
///
/// There are at most 256, so that the picture is small and each colour stands for one value: what shows the picture can tell the value from
/// the colour. If there are more values, each stands for those near it.
public struct LayerColoring: Sendable {
    /// A colour and its value.
    public struct Entry: Hashable, Sendable {
        /// 0xRRGGBB.
        public let color: UInt32
        /// The value in words.
        public let words: String
    }

    /// Every colour in the picture, in the order of values; empty for a layer of colours, and those for unknown values are not here.
    public private(set) var entries: [Entry] = []
    /// Whether each value has its own colour, so that words are exact.
    public private(set) var isExact = true
    /// A few of them, for a legend.
    public private(set) var legend: [Entry] = []
    private let layer: MapLayer
    /// Values up to which each entry reaches.
    private var levels: [Int32] = []

    /// Where nothing is known.
    public static let unknownColor: UInt32 = 0x808080
    private static let maxLevelCount = 254
    private static let legendCount = 5

    /// - Parameters:
    ///   - layer: any layer.
    ///   - top: the value of the brightest colour, so that several layers can have one scale; `nil` for the largest there is.
    public init(_ layer: MapLayer, top: Int? = nil) {
        self.layer = layer
        switch layer.kind {
        case .colors: return
        case .classes(let classes): addClasses(classes)
        default: addNumbers(top)
        }
    }

    private mutating func addClasses(_ classes: [MapLayer.Class]) {
        var counts = [Int](repeating: 0, count: classes.count)
        for value in layer.values where value >= 0 && Int(value) < classes.count { counts[Int(value)] += 1 }
        let all = counts.reduce(0, +)
        for (index, entry) in classes.enumerated() {
            entries.append(Entry(color: entry.color, words: entry.name))
            levels.append(Int32(index))
            guard counts[index] > 0 else { continue }
            legend.append(Entry(color: entry.color, words: entry.name + ", " + counts[index].percent(of: all)))
        }
    }

    private mutating func addNumbers(_ scale: Int?) {
        // All values, as long as each can have a colour of its own.
        var (known, smallest, largest): (Set<Int32>, Int32, Int32) = ([], .max, 0)
        for value in layer.values where value >= 0 {
            (smallest, largest) = (min(smallest, value), max(largest, value))
            if known.count <= Self.maxLevelCount { known.insert(value) }
        }
        let top = scale ?? Int(largest)
        if known.count <= Self.maxLevelCount {
            levels = known.sorted()
        } else {
            isExact = false
            // Small values are the most: steps grow with the values.
            let last = Self.maxLevelCount - 1
            let span = max(0, top - Int(smallest))
            levels = (0...last).map { Int32(clamping: Int(smallest) + span * $0 * $0 / (last * last)) }
        }
        var used: Set<UInt32> = [Self.unknownColor]
        for (index, level) in levels.enumerated() {
            var color: UInt32
            if layer.kind == .identifiers {
                color = Self.wheel[index % Self.wheel.count]
            } else {
                color = Self.ramp((Double(level) / Double(max(top, 1))).squareRoot())
            }
            // Each has its own: the next that is free is hard to tell from it.
            while !used.insert(color).inserted { color = (color + 1) & 0xFFFFFF }
            entries.append(Entry(color: color, words: layer.words(for: level)))
        }
        let count = min(layer.kind == .identifiers ? 12 : Self.legendCount, entries.count)
        legend = (0..<count).map { entries[$0 * (entries.count - 1) / max(1, count - 1)] }
        if layer.kind == .identifiers, entries.count > count { legend = Array(entries.prefix(count)) }
    }

    /// Colours that look different from each other.
    private static let wheel: [UInt32] = [
        0x1F77B4, 0xFF7F0E, 0x2CA02C, 0xD62728, 0x9467BD, 0x8C564B, 0xE377C2, 0xBCBD22, 0x17BECF, 0xAEC7E8, 0xFFBB78,
        0x98DF8A,
    ]

    /// From dark blue over red to light yellow; light and dark tell the order to those who see no colours.
    private static func ramp(_ place: Double) -> UInt32 {
        let stops: [SIMD3<Double>] = [
            SIMD3(16, 10, 56), SIMD3(82, 24, 120), SIMD3(176, 50, 98), SIMD3(240, 116, 52), SIMD3(253, 240, 170),
        ]
        let position = min(max(place, 0), 1) * Double(stops.count - 1)
        let first = min(Int(position), stops.count - 2)
        let color = stops[first] + (stops[first + 1] - stops[first]) * (position - Double(first))
        return UInt32(color.x) << 16 | UInt32(color.y) << 8 | UInt32(color.z)
    }

    /// The colour of a value.
    private func color(of value: Int32) -> UInt32 {
        guard value >= 0 else { return Self.unknownColor }
        if layer.kind == .colors { return UInt32(value) & 0xFFFFFF }
        // The first level that is not below it.
        var (low, high) = (0, levels.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if levels[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low < entries.count ? entries[low].color : Self.unknownColor
    }

    /// The layer as a picture, `PixelFormat.rgb`.
    ///
    /// - Parameter size: pixels of the picture, over which cells are spread; `nil` for one for each cell.
    /// - Throws: `limitExceeded(.memory)`.
    public func bitmap(size: PixelSize? = nil) throws(ImageError) -> Bitmap {
        let grid = layer.gridSize
        let size = size ?? grid
        var bitmap = try Bitmap(size: size, format: .rgb)
        guard !grid.isEmpty, !size.isEmpty else { return bitmap }
        for y in 0..<size.height {
            let cellRow = size == grid ? y : cell(y, of: size.height, layer.area.height, layer.cellSize.height)
            bitmap.withSheetRow(y) { row in
                for x in 0..<size.width {
                    let column = size == grid ? x : cell(x, of: size.width, layer.area.width, layer.cellSize.width)
                    let color = color(of: layer.values[cellRow * grid.width + column])
                    row[3 * x] = UInt8(truncatingIfNeeded: color >> 16)
                    row[3 * x + 1] = UInt8(truncatingIfNeeded: color >> 8)
                    row[3 * x + 2] = UInt8(truncatingIfNeeded: color)
                }
            }
        }
        return bitmap
    }

    /// The cell of a pixel along one side of a picture that shows `area`.
    private func cell(_ place: Int, of side: Int, _ area: Int, _ cellSide: Int) -> Int {
        place * area / side / cellSide
    }
}
