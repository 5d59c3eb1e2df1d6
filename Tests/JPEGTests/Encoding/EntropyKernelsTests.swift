import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Kernels from coefficients to bytes against their plain twins.
@Suite struct EntropyKernelsTests {
    private static let count = 60

    /// Blocks with few or many coefficients, small or as large as they get.
    private func blocks(_ seed: UInt64) -> (coefficients: [Int16], masks: [UInt64]) {
        var random = SeededRandom(seed: seed)
        var coefficients = [Int16](repeating: 0, count: 64 * Self.count)
        var masks = [UInt64](repeating: 0, count: Self.count)
        for block in 0..<Self.count {
            let limit = Int16([1, 3, 40, 1023].randomElement(using: &random)!)
            let density = Int.random(in: 0...64, using: &random)
            for position in 0..<64 where position == 0 || Int.random(in: 0..<64, using: &random) < density {
                let value = Int16.random(in: -limit...limit, using: &random)
                coefficients[64 * block + Int(ZigZagOrder.natural[position])] = value
                if value != 0 { masks[block] |= 1 << UInt64(position) }
            }
        }
        return (coefficients, masks)
    }

    private static let scan = [
        CodedBlock(predictor: 0, codes: 0), CodedBlock(predictor: 0, codes: 0),
        CodedBlock(predictor: 1, codes: BlockCodes.count), CodedBlock(predictor: 2, codes: BlockCodes.count),
    ]

    private static let tables = zip(StandardTables.dc, StandardTables.ac).flatMap {
        BlockCodes(dc: HuffmanEncodingTable($0), ac: HuffmanEncodingTable($1)).entries
    }

    private func encode(_ seed: UInt64, isTwin: Bool) -> (bytes: [UInt8], state: BlockCodingState) {
        let (coefficients, masks) = blocks(seed)
        var state = BlockCodingState()
        state.writer.put(5, 3)
        state.predictors[2] = -9
        var bytes = [UInt8](repeating: 0, count: Self.count * BlockCodingKernels.bytesPerBlock)
        let written = bytes.withMutableBytes { bytes in
            isTwin
                ? BlockCodingKernelsReference.encode(
                    Self.count, blocks: Self.scan, tables: Self.tables, state: &state, coefficients: coefficients.span,
                    masks: masks.span, into: &bytes)
                : BlockCodingKernels.encode(
                    Self.count, blocks: Self.scan, tables: Self.tables, state: &state, coefficients: coefficients.span,
                    masks: masks.span, into: &bytes)
        }
        return (Array(bytes[..<written]), state)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func codingEqualsItsTwin(_ seed: UInt64) {
        let kernel = encode(seed, isTwin: false)
        let twin = encode(seed, isTwin: true)
        #expect(kernel.bytes == twin.bytes)
        #expect(kernel.state.predictors == twin.state.predictors)
        #expect(kernel.state.writer.count == twin.state.writer.count)
        // Bits above the count are of the past.
        let mask = UInt64(1) << UInt64(twin.state.writer.count) - 1
        #expect(kernel.state.writer.bits & mask == twin.state.writer.bits & mask)
    }

    @Test func aBlockIsCodedAsTheStandardSays() {
        // DC difference 3: size 2 (011), bits 11; AC: run 1 size 1 (1100), bit 0 for -1; 17 zeros: sixteen of them
        // (11111111001), run 1 size 1 (1100), bit 1; end of block (1010).
        var coefficients = [Int16](repeating: 0, count: 64)
        coefficients[0] = 3
        coefficients[Int(ZigZagOrder.natural[2])] = -1
        coefficients[Int(ZigZagOrder.natural[20])] = 1
        let masks: [UInt64] = [1 | 1 << 2 | 1 << 20]
        var state = BlockCodingState()
        var bytes = [UInt8](repeating: 0, count: 256)
        let written = bytes.withMutableBytes {
            BlockCodingKernels.encode(
                1, blocks: [CodedBlock(predictor: 0, codes: 0)], tables: Self.tables, state: &state,
                coefficients: coefficients.span, masks: masks.span, into: &$0)
        }
        var rest: [UInt8] = []
        state.writer.alignWithOnes(into: &rest)
        let bits = (bytes[..<written] + rest).map { byte in
            let digits = String(byte, radix: 2)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
        #expect(bits == "01111" + "11000" + "11111111001" + "11001" + "1010" + "11")
    }

    @Test(arguments: [0, 1, 7, 8, 9, 64, 201])
    func stuffingEqualsItsTwin(_ count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        for kind in 0..<4 {
            let source = random.bytes(count).map { $0 < [0, 8, 128, 255][kind] ? 0xFF : $0 }
            var kernel = [UInt8](repeating: 1, count: 2 * count + 8)
            var twin = kernel
            let written = source.withRawSpan { source in
                kernel.withMutableBytes { ByteStuffingKernels.stuff(source, into: &$0) }
            }
            let expected = source.withRawSpan { source in
                twin.withMutableBytes { ByteStuffingKernelsReference.stuff(source, into: &$0) }
            }
            #expect(written == expected && written == count + source.count { $0 == 0xFF })
            #expect(kernel[..<written] == twin[..<expected])
        }
    }

    @Test func zigZagOrderEqualsItsTwin() {
        var (coefficients, masks) = blocks(3)
        masks[2] = 1  // what is left of another block must not be copied
        masks[3] = 0
        let slots = BlockSlots(first: 2, groupSize: 2, step: 5)
        var kernel = [UInt8](repeating: 1, count: 20 * 128 + 16)
        var twin = kernel
        kernel.withMutableBytes {
            ZigZagKernels.reorder(coefficients.span, masks: masks.span, slots: slots, count: 20, into: &$0, at: 16)
        }
        twin.withMutableBytes {
            ZigZagKernelsReference.reorder(
                coefficients.span, masks: masks.span, slots: slots, count: 20, into: &$0, at: 16)
        }
        #expect(kernel == twin)
        coefficients = kernel.withRawSpan { bytes in
            (0..<64).map { Int16(bitPattern: bytes.nativeUInt16(at: 16 + 2 * $0)) }
        }
        #expect(coefficients[1...].allSatisfy { $0 == 0 })
    }
}
