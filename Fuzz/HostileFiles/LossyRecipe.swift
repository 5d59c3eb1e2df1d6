// VP8 key frames with any header, whose tokens are any bytes.
//
// Every bit string means something to a boolean decoder; what it means, the probabilities before it decide. So the
// header is written with care, tokens and modes are random, and probabilities bend them: to coefficients of eleven bits in
// every place, to one large coefficient in each block, to blocks that are all alike, or to none at all.

package import CodecTestSupport
internal import WebPLossyCodec

/// Makes one VP8 frame, the payload of a `VP8 ` chunk.
///
/// - Source: RFC 6386 section 9 "Frame Header", section 19.2 "Frame Header".
package struct LossyRecipe {
    private var source: DecisionSource
    private var header = BooleanWriter()
    private let (width, height): (Int, Int)

    /// A frame.
    ///
    /// - Parameter source: is left where the decisions end.
    package static func bytes(width: Int, height: Int, _ source: inout DecisionSource) -> [UInt8] {
        var recipe = LossyRecipe(source: source, width: width, height: height)
        var bytes = recipe.frame()
        source = recipe.source
        if source.isFault(oneIn: 20) { bytes = Array(bytes.prefix(source.below(bytes.count + 1))) }
        if source.isFault(oneIn: 20), !bytes.isEmpty { bytes[source.below(bytes.count)] ^= 1 << UInt8(source.below(8)) }
        return bytes
    }

    private init(source: DecisionSource, width: Int, height: Int) {
        (self.source, self.width, self.height) = (source, width, height)
    }

    /// Macroblocks that there are bytes for; of a huge frame the first.
    private var macroblockCount: Int { min(400, (width + 15) / 16 * ((height + 15) / 16)) }

    private mutating func frame() -> [UInt8] {
        let partitionCount = writeHeader()
        header.finish()
        // The modes of macroblocks: some four to twenty bits for each.
        var first = header.bytes + filling(upTo: 16 + 3 * macroblockCount, isScarce: source.isFault(oneIn: 20))
        if source.oneIn(30) { first += [UInt8](repeating: 0, count: source.below(3000)) }
        var (sizes, tokens): ([UInt8], [UInt8]) = ([], [])
        for partition in 0..<partitionCount {
            // A decoder reads some bits ahead; a partition that lasts is what most frames have.
            let isScarce = source.isFault(oneIn: 8)
            let bytes = filling(upTo: 64 + 200 * macroblockCount / partitionCount, isScarce: isScarce)
            tokens += bytes
            guard partition < partitionCount - 1 else { break }
            let size = source.isFault(oneIn: 30) ? source.pick([0, bytes.count + 1, 0xFF_FFFF]) : bytes.count
            sizes += [UInt8(size & 255), UInt8(size >> 8 & 255), UInt8(size >> 16)]
        }
        let firstSize = source.isFault(oneIn: 30) ? source.pick([0, 7, first.count + 1, 0x7_FFFF]) : first.count
        return head(firstPartitionByteCount: firstSize) + first + sizes + tokens
    }

    /// Bytes that are read as booleans: anyhow, or such that nearly all have one outcome.
    private mutating func filling(upTo most: Int, isScarce: Bool) -> [UInt8] {
        let count = isScarce ? source.below(most / 4 + 1) : most
        switch source.below(8) {
        case 0: return [UInt8](repeating: source.pick([0, 255, 128, 1]), count: count)
        case 1: return (0..<count).map { _ in source.oneIn(6) ? source.byte() : 0 }
        default:
            var random = DecisionSource(hashOf: source.bytes(8))
            return random.bytes(count)
        }
    }

    /// The frame tag, the start code and the size.
    private mutating func head(firstPartitionByteCount: Int) -> [UInt8] {
        let profile = source.isFault(oneIn: 40) ? source.below(8) : source.below(4)
        let isHidden = source.isFault(oneIn: 40)
        let isNoKeyFrame = source.isFault(oneIn: 40)
        let tag = (isNoKeyFrame ? 1 : 0) | profile << 1 | (isHidden ? 0 : 16) | firstPartitionByteCount << 5
        var bytes = [UInt8(tag & 255), UInt8(tag >> 8 & 255), UInt8(tag >> 16 & 255), 0x9D, 0x01, 0x2A]
        if source.isFault(oneIn: 60) { bytes[3 + source.below(3)] = source.byte() }
        for side in [width, height] {
            let stated = (source.isFault(oneIn: 60) ? 0 : side & 0x3FFF) | (source.oneIn(8) ? source.below(4) << 14 : 0)
            bytes += [UInt8(stated & 255), UInt8(stated >> 8)]
        }
        return bytes
    }

    // MARK: The frame header

    /// - Returns: how many token partitions there are to be.
    private mutating func writeHeader() -> Int {
        header.write(source.oneIn(8))
        header.write(source.oneIn(4))
        writeSegments()
        writeFilter()
        let partitionBits = source.oneIn(2) ? 0 : source.below(4)
        header.write(partitionBits, bitCount: 2)
        header.write(source.pick([0, 127, 127, source.below(128)]), bitCount: 7)
        for _ in 0..<5 { header.write(optional: source.oneIn(3) ? source.below(31) - 15 : nil, bitCount: 4) }
        header.write(source.oneIn(2))
        writeProbabilities()
        let skipProbability = source.oneIn(2) ? nil : source.pick([0, 255, source.below(256)])
        header.write(skipProbability != nil)
        if let skipProbability { header.write(skipProbability, bitCount: 8) }
        return 1 << partitionBits
    }

    private mutating func writeSegments() {
        let isEnabled = source.oneIn(2)
        header.write(isEnabled)
        guard isEnabled else { return }
        let (hasMap, hasValues) = (!source.oneIn(4), !source.oneIn(4))
        header.write(hasMap)
        header.write(hasValues)
        if hasValues {
            header.write(source.oneIn(2))
            for bitCount in [7, 7, 7, 7, 6, 6, 6, 6] {
                let most = 1 << bitCount - 1
                let value = source.pick([most, -most, source.below(2 * most + 1) - most])
                header.write(optional: source.oneIn(4) ? nil : value, bitCount: bitCount)
            }
        }
        guard hasMap else { return }
        for _ in 0..<3 {
            let probability = source.oneIn(3) ? nil : source.pick([0, 128, 255, source.below(256)])
            header.write(probability != nil)
            if let probability { header.write(probability, bitCount: 8) }
        }
    }

    private mutating func writeFilter() {
        header.write(source.oneIn(3))
        header.write(source.pick([0, 63, source.below(64), source.below(64)]), bitCount: 6)
        header.write(source.below(8), bitCount: 3)
        let hasDeltas = source.oneIn(2)
        header.write(hasDeltas)
        guard hasDeltas else { return }
        let hasNewDeltas = !source.oneIn(4)
        header.write(hasNewDeltas)
        guard hasNewDeltas else { return }
        for _ in 0..<8 { header.write(optional: source.oneIn(2) ? source.below(127) - 63 : nil, bitCount: 6) }
    }

    /// New probabilities of tokens: none, a few, or all of one regime.
    private mutating func writeProbabilities() {
        let regime = source.below(6)
        for (index, update) in CoefficientProbabilityTables.updates.enumerated() {
            let probability: UInt8? =
                switch regime {
                case 0, 1: nil
                case 2: source.oneIn(40) ? source.byte() : nil
                case 3: uncertain(index)
                case 4: large(index, count: 3)
                default: large(index, count: 16)
                }
            header.write(probability != nil, probability: update)
            if let probability { header.write(Int(probability), bitCount: 8) }
        }
    }

    /// Each outcome as likely as another, but for the end of a block.
    private func uncertain(_ index: Int) -> UInt8 { index % 11 == 0 ? 30 : 128 }

    /// Coefficients of the largest category in the first places, and none after them.
    private func large(_ index: Int, count: Int) -> UInt8? {
        let band = index / 33 % 8
        // Bands 0 to 3 are the first four places.
        let isBehind = count < 4 && band >= count
        switch index % 11 {
        case 0: return isBehind ? 255 : 8
        case 1: return 60
        case 2, 3, 6, 8, 10: return 4
        default: return nil
        }
    }
}
