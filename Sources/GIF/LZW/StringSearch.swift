// Which strings of palette indices stand for the pixels of an image if small differences do not matter: the search of lossy LZW.
//
//   pixel at hand ──▶ colours that are near enough ──▶ strings of the table that begin with them, and go on with colours that
//                     are near enough to the pixels that follow ──▶ the string that gains the most
//
// A string gains `lambda` for each of its pixels, less what its colours are farther from the pixels than the nearest would be,
// where differences are seen the less the busier the picture is around a pixel. What each pixel lacks is handed on to its
// neighbours while strings are compared already. Source: own measurements; that near colours may stand for each other to make
// strings longer is what gifsicle's option `--lossy` does too.

/// The pixels of a strip of an image, row after row, as the search looks at them.
struct LossyPixels: Sendable {
    /// Oklab times 255; the last number is 0.
    var points: [SIMD4<Float>]
    /// The number of the colour nearest to each; that of the transparent one if the pixel has to be transparent.
    var nearest: [UInt8]
    /// How visible a squared difference is: 0 if the pixel has to be transparent.
    var weights: [Float]
    /// What decoders show below each pixel, so what it is if it is transparent; empty if that is not known.
    var shown: [SIMD4<Float>]
    /// How many of them there are; the arrays may be longer.
    var count: Int
    /// Pixels of a row.
    var width: Int
}

/// Finds strings, and keeps the table that a decoder would have.
struct StringSearch: Sendable {
    /// A way to begin the string at hand.
    private struct Node: Sendable {
        /// What is still to be handed on to the next pixel.
        var carried: SIMD4<Float>
        var gain: Float
        var length: Int32
        /// The node that it goes on from.
        var parent: Int32
        var code: UInt16
        var index: UInt8
    }

    /// Ways to begin the string at hand, and those of them that are not yet gone on from; the last of them comes first.
    private struct Ways: Sendable {
        private(set) var nodes: [Node] = []
        private(set) var count = 0
        private var waiting: [Int32] = []
        private var waitingCount = 0

        init(capacity: Int) {
            let empty = Node(carried: .zero, gain: 0, length: 0, parent: -1, code: 0, index: 0)
            nodes = [Node](repeating: empty, count: capacity)
            waiting = [Int32](repeating: 0, count: capacity)
        }

        mutating func removeAll() { (count, waitingCount) = (0, 0) }

        @inline(__always)
        mutating func add(_ node: Node) {
            nodes[count] = node
            waiting[waitingCount] = Int32(truncatingIfNeeded: count)
            count &+= 1
            waitingCount &+= 1
        }

        @inline(__always)
        mutating func next() -> Int32? {
            guard waitingCount > 0 else { return nil }
            waitingCount &-= 1
            return waiting[waitingCount]
        }
    }

    /// Four colours.
    private struct Group: Sendable {
        var x = SIMD4<Float>(repeating: StringSearch.nowhere)
        var y = SIMD4<Float>(repeating: StringSearch.nowhere)
        var z = SIMD4<Float>(repeating: StringSearch.nowhere)
        var distance = Float.infinity
    }

    private let colors: [SIMD4<Float>]
    /// The colours nearest to each colour, ascending, the first of which is itself.
    private let neighbors: [UInt8]
    /// Their coordinates, four colours in a group, and how far the first of each group is.
    private let groups: [Group]
    private let groupCount: Int
    private let transparent: Int
    private var lambda: Float = 0
    private var strength: Float = 0
    private let mostNodes: Int
    private let firstCode: Int

    /// By a hash of code and index: both in the upper 20 bits, and the code of the string that they make in the lower 12.
    private var table: [UInt32]
    /// Whether a code has longer strings.
    private var isPrefix: [Bool]
    private var nextCode: Int
    private var pending = -1
    private var carried = SIMD4<Float>()
    private var ways: Ways
    /// Squared distances to the colours near a pixel.
    private var squares: [SIMD4<Float>]

    /// Bytes held at most.
    static let byteCount = 4 << tableBits + 4096 + 256 * mostNeighbors * 14 + (2048 + mostNeighbors) * 36

    private static let tableBits = 14
    private static let mostNeighbors = 64
    /// A coordinate that is far from all colours.
    private static let nowhere: Float = 1e9
    /// What is handed on is at most this in each coordinate.
    private static let farthestError: Float = 40

