// Blocks of AC scans one coefficient at a time, as the standard describes the procedures.

package import JPEGBaselineCodec
package import JPEGCodec

/// Decodes blocks of AC scans.
package enum ACBlockByTheBook {
    /// The next block of a first scan.
    ///
    /// - Parameters:
    ///   - block: 64 coefficients in natural order; those of the band are set.
    ///   - endOfBandRun: Blocks, this one included, without further coefficients.
    /// - Returns: Whether the block is undamaged.
    /// - Source: ITU-T T.81 (1992) §G.1.2.2 "Progressive encoding of AC coefficients with Huffman coding".
    package static func decodeFirst(
        _ block: inout [Int16], band: Band, table: HuffmanSpecification, bits: inout BitsByTheBook,
        endOfBandRun: inout Int
    ) -> Bool {
        if endOfBandRun > 0 {
            endOfBandRun -= 1
            return true
        }
        var position = band.start
        while position <= band.end {
            guard let symbol = bits.decode(table) else { return false }
            let (run, size) = (symbol >> 4, symbol & 15)
            if size == 0 && run < 15 {
                endOfBandRun = 1 << run + bits.receive(run) - 1
                return true
            }
            position += run
            if size > 0 {
                let value = bits.receiveSigned(size) << band.low
                block[Int(ZigZagOrder.natural[min(position, 63)])] = Int16(truncatingIfNeeded: value)
            }
            position += 1
        }
        return true
    }

    /// The next block of a refinement scan; parameters as above.
    ///
    /// - Source: ITU-T T.81 (1992) §G.1.2.3 "Coding model for subsequent scans of successive approximation",
    ///   figure G.7.
    package static func refine(
        _ block: inout [Int16], band: Band, table: HuffmanSpecification, bits: inout BitsByTheBook,
        endOfBandRun: inout Int
    ) -> Bool {
        var position = band.start
        if endOfBandRun == 0 {
            while position <= band.end {
                guard let symbol = bits.decode(table) else { return false }
                let (run, size) = (symbol >> 4, symbol & 15)
                if size == 0 && run < 15 {
                    endOfBandRun = 1 << run + bits.receive(run)
                    break
                }
                if size > 1 { return false }
                let isPositive = size == 1 && bits.nextBit() == 1
                var zerosToPass = run
                while position <= band.end {
                    let place = Int(ZigZagOrder.natural[position])
                    if block[place] != 0 {
                        correct(&block[place], low: band.low, bits: &bits)
                    } else if zerosToPass == 0 {
                        break
                    } else {
                        zerosToPass -= 1
                    }
                    position += 1
                }
                if size == 1 {
                    block[Int(ZigZagOrder.natural[min(position, 63)])] = (isPositive ? 1 : -1) << Int16(band.low)
                }
                position += 1
            }
        }
        guard endOfBandRun > 0 else { return true }
        while position <= band.end {
            let place = Int(ZigZagOrder.natural[position])
            if block[place] != 0 { correct(&block[place], low: band.low, bits: &bits) }
            position += 1
        }
        endOfBandRun -= 1
        return true
    }

    /// One more bit of a coefficient that is not zero.
    private static func correct(_ value: inout Int16, low: Int, bits: inout BitsByTheBook) {
        guard bits.nextBit() == 1, value & (1 << Int16(low)) == 0 else { return }
        value += (value > 0 ? 1 : -1) << Int16(low)
    }
}
