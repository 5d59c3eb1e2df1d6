// What the pixels of an image are written as: one by one, or as copies of earlier ones.

import ImageCodecsCore

/// The copies of an image in their order, and how many pixels between them are written one by one; those after the last copy are too.
///
/// A word is a ``PackedCopy``, or a number of pixels, which is less than the least copy. Words are held in pieces: as many as it takes,
/// and none is copied when there are more.
struct CopyList: Sendable {
    private struct Piece: Sendable {
        var words: NumberBuffer<UInt32>
        var count = 0
    }

    private var pieces: [Piece] = []
    /// Pieces that have words.
    private var usedCount = 0
    private let pieceWordCount: Int
    /// Words that a stretch of pixels before a copy takes more than one.
    private let runWordCount: Int
    private let meter: MemoryMeter?

    /// A list that is empty and stays so.
    static let none = CopyList(pixelCount: 0, meter: nil)

    /// Allocates nothing.
    ///
    /// - Parameter pixelCount: of the image.
    init(pixelCount: Int, meter: MemoryMeter?) {
        pieceWordCount = min(Self.largestPieceWordCount, Self.wordCount(pixelCount))
        runWordCount = pixelCount / Self.largestRun
        self.meter = meter
    }

    private static let largestPieceWordCount = 1 << 16
    /// Pixels of which copies are appended at once.
    static let stepPixelCount = 1 << 12

    /// Bytes that a list holds at most. Saturates.
    static func byteCount(pixelCount: Int) -> Int {
        let words = wordCount(pixelCount)
        // What a step did not need is left at the end of a piece.
        return (words + words / 16).addingSaturated(min(largestPieceWordCount, words)).multipliedSaturated(by: 4)
    }

    /// Bytes of a piece of the list of this many pixels.
    static func pieceByteCount(pixelCount: Int) -> Int { 4 * min(largestPieceWordCount, wordCount(pixelCount)) }

    /// Words that this many pixels take at most: one by itself and a copy of two, again and again; each step may cut such a pair.
    private static func wordCount(_ pixelCount: Int) -> Int {
        pixelCount - pixelCount / 3 + 4 * (pixelCount / stepPixelCount + 1) + pixelCount / largestRun
    }

    var isEmpty: Bool { usedCount == 0 }

    /// The memory is kept for other copies.
    mutating func removeAll() { usedCount = 0 }

    /// Lets a loop append what is written from some pixels on.
    ///
    /// - Parameters:
    ///   - stepCount: how many pixels, at most ``stepPixelCount``.
    ///   - body: gets the words of a piece and how many there are; appends by ``append(_:after:to:at:)``.
    mutating func append(
        _ stepCount: Int, _ body: (inout MutableSpan<UInt32>, inout Int) -> Void
    ) throws(ImageError) {
        let needed = min(pieceWordCount, Self.wordCount(stepCount) + runWordCount)
        if usedCount == 0 || pieceWordCount - pieces[usedCount - 1].count < needed {
            if usedCount == pieces.count {
                pieces.append(Piece(words: try NumberBuffer(count: pieceWordCount, meter: meter)))
            }
            pieces[usedCount].count = 0
            usedCount += 1
        }
        // Taken out for the call, so that nothing is copied.
        var words = pieces[usedCount - 1].words.handedOver()
        var count = pieces[usedCount - 1].count
        words.withMutableSpan { body(&$0, &count) }
        pieces[usedCount - 1] = Piece(words: words, count: count)
        if count == 0 { usedCount -= 1 }
    }

    /// Appends a copy.
    ///
    /// - Parameters:
    ///   - copy: a ``PackedCopy``, at least two pixels.
    ///   - pixelCount: pixels before it that are written one by one.
    @inline(__always)
    static func append(
        _ copy: UInt32, after pixelCount: Int, to words: inout MutableSpan<UInt32>, at count: inout Int
    ) {
        var left = pixelCount
        while left > 0 {
            let part = min(left, largestRun)
            words[count] = UInt32(truncatingIfNeeded: part)
            count &+= 1
            left &-= part
        }
        words[count] = copy
        count &+= 1
    }

    /// The most pixels in one word.
    private static var largestRun: Int { Int(PackedCopy.make(length: 2, distance: 1)) &- 1 }

    /// Pixels of all copies.
    var pixelCount: Int {
        var sum = 0
        forEachPiece { words, _ in
            for index in words.indices where Int(words[index]) > Self.largestRun {
                sum += PackedCopy.length(words[index])
            }
        }
        return sum
    }

    /// Lets a loop read the words of each piece; at least once.
    fileprivate func forEachPiece<E: Error>(
        _ body: (_ words: Span<UInt32>, _ isLast: Bool) throws(E) -> Void
    ) throws(E) {
        guard !isEmpty else { return try body(Span(), true) }
        for index in 0..<usedCount {
            try pieces[index].words.withSpan { (words) throws(E) in
                try body(words.extracting(0..<pieces[index].count), index == usedCount - 1)
            }
        }
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
    private var pixelsLeft = 0

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

    /// Walks to the end of the image.
    ///
    /// - Parameter body: gets each step and the block that it begins in.
    @inline(__always)
    mutating func walk<E: Error>(
        _ copies: CopyList, _ body: (_ step: Step, _ blockColumn: Int, _ blockRow: Int) throws(E) -> Void
    ) throws(E) {
        try copies.forEachPiece { (words, isLast) throws(E) in
            var index = 0
            while let next = next(words, &index, isLast: isLast) {
                try body(next.step, next.blockColumn, next.blockRow)
            }
        }
    }

    /// The next step, and the block that it begins in; `nil` if the words are used up, after the last ones when the image ends.
    @inline(__always)
    private mutating func next(
        _ words: Span<UInt32>, _ index: inout Int, isLast: Bool
    ) -> (step: Step, blockColumn: Int, blockRow: Int)? {
        var copy: UInt32 = 0
        if pixelsLeft == 0 {
            if index < words.count {
                let word = words[index]
                index += 1
                if PackedCopy.length(word) > 1 { copy = word } else { pixelsLeft = Int(word) }
            } else {
                guard isLast, position < end else { return nil }
                pixelsLeft = end - position
            }
        }
        let (column, row) = (x >> sizeBits, y >> sizeBits)
        if copy != 0 {
            let range = position..<position + PackedCopy.length(copy)
            advance(range.count)
            return (.copy(range, distance: PackedCopy.distance(copy)), column, row)
        }
        let count = min(pixelsLeft, min(width, (column + 1) << sizeBits) - x)
        let range = position..<position + count
        pixelsLeft -= count
        advance(count)
        return (.pixels(range), column, row)
    }
}
