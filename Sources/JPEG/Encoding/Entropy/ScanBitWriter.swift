// Tokens of a scan to its entropy-coded segments, in pieces.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Writes the entropy-coded data of one scan.
///
/// Bytes are gathered until ``drain(_:)`` gives them away, which has to happen between two calls that write.
package struct ScanBitWriter: Sendable {
    /// Bytes that were written and not given away yet.
    package private(set) var byteCount = 0
    private var output: ScratchBuffer
    private let codes: [UInt32]
    private var pending = PendingBits()
    /// The number of the next restart marker, modulo 8.
    private var restartCount = 0

    /// Tokens that are written at once, and the output that they may need: eight bytes each, and 16 for leftover bits.
    private static let pieceByteCount = ScanTokens.bufferCount * 8 + 64

    /// - Parameters:
    ///   - tables: by the numbers of ``EntropyToken``; `nil` for those that are not used.
    /// - Precondition: every table is a prefix code.
    package init(tables: [HuffmanSpecification?], meter: MemoryMeter?) throws(ImageError) {
        var codes = [UInt32](repeating: 0, count: EntropyToken.symbolCount)
        for (table, specification) in tables.enumerated() {
            guard let specification else { continue }
            var (code, next): (UInt32, Int) = (0, 0)
            for (index, number) in specification.counts.enumerated() {
                for _ in 0..<number {
                    codes[table << 8 + Int(specification.symbols[next])] = code << 8 | UInt32(index + 1)
                    code += 1
                    next += 1
                }
                code <<= 1
            }
        }
        self.codes = codes
        output = try ScratchBuffer(byteCount: Self.pieceByteCount, meter: meter)
    }

    /// Bytes that a writer takes.
    package static var memoryByteCount: Int { pieceByteCount + EntropyToken.symbolCount * 4 }

    /// Writes tokens.
    ///
    /// - Precondition: There are at most ``ScanTokens/bufferCount``, and ``byteCount`` is 0.
    package mutating func write(_ tokens: Span<UInt32>) {
        var (pending, end) = (pending, byteCount)
        codes.withSpan { codes in
            output.withMutablePixels(0..<Self.pieceByteCount) { output in
                end = TokenWritingKernel.write(tokens, codes: codes, pending: &pending, to: &output, at: end)
            }
        }
        (self.pending, byteCount) = (pending, end)
    }

    /// Ends an interval: fills the last byte with ones.
    ///
    /// - Source: ITU-T T.81 (1992) §F.1.2.3 "Byte stuffing"; §B.1.1.5 "Entropy-coded data segments".
    package mutating func fillLastByte() {
        var used = 64 - pending.freeCount
        var word = used == 0 ? 0 : pending.bits << UInt64(64 - used)
        if used < 64 { word |= UInt64.max >> UInt64(used) }
        var end = byteCount
        output.withMutablePixels(0..<Self.pieceByteCount) { output in
            while used > 0 {
                output[end] = UInt8(word >> 56)
                end += 1
                if output[end - 1] == 0xFF {
                    output[end] = 0
                    end += 1
                }
                word <<= 8
                used -= 8
            }
        }
        byteCount = end
        pending = PendingBits()
    }

    /// Ends an interval that another one follows: a restart marker.
    package mutating func restart() {
        fillLastByte()
        let (end, number) = (byteCount, UInt8(restartCount & 7))
        output.withMutablePixels(0..<Self.pieceByteCount) { output in
            output[end] = 0xFF
            output[end + 1] = 0xD0 | number
        }
        byteCount = end + 2
        restartCount += 1
    }

    /// Gives the bytes away.
    package mutating func drain(_ sink: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        guard byteCount > 0 else { return }
        let count = byteCount
        byteCount = 0
        try output.withBytes(0..<count) { (bytes) throws(ImageError) in try sink(bytes) }
    }
}