    /// - Parameters:
    ///   - points: the palette; the last number of each is 0.
    ///   - transparent: which of them stands for what is shown already; -1 for none.
    ///   - minimumCodeSize: 2...8.
    ///   - mostNodes: strings that are compared for one pixel at most.
    init(
        _ points: [SIMD4<Float>], transparent: Int, minimumCodeSize: Int, mostNodes: Int
    ) {
        colors = points
        self.transparent = transparent
        self.mostNodes = mostNodes
        firstCode = 1 << minimumCodeSize + 2
        nextCode = firstCode
        let opaque = points.indices.filter { $0 != transparent }
        groupCount = (min(Self.mostNeighbors, opaque.count) + 3) / 4
        var neighbors = [UInt8](repeating: 0, count: 4 * groupCount * points.count)
        var groups = [Group](repeating: Group(), count: groupCount * points.count)
        for point in points.indices {
            // Bits of numbers that are not negative sort as the numbers do.
            let byDistance = opaque.map {
                UInt64(Self.square(points[$0] - points[point]).bitPattern) << 8 | UInt64($0)
            }.sorted()
            for (number, key) in byDistance.prefix(4 * groupCount).enumerated() {
                let (index, square) = (Int(key & 0xFF), Float(bitPattern: UInt32(key >> 8)))
                let place = 4 * groupCount * point + number
                neighbors[place] = UInt8(truncatingIfNeeded: index)
                let lane = number % 4
                groups[place / 4].x[lane] = points[index].x
                groups[place / 4].y[lane] = points[index].y
                groups[place / 4].z[lane] = points[index].z
                if lane == 0 { groups[place / 4].distance = square.squareRoot() }
            }
        }
        (self.neighbors, self.groups) = (neighbors, groups)
        table = [UInt32](repeating: .max, count: 1 << Self.tableBits)
        isPrefix = [Bool](repeating: false, count: 4096)
        ways = Ways(capacity: mostNodes + Self.mostNeighbors + 5)
        squares = [SIMD4<Float>](repeating: .zero, count: groupCount)
    }

    @inline(__always)
    private static func square(_ difference: SIMD4<Float>) -> Float {
        let squares = difference * difference
        return (squares.x + squares.y) + (squares.z + squares.w)
    }

    /// Begins an image.
    ///
    /// - Parameters:
    ///   - lambda: the squared difference, at full visibility, that a pixel less to code is worth.
    ///   - strength: the share of what a pixel lacks that is handed on.
    mutating func begin(lambda: Float, strength: Float) {
        (self.lambda, self.strength) = (lambda, strength)
        clear()
        carried = .zero
    }

    /// Goes on with an empty table.
    mutating func clear() {
        for slot in 0..<table.count { table[slot] = .max }
        for code in 0..<isPrefix.count { isPrefix[code] = false }
        (nextCode, pending) = (firstCode, -1)
    }

    /// Finds strings for the pixels of a strip from `position` on.
    ///
    /// - Parameters:
    ///   - pixels: the strip.
    ///   - errors: what the neighbours of each pixel lack, to be made up for; a row more than there are pixels, which belongs to the
    ///     next strip. Is added to.
    ///   - position: the pixel at hand; moved on.
    ///   - stop: where to stop; strings may go on beyond it, but not beyond the strip.
    ///   - indices: gets the index of each pixel.
    mutating func search(
        _ pixels: LossyPixels, errors: inout [SIMD4<Float>], from position: inout Int, to stop: Int,
        indices: inout [UInt8]
    ) {
        while position < stop {
            let best = bestString(pixels, errors, position)
            take(best, pixels, &errors, position, &indices)
            if pending >= 0, nextCode < 4096 {
                add(pending, indices[position], nextCode)
                nextCode += 1
            }
            pending = Int(ways.nodes[best].code)
            position += Int(ways.nodes[best].length)
        }
    }

    private mutating func bestString(
        _ pixels: LossyPixels, _ errors: [SIMD4<Float>], _ position: Int
    ) -> Int {
        // Taken out for the call: the rest of `self` is read meanwhile.
        var (ways, squares) = (Ways(capacity: 0), [SIMD4<Float>]())
        swap(&ways, &self.ways)
        swap(&squares, &self.squares)
        let best = bestString(pixels, errors, position, &ways, &squares)
        swap(&ways, &self.ways)
        swap(&squares, &self.squares)
        return best
    }

