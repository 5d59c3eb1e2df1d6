// The symbols of the five prefix codes in one numbering, and what copies are in them.

import ImageCodecsCore

/// Where the symbols of each code of a group begin, in tables that have them all.
///
/// Green's alphabet is in two parts: values and lengths first, then, after all others, places of the color cache.
enum PixelSymbols {
    static let green = 0
    static let length = PrefixAlphabet.literalCount
    static let red = length + PrefixAlphabet.lengthCount
    static let blue = red + PrefixAlphabet.literalCount
    static let alpha = blue + PrefixAlphabet.literalCount
    static let distance = alpha + PrefixAlphabet.literalCount
    static let cache = distance + PrefixAlphabet.distanceCount

    /// The symbols of a pixel's channels.
    @inline(__always) static func green(of pixel: UInt32) -> Int { green &+ Int(pixel &>> 8 & 255) }
    @inline(__always) static func red(of pixel: UInt32) -> Int { red &+ Int(pixel &>> 16 & 255) }
    @inline(__always) static func blue(of pixel: UInt32) -> Int { blue &+ Int(pixel & 255) }
    @inline(__always) static func alpha(of pixel: UInt32) -> Int { alpha &+ Int(pixel &>> 24) }

    /// How many symbols there are.
    static func count(cacheBits: Int) -> Int { cache + (cacheBits > 0 ? 1 << cacheBits : 0) }

    /// The symbols of each of the five codes, in their order; those of green's second part follow its first.
    static func ranges(cacheBits: Int) -> [[Range<Int>]] {
        [
            [green..<red, cache..<count(cacheBits: cacheBits)], [red..<blue], [blue..<alpha], [alpha..<distance],
            [distance..<cache],
        ]
    }

    /// The prefix code of a length or of a distance code, and its extra bits.
    ///
    /// - Parameter value: at least 1.
    /// - Source: RFC 9649 section 3.6.2.2 "LZ77 Backward Reference".
    @inline(__always)
    static func prefix(_ value: Int) -> (symbol: Int, extraCount: Int, extra: Int) {
        let rest = value &- 1
        guard rest > 3 else { return (rest, 0, 0) }
        let exponent = Int.bitWidth &- 1 &- rest.leadingZeroBitCount
        let extraCount = exponent &- 1
        return (2 &* exponent &+ (rest &>> extraCount) & 1, extraCount, rest & (1 &<< extraCount &- 1))
    }
}

/// Distance codes by distance, for pictures of one width.
struct DistanceCodes: Sendable {
    /// The codes of short distances, 0 for those that have no near place.
    private var near: [UInt8]

    init(width: Int) {
        let distances = BackwardReferences.nearDistances(width: width)
        near = Array(repeating: 0, count: Int(distances.max() ?? 0) + 1)
        for code in distances.indices.reversed() { near[Int(distances[code])] = UInt8(code + 1) }
    }

    /// Distances below this may have a near place.
    var nearCount: Int { near.count }

    /// The code, at least 1.
    func code(_ distance: Int) -> Int {
        if distance < near.count, near[distance] > 0 { return Int(near[distance]) }
        return distance + BackwardReferences.nearCount
    }
}

/// A stretch of pixels that are written one by one, and the copy after it.
///
/// In one word: pixels from bit 32 on, length less one from bit 20 on, distance less one.
struct CopyStep: Sendable {
    let word: UInt64

    init(word: UInt64) { self.word = word }

    init(pixelCount: Int, length: Int, distance: Int) {
        word = UInt64(pixelCount) << 32 | UInt64(PackedCopy.make(length: length, distance: distance))
    }

    var pixelCount: Int { Int(word >> 32) }
    var length: Int { PackedCopy.length(UInt32(truncatingIfNeeded: word)) }
    var distance: Int { PackedCopy.distance(UInt32(truncatingIfNeeded: word)) }
}

/// What the pixels of an image are written as: the copies in their order; pixels after the last are written one by one.
struct CopyList: Sendable {
    private(set) var words: NumberBuffer<UInt64>
    private(set) var count = 0

    init(pixelCount: Int, meter: MemoryMeter?) throws(ImageError) {
        words = try NumberBuffer(count: pixelCount / 2 + 1, meter: meter)
    }

    mutating func removeAll() { count = 0 }

    /// Pixels of all copies.
    var pixelCount: Int { withSpan { words in words.indices.reduce(0) { $0 + CopyStep(word: words[$1]).length } } }

    /// Lets a loop append: it gets room for all, and the number of steps.
    mutating func withWords(_ body: (inout MutableSpan<UInt64>, inout Int) -> Void) {
        var count = count
        words.withMutableSpan { body(&$0, &count) }
        self.count = count
    }

    func withSpan<R, E: Error>(_ body: (Span<UInt64>) throws(E) -> R) throws(E) -> R {
        try words.withSpan { (words) throws(E) in try body(words.extracting(0..<count)) }
    }
}

/// Walks over an image as it is written: stretches of pixels that lie in one block, and copies.
struct CodedSteps {
    enum Step {
        /// Pixels of these indices, one by one.
        case pixels(Range<Int>)
        /// Pixels of these indices, from this many pixels before.
        case copy(Range<Int>, distance: Int)
    }

    private let width: Int
    private let sizeBits: Int
    private let end: Int
    private var position = 0
    /// Of ``position``.
    private var x = 0, y = 0
    private var index = 0
    private var pixelsLeft = 0
    private var pending: CopyStep?

    /// - Parameters:
    ///   - sizeBits: of the blocks; more than any side has if there are none.
    init(width: Int, pixelCount: Int, sizeBits: Int) {
        self.width = width
        self.sizeBits = sizeBits
        end = pixelCount
    }

    private mutating func advance(_ count: Int) {
        position += count
        x += count
        guard x >= width else { return }
        if x < 2 * width {
            x -= width
            y += 1
        } else {
            y += x / width
            x %= width
        }
    }

    /// The next step, and the block that it begins in; `nil` after the last.
    @inline(__always)
    mutating func next(_ copies: Span<UInt64>) -> (step: Step, blockColumn: Int, blockRow: Int)? {
        if pixelsLeft == 0, pending == nil {
            guard position < end else { return nil }
            if index < copies.count {
                let step = CopyStep(word: copies[index])
                index += 1
                pixelsLeft = step.pixelCount
                pending = step
            } else {
                pixelsLeft = end - position
            }
        }
        let (column, row) = (x >> sizeBits, y >> sizeBits)
        if pixelsLeft > 0 {
            let stop = min(width, (column + 1) << sizeBits) - x
            let count = min(pixelsLeft, stop)
            let range = position..<position + count
            pixelsLeft -= count
            advance(count)
            return (.pixels(range), column, row)
        }
        guard let step = pending else { return nil }
        pending = nil
        let range = position..<position + step.length
        advance(step.length)
        return (.copy(range, distance: step.distance), column, row)
    }
}
