// The macroblocks of a VP8 frame bool by bool: what each takes of the first partition and of its token partition.
//
// A boolean decoder uses no whole bits. Where it stands is known to a fraction from how far it has shifted and how large its range is: each
// bool of probability p makes that -log2(p) more, so that differences of two places are what was read between them.

import ImageCodecsCore
import WebPLossyCodec

/// Walks through a frame.
///
/// - Source: RFC 6386 section 7 "Boolean Entropy Decoder", section 9.5 "Token Partition and Partition Data Offsets"
struct VP8Walk {
    /// The number of macroblocks across and down.
    let gridSize: PixelSize
    let header: VP8Header
    private(set) var frame: VP8FrameHeader
    /// Bits of macroblocks: of their headers, and of their coefficients, in 256ths.
    private(set) var modeBits: LayerValues
    private(set) var tokenBits: LayerValues
    /// Coefficients of macroblocks that are not zero.
    private(set) var coefficientCounts: LayerValues
    /// In 256ths of a bit.
    private(set) var headerAmount = 0
    private(set) var modeAmount = 0
    private(set) var tokenAmount = 0
    /// Bytes of the frame, of the first partition, of each token partition, and between them.
    let byteCount: Int
    let firstPartitionByteCount: Int
    private(set) var partitionByteCounts: [Int] = []
    private(set) var partitionTableByteCount = 0
    /// Samples as predicted and before the loop filter; `nil` for a picture of more than ``FileMap/maxReconstructedPixelCount``.
    private(set) var samples: ReconstructionReference?
    /// Macroblocks that are there.
    private(set) var macroblockCount = 0

    /// Reads a whole frame.
    ///
    /// - Throws: what is wrong with its headers, `limitExceeded`, `cancelled`.
    init(
        _ bytes: Span<UInt8>, _ build: MapBuild, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard bytes.count > VP8Header.byteCount else { throw .truncated(.webP, offset: bytes.count) }
        header = try VP8Header(bytes, offset: 0, payloadByteCount: bytes.count)
        try build.limits.check(size: header.size)
        byteCount = bytes.count
        let first = VP8Header.byteCount..<VP8Header.byteCount + header.firstPartitionByteCount
        firstPartitionByteCount = first.count
        let input = bytes.extracting(first)
        var decoder = BooleanDecoder()
        frame = try VP8FrameHeader(&decoder, input, offset: first.lowerBound)
        headerAmount = Self.place(decoder.state)
        let grid = MapGrid(
            header.size, itemSize: PixelSize(width: 16, height: 16), maxCellCount: build.maxCellCount)
        gridSize = header.size.blocks(of: 16)
        modeBits = try LayerValues(grid, meter: build.meter)
        tokenBits = try LayerValues(grid, meter: build.meter)
        coefficientCounts = try LayerValues(grid, meter: build.meter)
        partitionTableByteCount = TokenPartitions.tableByteCount(partitionCount: frame.partitionCount)
        guard first.upperBound + partitionTableByteCount <= bytes.count else {
            throw .truncated(.webP, offset: bytes.count)
        }
        let partitions = try TokenPartitions(
            bytes.extracting(droppingFirst: first.upperBound), partitionCount: frame.partitionCount,
            start: first.upperBound, frameByteCount: bytes.count, offset: first.upperBound)
        partitionByteCounts = partitions.ranges.map(\.count)
        // Readers have copies of their partitions.
        try build.meter.reserve(bytes.count)
        defer { build.meter.release(bytes.count) }
        let count = gridSize.width * gridSize.height
        if 256 * count <= FileMap.maxReconstructedPixelCount {
            try build.meter.reserve(ReconstructionReference.byteCount(macroblockCount: count, keepsPredictions: true))
            samples = ReconstructionReference(
                columns: gridSize.width, rows: gridSize.height, keepsPredictions: true)
        }
        var modes = MacroblockReference(Self.array(input), at: decoder)
        var tokens = partitions.ranges.map { MacroblockReference(Self.array(bytes.extracting($0))) }
        try walk(&modes, &tokens, &work)
    }

