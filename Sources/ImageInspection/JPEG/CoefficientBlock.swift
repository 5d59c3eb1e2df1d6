// One block of a JPEG picture taken apart: its coefficients, the pattern that each stands for, and what it is coded as.

public import ImageCodecsCore
import JPEGBaselineCodec

/// A block of a JPEG picture, 8x8 samples of its first component (luma), as a sum of 64 patterns.
///
/// All lists of 64 are in rows: the number at `8 * v + u` is of the pattern with `u` half waves across and `v` half waves down.
///
/// ```swift
/// let map = try FileMap(of: ImageData(contentsOfFile: "photo.jpg"), block: (x: 120, y: 64))
/// if let block = map.block { print(block.place, block.bitCount, block.coefficients) }
/// ```
public struct CoefficientBlock: Hashable, Sendable {
    /// Something that the block is coded as.
    public struct Symbol: Hashable, Sendable {
        /// The scan, from 0.
        public let scanIndex: Int
        /// Bits of the Huffman code; 0 for bits that have none.
        public let codeBitCount: Int
        /// Bits that follow it.
        public let valueBitCount: Int
        /// What it says: `3 zeros, then -2`.
        public let text: String
    }

    /// Pixels of the picture that the block covers, which may reach beyond its right and lower edges.
    public let place: PixelRect
    /// Bits of the block, of all scans.
    public let bitCount: Int
    /// The coefficients as they are coded, divided by their steps.
    public let coefficients: [Int]
    /// The step of each coefficient; 1 for all if the file does not say.
    public let steps: [Int]
    /// What is coded, in the order of the file; the first 1000. The bits of all of them are ``bitCount``.
    public let symbols: [Symbol]

    /// One coefficient's part of the block, 64 samples around 0: its cosine pattern, weighted by coefficient and step.
    ///
    /// The sum of all 64 patterns and 128 is the block.
    ///
    /// - Parameter index: 0...63.
    /// - Source: ITU-T T.81 (1992) §A.3.3 "FDCT and IDCT (informative)".
    public func pattern(_ index: Int) -> [Double] {
        let (u, v) = (index % 8, index / 8)
        let half = 0.5.squareRoot()
        let weight = Double(coefficients[index] * steps[index]) / 4 * (u == 0 ? half : 1) * (v == 0 ? half : 1)
        return (0..<64).map { weight * Self.cosine((2 * ($0 % 8) + 1) * u) * Self.cosine((2 * ($0 / 8) + 1) * v) }
    }

    /// The samples, 0...255: all patterns and 128, rounded.
    public var samples: [Int] {
        let sums = (0..<64).filter { coefficients[$0] != 0 }.reduce(into: [Double](repeating: 128, count: 64)) {
            sums, index in
            for (place, value) in zip(0..., pattern(index)) { sums[place] += value }
        }
        return sums.map(Self.level)
    }

    static func level(_ value: Double) -> Int { Int(min(max(value.rounded(), 0), 255)) }

    /// The cosine of a sixteenth of pi, this many times.
    private static func cosine(_ count: Int) -> Double {
        let turned = count % 32
        let place = turned > 16 ? 32 - turned : turned
        return place > 8 ? -cosines[16 - place] : cosines[place]
    }

    private static let cosines = [
        1, 0.980_785_280_403_230_4, 0.923_879_532_511_286_7, 0.831_469_612_302_545_2, 0.707_106_781_186_547_5,
        0.555_570_233_019_602_2, 0.382_683_432_365_089_8, 0.195_090_322_016_128_25, 0,
    ]
}

/// What a walk keeps of one block.
struct BlockWatch: Sendable {
    /// The block: its component, and its place in the component's grid.
    let component: Int, place: Int
    private(set) var bitCount = 0
    private(set) var symbols: [CoefficientBlock.Symbol] = []
    /// In natural order.
    private(set) var coefficients = [Int](repeating: 0, count: 64)

    /// A damaged file may have any number of scans.
    private static let maxSymbolCount = 1000

    init(component: Int, place: Int) { (self.component, self.place) = (component, place) }

    /// Sets a coefficient by its place in the zig-zag order; those beyond the block are left out.
    mutating func set(_ position: Int, to value: Int) {
        if position < 64 { coefficients[Int(ZigZagOrder.natural[position])] = value }
    }

    /// Adds to the magnitude of a coefficient.
    mutating func enlarge(_ position: Int, by amount: Int) {
        let place = Int(ZigZagOrder.natural[position])
        coefficients[place] += coefficients[place] < 0 ? -amount : amount
    }

    mutating func add(scan: Int, codeBitCount: Int, bitCount: Int, _ text: String) {
        self.bitCount += bitCount
        guard symbols.count < Self.maxSymbolCount else { return }
        symbols.append(
            CoefficientBlock.Symbol(
                scanIndex: scan, codeBitCount: codeBitCount, valueBitCount: bitCount - codeBitCount, text: text))
    }

    // Words for symbols. `low` is the number of bits that are left to later scans.

    /// - Parameter difference: to the coefficient of the block before.
    static func dc(_ difference: Int, low: Int) -> String {
        difference == 0
            ? "DC coefficient: that of the block before"
            : "DC coefficient: \(words(abs(difference), low)) \(difference > 0 ? "more" : "less") than in the block before"
    }

    static func zeros(_ count: Int) -> String { count == 1 ? "1 zero" : "\(count) zeros" }

    static func zeros(_ count: Int, then value: Int, low: Int) -> String {
        (count > 0 ? zeros(count) + ", then " : "") + words(value, low)
    }

    /// What a refinement passes on the way.
    static func corrections(_ count: Int) -> String {
        count == 0 ? "" : ", and a bit more of \(count == 1 ? "one that is" : "\(count) that are") there on the way"
    }

    private static func words(_ value: Int, _ low: Int) -> String {
        low > 0 ? "\(value) times \(1 << low)" : "\(value)"
    }

    /// - Parameter rest: blocks after this one that end with it.
    static func end(_ rest: Int) -> String {
        rest == 0 ? "end of the block" : "end of this block and the next \(rest == 1 ? "one" : "\(rest)")"
    }
}
