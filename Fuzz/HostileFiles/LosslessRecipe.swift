// VP8L bitstreams with any transforms, caches and prefix codes, sound and not.

package import CodecTestSupport

/// Makes the bitstream of one lossless picture, or of the alpha of a lossy one.
///
/// - Source: RFC 9649 §3.8.1 "Overall Structure" and what stands before it.
package struct LosslessRecipe {
    private var source: DecisionSource
    private var writer = LosslessBitWriter()
    private let (width, height): (Int, Int)

    private static let lengthPrefixCount = 24
    private static let distancePrefixCount = 40

    /// A bitstream.
    ///
    /// - Parameters:
    ///   - isAlpha: whether there is no header.
    ///   - source: is left where the decisions end.
    package static func bytes(
        width: Int, height: Int, isAlpha: Bool = false, _ source: inout DecisionSource
    ) -> [UInt8] {
        var recipe = LosslessRecipe(width, height, source)
        if !isAlpha { recipe.writeHeader() }
        recipe.writePicture()
        source = recipe.source
        var bytes = recipe.writer.bytes
        if source.isFault(oneIn: 30) { bytes = Array(bytes.prefix(source.below(bytes.count + 1))) }
        if source.isFault(oneIn: 40), !bytes.isEmpty { bytes[source.below(bytes.count)] = source.byte() }
        return bytes
    }

    private init(_ width: Int, _ height: Int, _ source: DecisionSource) {
        (self.width, self.height) = (width, height)
        self.source = source
    }

    private mutating func writeHeader() {
        writer.put(source.isFault(oneIn: 300) ? Int(source.byte()) : 0x2F, 8)
        writer.put(width - 1, 14)
        writer.put(height - 1, 14)
        writer.put(source.below(2), 1)
        writer.put(source.isFault(oneIn: 200) ? source.below(8) : 0, 3)
    }

    private mutating func writePicture() {
        var codedWidth = width
        var kinds = [0, 1, 2, 3].filter { _ in source.oneIn(3) }
        if source.oneIn(2) { kinds.reverse() }
        if source.isFault(oneIn: 80) { kinds.append(source.below(4)) }
        for kind in kinds {
            writer.put(1, 1)
            writer.put(kind, 2)
            switch kind {
            case 2: break
            case 3: writePalette(&codedWidth)
            default:
                let bits = 2 + source.below(8)
                writer.put(bits - 2, 3)
                writeImage(width: blocks(codedWidth, bits), height: blocks(height, bits), isMain: false)
            }
        }
        writer.put(0, 1)
        writeImage(width: codedWidth, height: height, isMain: true)
    }

    private func blocks(_ side: Int, _ bits: Int) -> Int { (side + 1 << bits - 1) >> bits }

    private mutating func writePalette(_ codedWidth: inout Int) {
        let count = source.pick([1, 2, 2, 3, 4, 5, 16, 17, 256, 1 + source.below(256)])
        writer.put(count - 1, 8)
        writeImage(width: count, height: 1, isMain: false)
        let bits = count <= 2 ? 3 : count <= 4 ? 2 : count <= 16 ? 1 : 0
        codedWidth = blocks(codedWidth, bits)
    }

    /// An entropy-coded image.
    private mutating func writeImage(width: Int, height: Int, isMain: Bool) {
        var cacheBits = 0
        let hasCache = source.oneIn(3)
        writer.put(hasCache ? 1 : 0, 1)
        if hasCache {
            cacheBits = source.isFault(oneIn: 20) ? source.below(16) : 1 + source.below(source.oneIn(8) ? 11 : 5)
            writer.put(cacheBits, 4)
        }
        var groupCount = 1
        if isMain {
            let hasGroups = source.oneIn(4)
            writer.put(hasGroups ? 1 : 0, 1)
            if hasGroups {
                let bits = 2 + source.below(8)
                writer.put(bits - 2, 3)
                groupCount = writeEntropyImage(width: blocks(width, bits), height: blocks(height, bits))
            }
        }
        let cacheCount = (1..<12).contains(cacheBits) ? 1 << cacheBits : 0
        writeGroups(groupCount, cacheCount: cacheCount, width: width, height: height)
    }

    /// Which group each block has, all numbers below a few, or a large one that nobody meant.
    ///
    /// - Returns: the number of groups that have to follow.
    private mutating func writeEntropyImage(width: Int, height: Int) -> Int {
        writer.put(0, 1)
        let largest = source.isFault(oneIn: 40) ? source.below(65_536) : source.below(source.oneIn(6) ? 200 : 5)
        // Red is the higher byte of a number, green the lower.
        let green = FlatPrefixCode([largest & 255, 0], alphabetSize: 1, &source)
        let red = FlatPrefixCode([largest >> 8], alphabetSize: 1, &source)
        let zero = FlatPrefixCode([0], alphabetSize: 1, &source)
        green.writeCode(&writer, alphabetSize: 256 + Self.lengthPrefixCount, &source)
        red.writeCode(&writer, alphabetSize: 256, &source)
        for size in [256, 256, Self.distancePrefixCount] { zero.writeCode(&writer, alphabetSize: size, &source) }
        var largestSeen = 0
        for _ in 0..<min(width * height, 100_000) {
            largestSeen = max(largestSeen, largest & 0xFF00 | green.writeAny(&writer, &source))
        }
        return largestSeen + 1
    }

    /// The same codes for every group, and the pixels.
    private mutating func writeGroups(_ groupCount: Int, cacheCount: Int, width: Int, height: Int) {
        var wanted: Set<Int> = [source.below(256)]
        for _ in 0..<source.pick([0, 1, 3, 7, 30, 200]) { wanted.insert(source.below(256)) }
        let copies = source.oneIn(2)
        if copies { for _ in 0...source.below(4) { wanted.insert(256 + source.below(source.oneIn(4) ? 24 : 8)) } }
        if cacheCount > 0 { for _ in 0...source.below(6) { wanted.insert(280 + source.below(cacheCount)) } }
        let greenSize = 256 + Self.lengthPrefixCount + cacheCount
        let green = FlatPrefixCode(wanted, alphabetSize: 256, &source)
        let colors = (0..<3).map { _ in
            FlatPrefixCode([source.below(256), source.below(256)], alphabetSize: 256, &source)
        }
        // Distances of a pixel or a row or two; far ones now and then.
        let near = Set([13, source.below(4)] + (source.oneIn(4) ? [source.below(40)] : []))
        let distance = FlatPrefixCode(near, alphabetSize: Self.distancePrefixCount, &source)
        for _ in 0..<min(groupCount, 2000) {
            green.writeCode(&writer, alphabetSize: greenSize, &source)
            for color in colors { color.writeCode(&writer, alphabetSize: 256, &source) }
            distance.writeCode(&writer, alphabetSize: Self.distancePrefixCount, &source)
        }
        writePixels(width: width, height: height, green, colors, distance)
    }

    private mutating func writePixels(
        width: Int, height: Int, _ green: FlatPrefixCode, _ colors: [FlatPrefixCode], _ distance: FlatPrefixCode
    ) {
        // Of huge pictures there is only the beginning.
        let total = width * height > 60_000 ? source.below(3000) : width * height
        let literal = green.symbols[0]
        var count = 0
        while count < total {
            let symbol: Int
            if count < min(8 * width + 8, total / 2), !source.isFault(oneIn: 50) {
                // Nothing to copy from yet, or not far enough.
                green.write(literal, &writer)
                symbol = literal
            } else {
                symbol = green.writeAny(&writer, &source)
            }
            if symbol < 256 {
                for color in colors { color.writeAny(&writer, &source) }
                count += 1
            } else if symbol < 280 {
                let length = writeExtraBits(of: symbol - 256)
                _ = writeExtraBits(of: distance.writeAny(&writer, &source))
                count += length
            } else {
                count += 1
            }
        }
    }

    /// The bits after a prefix code of a length or distance.
    ///
    /// - Returns: the value that they give.
    private mutating func writeExtraBits(of prefix: Int) -> Int {
        guard prefix >= 4 else { return prefix + 1 }
        let count = (prefix - 2) >> 1
        let extra = source.below(1 << min(count, 30))
        writer.put(extra, count)
        return (2 + prefix & 1) << count + extra + 1
    }
}
