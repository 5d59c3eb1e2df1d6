// Huffman coding of blocks, plain: symbol by symbol, as the standard's flow charts do it.

import ImageCodecsCore
import JPEGBaselineCodec

/// The plain twin of `BlockCodingKernels`.
package enum BlockCodingKernelsReference {
    package static let bytesPerBlock = 256

    /// See `BlockCodingKernels.encode`.
    package static func encode(
        _ count: Int, blocks: [CodedBlock], tables: [UInt32], state: inout BlockCodingState, coefficients: Span<Int16>,
        masks: Span<UInt64>, into bytes: inout MutableRawSpan
    ) -> Int {
        var written: [UInt8] = []
        for index in 0..<count {
            let block = blocks[index % blocks.count]
            let values = coefficients.extracting(64 * index..<64 * index + 64)
            let difference = Int(Int32(values[0]) - state.predictors[block.predictor])
            state.predictors[block.predictor] = Int32(values[0])
            let size = BlockCodes.size(difference)
            put(tables[block.codes + BlockCodes.dcSizes + size], &state.writer, &written)
            put(difference, size, &state.writer, &written)
            var run = 0
            for position in 1..<64 where masks[index] >> UInt64(position) != 0 {
                let value = Int(values[Int(ZigZagOrder.natural[position])])
                guard value != 0 else {
                    run += 1
                    continue
                }
                for _ in 0..<run / 16 {
                    put(tables[block.codes + BlockCodes.acSymbols + 0xF0], &state.writer, &written)
                }
                let size = BlockCodes.size(value)
                put(
                    tables[block.codes + BlockCodes.acSymbols + (run % 16) << 4 + size], &state.writer, &written)
                put(value, size, &state.writer, &written)
                run = 0
            }
            if masks[index] >> 63 == 0 { put(tables[block.codes + BlockCodes.acSymbols], &state.writer, &written) }
        }
        written.withSpan { bytes.copy($0) }
        return written.count
    }

    private static func put(_ entry: UInt32, _ writer: inout EntropyBitWriter, _ bytes: inout [UInt8]) {
        writer.put(entry >> 6, Int(entry & 63))
        writer.flushWholeBytes(into: &bytes)
    }

    private static func put(_ value: Int, _ size: Int, _ writer: inout EntropyBitWriter, _ bytes: inout [UInt8]) {
        let bits = (value < 0 ? value - 1 : value) & (1 << size - 1)
        writer.put(UInt32(bits), size)
        writer.flushWholeBytes(into: &bytes)
    }
}

#if ReferenceKernels
package typealias BlockCodingKernels = BlockCodingKernelsReference
#endif
