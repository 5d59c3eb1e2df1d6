// A decoder of VP8L by the book, made of the kernels' plain twins: what the real one is compared with.
//
// Source: RFC 9649 section 3 "Specification for WebP Lossless Bitstream".

import WebPLosslessCodec

/// Decodes a whole bitstream.
struct PlainVP8L {
    /// What stops it.
    enum Failure: Error { case damaged, truncated }

    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    private mutating func read(_ count: Int) throws -> Int {
        guard position + count <= bytes.count * 8 else { throw Failure.truncated }
        defer { position += count }
        return (0..<count).reduce(0) { value, place in
            let bit = position + place
            return value | Int(bytes[bit / 8] >> UInt8(bit % 8) & 1) << place
        }
    }

    private mutating func flag() throws -> Bool { try read(1) == 1 }

    /// The pixels of a picture.
    static func picture(_ bytes: [UInt8]) throws -> (width: Int, height: Int, pixels: [UInt32]) {
        var decoder = PlainVP8L(bytes)
        guard try decoder.read(8) == 0x2F else { throw Failure.damaged }
        let (width, height) = (try decoder.read(14) + 1, try decoder.read(14) + 1)
        _ = try decoder.read(1)
        guard try decoder.read(3) == 0 else { throw Failure.damaged }
        return (width, height, try decoder.pixels(width, height))
    }

    /// Everything after the header.
    mutating func pixels(_ width: Int, _ height: Int) throws -> [UInt32] {
        var undo: [([UInt32]) -> [UInt32]] = []
        var seen: Set<Int> = []
        var coded = width
        while try flag() {
            let kind = try read(2)
            guard seen.insert(kind).inserted else { throw Failure.damaged }
            let width = coded
            switch kind {
            case 0, 1:
                let bits = try read(3) + 2
                let data = try image((coded - 1) >> bits + 1, (height - 1) >> bits + 1, isMain: false)
                if kind == 0 {
                    let modes = data.map { UInt8($0 >> 8 & 15) }
                    undo.append { TransformReference.undoPredictor($0, width: width, modes: modes, sizeBits: bits) }
                } else {
                    undo.append { TransformReference.undoColor($0, width: width, factors: data, sizeBits: bits) }
                }
            case 2: undo.append { TransformReference.addGreen($0) }
            default:
                let count = try read(8) + 1
                let differences = try image(count, 1, isMain: false)
                let colors = TransformReference.undoPredictor(
                    differences, width: count, modes: Array(repeating: 1, count: count), sizeBits: 0)
                // The first color is as it is; a prediction made it more opaque by 255.
                let firstAlpha = (differences[0] >> 24) &- (colors[0] >> 24)
                let palette = colors.map { ($0 & 0xFF_FFFF) | (($0 >> 24) &+ firstAlpha) << 24 }
                let bits = count > 16 ? 0 : count > 4 ? 1 : count > 2 ? 2 : 3
                coded = (width - 1) >> bits + 1
                undo.append {
                    TransformReference.undoIndexing(
                        $0.map { UInt8(truncatingIfNeeded: $0 >> 8) }, width: width, colors: palette, bundleBits: bits)
                }
            }
        }
        return undo.reversed().reduce(try image(coded, height, isMain: true)) { $1($0) }
    }

    /// An entropy-coded image.
    mutating func image(_ width: Int, _ height: Int, isMain: Bool) throws -> [UInt32] {
        let cacheBits = try flag() ? read(4) : 0
        guard cacheBits <= 11 else { throw Failure.damaged }
        var (sizeBits, blocks) = (0, [UInt16]())
        if isMain, try flag() {
            sizeBits = try read(3) + 2
            let numbers = try image((width - 1) >> sizeBits + 1, (height - 1) >> sizeBits + 1, isMain: false)
            blocks = numbers.map { UInt16($0 >> 8 & 0xFFFF) }
        }
        var groups: [PixelKernelReference.Group] = []
        for _ in 0...(blocks.max() ?? 0) {
            groups.append(
                try (0..<5).map { try code(PrefixAlphabet.count($0, cacheBits: cacheBits)) })
        }
        let shape = PixelShape(
            width: width, pixelCount: width * height, cacheBits: cacheBits, sizeBits: sizeBits,
            blocksPerRow: sizeBits > 0 ? (width - 1) >> sizeBits + 1 : 0)
        var decoder = PixelKernelReference(groups: groups, shape, blocks: blocks, input: bytes, bitPosition: position)
        let result = decoder.decode()
        position = result.bitPosition
        switch result.pause {
        case .reachedStop: return result.pixels
        case .inputUsed: throw Failure.truncated
        // The last is of decoders that keep less than pixels.
        case .outside, .unsetColor: throw Failure.damaged
        }
    }

    private mutating func code(_ alphabet: Int) throws -> PrefixCodeReference {
        var lengths = [UInt8](repeating: 0, count: max(alphabet, 256))
        if try flag() {
            let hasTwo = try flag()
            lengths[try read(try flag() ? 8 : 1)] = 1
            if hasTwo { lengths[try read(8)] = 1 }
            return try PrefixCodeReference(Array(lengths[..<alphabet]))
        }
        let order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        var codeLengths = [UInt8](repeating: 0, count: 19)
        for symbol in order.prefix(try read(4) + 4) { codeLengths[symbol] = UInt8(try read(3)) }
        let code = try PrefixCodeReference(codeLengths)
        var left = alphabet
        if try flag() {
            let bits = 2 + 2 * (try read(3))
            left = 2 + (try read(bits))
            guard left <= alphabet else { throw Failure.damaged }
        }
        var (place, previous) = (0, UInt8(8))
        while place < alphabet, left > 0 {
            guard let symbol = code.symbol({ try? read(1) }) else { throw Failure.truncated }
            var (run, value) = (1, UInt8(0))
            switch symbol {
            case 16: (run, value) = (try read(2) + 3, previous)
            case 17: run = try read(3) + 3
            case 18: run = try read(7) + 11
            default: value = UInt8(symbol)
            }
            guard place + run <= alphabet else { throw Failure.damaged }
            for _ in 0..<run {
                lengths[place] = value
                place += 1
            }
            if value != 0 { previous = value }
            left -= 1
        }
        return try PrefixCodeReference(Array(lengths[..<alphabet]))
    }
}