    private static func array(_ bytes: Span<UInt8>) -> [UInt8] {
        var array: [UInt8] = []
        array.reserveCapacity(bytes.count)
        for index in bytes.indices { array.append(bytes[index]) }
        return array
    }

    private mutating func walk(
        _ modes: inout MacroblockReference, _ tokens: inout [MacroblockReference], _ work: inout WorkGuard
    ) throws(ImageError) {
        let parameters = frame.modeParameters
        let probabilities = Self.standardOrder(frame.probabilities)
        let factors = DequantizationFactors(frame.quantizers, frame.segments).values
        var modesAbove = [[UInt8]](repeating: [0, 0, 0, 0], count: gridSize.width)
        var above = [MacroblockReference.Contexts](repeating: MacroblockReference.Contexts(), count: gridSize.width)
        var missingByteCount = 0
        for row in 0..<gridSize.height {
            var (modesLeft, left): ([UInt8], MacroblockReference.Contexts) = (
                [0, 0, 0, 0], MacroblockReference.Contexts()
            )
            let partition = row & (tokens.count - 1)
            for column in 0..<gridSize.width {
                try work.spend(samples == nil ? 1 << 9 : 1 << 12)
                let start = Self.place(modes.decoder.state)
                var info = modes.modes(parameters, above: &modesAbove[column], left: &modesLeft)
                let modeCost = Self.place(modes.decoder.state) - start
                let tokenStart = Self.place(tokens[partition].decoder.state)
                let countBefore = tokens[partition].nonZeroCount
                let coefficients = tokens[partition].residue(
                    &info, above: &above[column], left: &left, probabilities: probabilities, steps: factors)
                let tokenCost = Self.place(tokens[partition].decoder.state) - tokenStart
                // A byte that is not there takes the place back. The last bools may want two of them; then the frame is cut off.
                if min(modeCost, tokenCost) < 0 { missingByteCount += 1 }
                guard missingByteCount <= 2 * (tokens.count + 1) else { return }
                modeBits.add(max(0, modeCost), column: column, row: row)
                tokenBits.add(max(0, tokenCost), column: column, row: row)
                coefficientCounts.add(tokens[partition].nonZeroCount - countBefore, column: column, row: row)
                modeAmount += max(0, modeCost)
                tokenAmount += max(0, tokenCost)
                var rest = coefficients[...]
                samples?.reconstruct(info, column, row, &rest)
                macroblockCount += 1
            }
        }
    }

    /// How much was read, in 256ths of a bit.
    private static func place(_ state: BooleanState) -> Int {
        // A range of 255, which decoding begins with, is nearly 256.
        (8 * state.next - state.count) * MapLayer.Kind.bitParts - logarithms[Int(state.range) & 255]
            + logarithms[255]
    }

    /// log2(range / 128) in 256ths, for ranges of 128 and more.
    private static let logarithms: [Int] = (0..<256).map { range in
        guard range > 128 else { return 0 }
        // Squaring doubles the logarithm: each bit of it is whether the square is 2 or more.
        var (value, result) = (Double(range) / 128, 0)
        for _ in 0..<8 {
            value *= value
            result *= 2
            if value >= 2 {
                value /= 2
                result += 1
            }
        }
        return result
    }

    /// The probabilities in the order of the standard: type, band, context, node.
    private static func standardOrder(_ probabilities: TokenProbabilities) -> [UInt8] {
        var result: [UInt8] = []
        for type in 0..<4 {
            for band in 0..<8 {
                let position = CoefficientProbabilityTables.bands.firstIndex(of: UInt8(band)) ?? 0
                for context in 0..<3 {
                    let start =
                        type * TokenProbabilities.typeStride + position * TokenProbabilities.rowStride
                        + context * TokenProbabilities.contextStride
                    for node in 0..<11 { result.append(UInt8(probabilities.values[start + node] >> 8)) }
                }
            }
        }
        return result
    }
}
