// Progressive scans of known coefficients, coded as the standard says.
//
// In: coefficients of blocks in scan order. Out: entropy-coded bits.

/// Codes the blocks of one scan.
///
/// - Source: ITU-T T.81 (1992) §G.1.2 "Progressive encoding procedures with Huffman coding".
struct ProgressiveScanWriter {
    var writer: EntropyBitWriter
    let table: HuffmanRecipe
    let band: ClosedRange<Int>
    let low: Int
    /// The longest end-of-band run that is coded as one.
    let longestRun: Int
    private var endOfBandRun = 0
    /// Correction bits of the blocks in the run.
    private var runCorrections: [Int] = []

    init(writer: EntropyBitWriter, table: HuffmanRecipe, band: ClosedRange<Int>, low: Int, longestRun: Int) {
        self.writer = writer
        self.table = table
        self.band = band
        self.low = low
        self.longestRun = max(1, min(longestRun, 0x7FFF))
    }

    /// §G.1.2.1 "Progressive encoding of DC coefficients with Huffman coding".
    mutating func putFirstDC(_ coefficient: Int, predictor: inout Int) {
        let value = coefficient >> low
        let difference = value - predictor
        predictor = value
        let size = Self.bitCount(abs(difference))
        writer.put(UInt8(size), table)
        writer.put(difference < 0 ? difference - 1 : difference, size)
    }

    /// One more bit of a DC coefficient.
    mutating func putDCRefinement(_ coefficient: Int) { writer.put(coefficient >> low & 1, 1) }

    /// §G.1.2.2 "Progressive encoding of AC coefficients with Huffman coding".
    mutating func putFirstAC(_ block: [Int]) {
        var run = 0
        for index in band {
            let magnitude = abs(block[index]) >> low
            guard magnitude != 0 else {
                run += 1
                continue
            }
            endRun()
            while run > 15 {
                writer.put(0xF0, table)
                run -= 16
            }
            let size = Self.bitCount(magnitude)
            writer.put(UInt8(run << 4 | size), table)
            writer.put(block[index] < 0 ? ~magnitude : magnitude, size)
            run = 0
        }
        if run > 0 { extendRun(by: []) }
    }

    /// §G.1.2.3 "Coding model for subsequent scans of successive approximation".
    mutating func putACRefinement(_ block: [Int]) {
        let lastNew = band.last { abs(block[$0]) >> low == 1 } ?? -1
        var run = 0
        var corrections: [Int] = []
        for index in band {
            let magnitude = abs(block[index]) >> low
            if magnitude == 0 {
                run += 1
                continue
            }
            while run > 15, index <= lastNew {
                endRun()
                writer.put(0xF0, table)
                run -= 16
                for bit in corrections { writer.put(bit, 1) }
                corrections = []
            }
            if magnitude > 1 {
                corrections.append(magnitude & 1)
                continue
            }
            endRun()
            writer.put(UInt8(run << 4 | 1), table)
            writer.put(block[index] < 0 ? 0 : 1, 1)
            for bit in corrections { writer.put(bit, 1) }
            (run, corrections) = (0, [])
        }
        if run > 0 || !corrections.isEmpty { extendRun(by: corrections) }
    }

    /// Codes the end-of-band run, if there is one.
    mutating func endRun() {
        guard endOfBandRun > 0 else { return }
        let size = Self.bitCount(endOfBandRun) - 1
        writer.put(UInt8(size << 4), table)
        writer.put(endOfBandRun, size)
        for bit in runCorrections { writer.put(bit, 1) }
        (endOfBandRun, runCorrections) = (0, [])
    }

    private mutating func extendRun(by corrections: [Int]) {
        endOfBandRun += 1
        runCorrections += corrections
        if endOfBandRun >= longestRun { endRun() }
    }

    private static func bitCount(_ value: Int) -> Int { Int.bitWidth - value.leadingZeroBitCount }
}
