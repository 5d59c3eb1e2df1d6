// The codes of a GIF image one by one: how many pixels each stands for. Which pixels they are does not matter here.

import ImageCodecsCore

/// Walks through the codes of one image.
///
/// Source: GIF89a appendix F "Variable-Length-Code LZW Compression".
struct LZWWalk {
    /// A string of pixels: how many there are, and the bits of its code.
    struct Run {
        let pixelCount: Int
        let bitCount: Int
    }

    private(set) var codeCount = 0
    private(set) var codeBitCount = 0
    private(set) var pixelCount = 0
    private(set) var clearCount = 0
    private(set) var clearBitCount = 0
    private(set) var endBitCount = 0
    /// Codes read while the table was full.
    private(set) var fullTableCodeCount = 0
    private(set) var longestRun = 0
    private(set) var damage: String?
    private(set) var hasEnd = false

    private let minimumCodeSize: Int
    private let maxPixelCount: Int
    /// Pixels of the string of each code.
    private var lengths = [Int32](repeating: 0, count: 4096)
    private var next = 0
    private var width = 0
    private var previous: Int?

    /// - Parameters:
    ///   - minimumCodeSize: as the file has it.
    ///   - maxPixelCount: pixels of the image; the walk ends after them.
    init(minimumCodeSize: Int, maxPixelCount: Int) {
        (self.minimumCodeSize, self.maxPixelCount) = (minimumCodeSize, maxPixelCount)
        for literal in 0..<min(1 << min(minimumCodeSize, 12), 4096) { lengths[literal] = 1 }
        clear()
    }

    private mutating func clear() {
        (next, width, previous) = ((1 << minimumCodeSize) + 2, minimumCodeSize + 1, nil)
    }

    /// Reads all codes.
    ///
    /// - Parameters:
    ///   - bytes: data of all sub-blocks.
    ///   - body: gets each string, the place of its first pixel, and the size of its code.
    mutating func run(
        _ bytes: Span<UInt8>, _ work: inout WorkGuard, _ body: (_ run: Run, _ place: Int, _ codeSize: Int) -> Void
    ) throws(ImageError) {
        guard (1...11).contains(minimumCodeSize) else {
            damage = "the minimum code size is \(minimumCodeSize)"
            return
        }
        var reader = LowBitReader()
        let clearCode = 1 << minimumCodeSize
        while let code = reader.read(width, bytes) {
            if code == clearCode {
                clearCount += 1
                clearBitCount += width
                clear()
                try work.spend(1)
                continue
            }
            if code == clearCode + 1 {
                (endBitCount, hasEnd) = (width, true)
                return
            }
            guard pixelCount < maxPixelCount else {
                damage = "there are codes after the last pixel"
                return
            }
            guard let length = length(of: code) else {
                damage = "a code is not in the table"
                return
            }
            try work.spend(length)
            body(Run(pixelCount: length, bitCount: width), pixelCount, width)
            codeCount += 1
            codeBitCount += width
            pixelCount += length
            longestRun = max(longestRun, length)
            extend(code)
        }
        // An image without any data is one that decoders show nothing of.
        damage = pixelCount < maxPixelCount && bytes.count > 0 ? "it is cut off" : nil
    }

    /// Pixels of a code that is in the table, or the next to come.
    private func length(of code: Int) -> Int? {
        guard let previous else { return code < 1 << minimumCodeSize ? 1 : nil }
        return code < next ? Int(lengths[code]) : code == next && next < 4096 ? Int(lengths[previous]) + 1 : nil
    }

    private mutating func extend(_ code: Int) {
        defer { previous = code }
        guard let previous else { return }
        guard next < 4096 else {
            fullTableCodeCount += 1
            return
        }
        lengths[next] = lengths[previous] + 1
        next += 1
        if next == 1 << width, width < 12 { width += 1 }
    }
}