    /// Compares strings that begin at a pixel; the number of the best node.
    private func bestString(
        _ pixels: LossyPixels, _ errors: [SIMD4<Float>], _ position: Int, _ ways: inout Ways,
        _ squares: inout [SIMD4<Float>]
    ) -> Int {
        let points = pixels.points, weights = pixels.weights
        let nearest = pixels.nearest, shown = pixels.shown
        let (colors, neighbors, groups) = (colors, neighbors, groups)
        let (table, isPrefix) = (table, isPrefix)
        let hasShown = shown.count > 0
        let (count, groupCount, lambda, transparent) = (pixels.count, groupCount, lambda, transparent)
        let handed = strength * (7.0 / 16)
        let column = position % pixels.width
        var best = 0
        var bestGain = -Float.infinity
        ways.removeAll()
        // The node that is gone on from; -1 at the pixel at hand.
        var parent: Int32 = -1
        var from = Node(carried: carried, gain: 0, length: 0, parent: -1, code: 0, index: 0)
        while true {
            let place = position &+ Int(from.length)
            if place < count, parent < 0 || (isPrefix[Int(from.code)] && ways.count < mostNodes) {
                let weight = weights[place]
                let key = UInt32(from.code) &<< 8
                var next = Node(
                    carried: .zero, gain: from.gain + lambda, length: from.length &+ 1, parent: parent, code: 0,
                    index: 0)
                if weight == 0 {
                    let child = parent < 0 ? transparent : Self.find(key | UInt32(transparent), table)
                    if child >= 0 {
                        (next.code, next.index) = (UInt16(child), UInt8(transparent))
                        ways.add(next)
                    }
                } else {
                    var target = points[place] + errors[place]
                    if (column &+ Int(from.length)) % pixels.width != 0 { target += from.carried }
                    let near = Int(nearest[place])
                    let away = Self.square(target - colors[near])
                    let tolerance = lambda / weight
                    let reach = away.squareRoot() + (away + tolerance).squareRoot()
                    var base = away
                    var keeps = Float.infinity
                    if hasShown {
                        keeps = Self.square(target - shown[place])
                        base = min(base, keeps)
                    }
                    // Distances to all that are near enough to matter, by groups.
                    let first = near &* groupCount
                    var group = 0
                    while group < groupCount {
                        let four = groups[first &+ group]
                        guard four.distance <= reach else { break }
                        let (x, y, z) = (four.x - target.x, four.y - target.y, four.z - target.z)
                        let square = x * x + y * y + z * z
                        let least = min(min(square.x, square.y), min(square.z, square.w))
                        base = min(base, least)
                        squares[group] = square
                        group &+= 1
                    }
                    let limit = base + tolerance
                    while group > 0 {
                        group &-= 1
                        let square = squares[group]
                        guard min(min(square.x, square.y), min(square.z, square.w)) <= limit else { continue }
                        var lane = 4
                        while lane > 0 {
                            lane &-= 1
                            guard square[lane] <= limit else { continue }
                            let index = neighbors[4 &* (first &+ group) &+ lane]
                            let child = parent < 0 ? Int(index) : Self.find(key | UInt32(index), table)
                            guard child >= 0 else { continue }
                            next.carried = (target - colors[Int(index)]) * handed
                            next.gain = from.gain + lambda - weight * (square[lane] - base)
                            (next.code, next.index) = (UInt16(truncatingIfNeeded: child), index)
                            ways.add(next)
                        }
                    }
                    if keeps <= limit {
                        let child = parent < 0 ? transparent : Self.find(key | UInt32(transparent), table)
                        if child >= 0 {
                            next.carried = (target - shown[place]) * handed
                            next.gain = from.gain + lambda - weight * (keeps - base)
                            (next.code, next.index) = (UInt16(truncatingIfNeeded: child), UInt8(transparent))
                            ways.add(next)
                        }
                    }
                }
            }
            guard let number = ways.next() else { return best }
            parent = number
            from = ways.nodes[Int(parent)]
            if from.gain > bestGain { (best, bestGain) = (Int(parent), from.gain) }
        }
    }

    /// Writes the indices of a string, and hands on what its pixels lack.
    private mutating func take(
        _ best: Int, _ pixels: LossyPixels, _ errors: inout [SIMD4<Float>], _ position: Int,
        _ indices: inout [UInt8]
    ) {
        let length = Int(ways.nodes[best].length)
        var number = best
        while number >= 0 {
            let node = ways.nodes[number]
            indices[position &+ Int(node.length) &- 1] = node.index
            number = Int(node.parent)
        }
        let width = pixels.width
        let (strength, transparent) = (strength, transparent)
        let points = pixels.points, weights = pixels.weights, shown = pixels.shown
        let colors = colors
        var column = position % width
        var carried = carried
        for place in position..<position + length {
            if column == 0 { carried = .zero }
            let index = Int(indices[place])
            if weights[place] == 0 {
                carried = .zero
            } else {
                let color = index == transparent ? shown[place] : colors[index]
                var missing = points[place] + errors[place] + carried - color
                for lane in 0..<3 { missing[lane] = max(-Self.farthestError, min(Self.farthestError, missing[lane])) }
                missing *= strength
                carried = missing * (7.0 / 16)
                let below = place + width
                if column > 0 { errors[below - 1] += missing * (3.0 / 16) }
                errors[below] += missing * (5.0 / 16)
                if column + 1 < width { errors[below + 1] += missing * (1.0 / 16) }
            }
            column += 1
            if column == width { column = 0 }
        }
        self.carried = carried
    }

    /// The code of a string and one more index, both as in the table; -1 if it has none.
    @inline(__always)
    private static func find(_ key: UInt32, _ table: [UInt32]) -> Int {
        var slot = hash(key)
        while true {
            let entry = table[slot]
            if entry &>> 12 == key { return Int(entry & 0xFFF) }
            if entry == .max { return -1 }
            slot = (slot &+ 1) & (1 &<< tableBits &- 1)
        }
    }

    @inline(__always)
    private static func hash(_ key: UInt32) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B1) &>> UInt32(truncatingIfNeeded: 32 &- tableBits))
    }

    private mutating func add(_ prefix: Int, _ index: UInt8, _ code: Int) {
        let key = UInt32(prefix) << 8 | UInt32(index)
        guard Self.find(key, table) < 0 else { return }
        var slot = Self.hash(key)
        while table[slot] != .max { slot = (slot + 1) & (1 << Self.tableBits - 1) }
        table[slot] = key << 12 | UInt32(code)
        isPrefix[prefix] = true
    }
}
