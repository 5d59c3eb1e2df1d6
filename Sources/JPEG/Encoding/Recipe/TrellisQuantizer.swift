// Rate and distortion weighed against each other in every block: the quantisation of `effort: .best`.
//
// In: coefficients of blocks with 4 fractional bits, in zig-zag order, row of blocks by row of blocks. Out: levels.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Chooses levels of least `D + lambda R`, block by block.
///
/// `D` is the sum of squared errors in units of the steps. `R` are the bits of the run-and-size symbols and of the magnitudes,
/// as they have occurred in the rows of blocks before, starting from the standard's typical tables. A coefficient that
/// rounding would not make zero may become one less, the largest level that needs a bit less, or zero. A path through the block
/// ends at each coefficient that is kept; the best is found by going through all paths that end before it.
///
/// - Source: T.81 §F.1.2.2 "Huffman encoding of AC coefficients" for the symbols.
package struct TrellisQuantizer: Sendable {
    /// What a bit is worth.
    private let lambda: Float
    /// 1 / (16 q), in zig-zag order.
    private let reciprocals: [Float]
    /// Lambda times the bits of each symbol, magnitude bits included.
    private var costs: [Float]
    /// How often each symbol has occurred.
    private var counts: [Double]
    /// Magnitudes in steps; squared magnitudes up to and with each coefficient.
    private var magnitudes = [Float](repeating: 0, count: 64)
    private var squares = [Float](repeating: 0, count: 64)
    private var paths: [Path] = []

    /// The best way to a coefficient that is kept.
    private struct Path: Sendable {
        /// Zig-zag index, 0 for the beginning.
        var index: Int
        var level: Int
        /// `D + lambda R` of everything before and with it.
        var cost: Float
        var previous: Int
    }

    private static let endOfBlock = 0x00
    private static let sixteenZeros = 0xF0
    /// Symbols that the standard's tables count for.
    private static let priorCount = 4096.0

    /// - Parameters:
    ///   - table: The steps.
    ///   - lambda: What a bit is worth, in squared steps.
    ///   - prior: The table whose code lengths the first row's costs are.
    package init(_ table: QuantizationTable, lambda: Float, prior: HuffmanSpecification) {
        self.lambda = lambda
        reciprocals = ZigZagOrder.natural.map { 1 / Float(16 * Int(table.values[Int($0)])) }
        counts = [Double](repeating: 0, count: 256)
        costs = [Float](repeating: 0, count: 256)
        var position = 0
        for (index, count) in prior.counts.enumerated() {
            for _ in 0..<Int(count) {
                counts[Int(prior.symbols[position])] = Self.priorCount * ReproduciblePowers.exp2(-Double(index + 1))
                position += 1
            }
        }
        updateCosts()
    }

    /// Makes the costs those of the symbols so far.
    private mutating func updateCosts() {
        let total = ReproduciblePowers.log2(counts.reduce(0, +) + 128)
        for symbol in 0..<256 {
            let bits = total - ReproduciblePowers.log2(counts[symbol] + 0.5)
            costs[symbol] = lambda * Float(bits + Double(symbol & 15))
        }
    }

    /// Quantises a row of blocks, in place.
    ///
    /// - Parameters:
    ///   - offset: Byte offset of the first block.
    ///   - work: Asked every some blocks.
    package mutating func quantize(
        _ blocks: inout MutableRawSpan, at offset: Int, count: Int, work: inout WorkGuard
    ) throws(ImageError) {
        for block in 0..<count {
            // A block of noise takes as long as some hundred bytes.
            try work.spend(256)
            quantizeBlock(&blocks, at: offset + 128 * block)
        }
        updateCosts()
    }

    private mutating func quantizeBlock(_ block: inout MutableRawSpan, at offset: Int) {
        let dc = block.coefficient(offset, 0)
        let dcLevel = Int16(truncatingIfNeeded: Int(Float(dc.magnitude) * reciprocals[0] + 0.5))
        block.setCoefficient(dc < 0 ? -dcLevel : dcLevel, offset, 0)
        measure(block.bytes, offset)
        paths.removeAll(keepingCapacity: true)
        paths.append(Path(index: 0, level: 0, cost: 0, previous: 0))
        for index in 1..<64 where magnitudes[index] >= 0.5 { extend(to: index) }
        write(bestEnd(), &block, offset)
    }

    private mutating func measure(_ block: RawSpan, _ offset: Int) {
        var sum: Float = 0
        for index in 1..<64 {
            let magnitude = Float(block.coefficient(offset, index).magnitude) * reciprocals[index]
            sum += magnitude * magnitude
            magnitudes[index] = magnitude
            squares[index] = sum
        }
    }

    private static func bitCount(_ level: Int) -> Int { Int.bitWidth - level.leadingZeroBitCount }

    /// Adds the best path that ends at a coefficient.
    private mutating func extend(to index: Int) {
        let magnitude = magnitudes[index]
        let rounded = Int(magnitude + 0.5)
        var best = Path(index: index, level: 0, cost: .infinity, previous: 0)
        let shorter = rounded > 1 ? (1 << Self.bitCount(rounded - 1)) - 1 : 0
        let smaller = shorter < rounded ? shorter : shorter >> 1
        var last = -1
        for level in [rounded, rounded - 1, smaller] where level > 0 && level != last {
            last = level
            let error = magnitude - Float(level)
            let size = Self.bitCount(level)
            for (number, path) in paths.enumerated() {
                let run = index - path.index - 1
                let zeros = squares[index - 1] - squares[path.index]
                let symbols = Float(run >> 4) * costs[Self.sixteenZeros] + costs[(run & 15) << 4 | size]
                let cost = path.cost + zeros + error * error + symbols
                if cost < best.cost { best = Path(index: index, level: level, cost: cost, previous: number) }
            }
        }
        paths.append(best)
    }

    /// The path after which nothing is kept.
    private func bestEnd() -> Int {
        var (best, least) = (0, Float.infinity)
        for (number, path) in paths.enumerated() {
            let end = path.index == 63 ? 0 : costs[Self.endOfBlock]
            let cost = path.cost + squares[63] - squares[path.index] + end
            if cost < least { (best, least) = (number, cost) }
        }
        return best
    }

    /// Writes the levels of a path, and counts their symbols.
    private mutating func write(_ end: Int, _ block: inout MutableRawSpan, _ offset: Int) {
        var number = end
        var next = 64
        if paths[number].index < 63 { counts[Self.endOfBlock] += 1 }
        while number > 0 {
            let path = paths[number]
            for index in path.index + 1..<next { block.setCoefficient(0, offset, index) }
            let level = Int16(truncatingIfNeeded: path.level)
            block.setCoefficient(block.coefficient(offset, path.index) < 0 ? -level : level, offset, path.index)
            let run = path.index - paths[path.previous].index - 1
            counts[Self.sixteenZeros] += Double(run >> 4)
            counts[(run & 15) << 4 | Self.bitCount(path.level)] += 1
            next = path.index
            number = path.previous
        }
        for index in 1..<next { block.setCoefficient(0, offset, index) }
    }
}

// Coefficients of a block. They are looked at 64 times a block: words of `ImageEncoding` would be as many calls.

extension RawSpan {
    @inline(__always)
    fileprivate func coefficient(_ block: Int, _ index: Int) -> Int16 {
        Int16(bitPattern: nativeUInt16(at: block + 2 * index))
    }
}

extension MutableRawSpan {
    @inline(__always)
    fileprivate func coefficient(_ block: Int, _ index: Int) -> Int16 { bytes.coefficient(block, index) }

    @inline(__always)
    fileprivate mutating func setCoefficient(_ value: Int16, _ block: Int, _ index: Int) {
        storeBytes(of: value, toByteOffset: block + 2 * index, as: Int16.self)
    }
}
