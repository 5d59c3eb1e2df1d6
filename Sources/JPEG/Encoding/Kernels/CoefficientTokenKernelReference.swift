// The plain twin of the kernel that makes tokens.

import ImageCodecsCore

/// See `CoefficientTokenKernel`: one coefficient after another, every access checked.
package enum CoefficientTokenKernelReference {
    package static func band(
        _ band: Band, columns: Range<Int>, coefficients: RawSpan, masks: Span<UInt64>, run: inout Int,
        tokens: inout MutableSpan<UInt32>, count: inout Int
    ) -> Int {
        for column in columns {
            guard count <= tokens.count - EntropyToken.largestBlock else { return column }
            var zeros = 0
            for position in band.start...band.end {
                let value = coefficient(coefficients, column, position)
                let magnitude = Int(value.magnitude) >> band.low
                guard magnitude != 0 else {
                    zeros += 1
                    continue
                }
                endRun(&run, &tokens, &count)
                append(
                    value < 0 ? -magnitude : magnitude, zeros: zeros, table: EntropyToken.acTable, &tokens, &count)
                zeros = 0
            }
            if zeros > 0 { run += 1 }
            if run == EntropyToken.longestEndOfBandRun { endRun(&run, &tokens, &count) }
        }
        return columns.upperBound
    }

    package static func sequential(
        columns: Range<Int>, blocks: [TokenBlock], coefficients: RawSpan, masks: Span<UInt64>,
        predictors: inout SIMD4<Int32>, tokens: inout MutableSpan<UInt32>, count: inout Int
    ) -> Int {
        for column in columns {
            guard count <= tokens.count - blocks.count * EntropyToken.largestBlock else { return column }
            for (number, role) in blocks.enumerated() {
                let index = column * blocks.count + number
                let value = Int32(coefficient(coefficients, index, 0))
                append(
                    Int(value - predictors[role.predictor]), zeros: 0, table: EntropyToken.dcTable + role.table,
                    &tokens, &count)
                predictors[role.predictor] = value
                var zeros = 0
                for position in 1...63 {
                    let value = Int(coefficient(coefficients, index, position))
                    guard value != 0 else {
                        zeros += 1
                        continue
                    }
                    append(value, zeros: zeros, table: EntropyToken.acTable + role.table, &tokens, &count)
                    zeros = 0
                }
                if zeros > 0 {
                    tokens[count] = EntropyToken.make(
                        table: EntropyToken.acTable + role.table, symbol: Int(EntropyToken.endOfBlock))
                    count += 1
                }
            }
        }
        return columns.upperBound
    }

    private static func coefficient(_ coefficients: RawSpan, _ block: Int, _ position: Int) -> Int16 {
        Int16(bitPattern: coefficients.nativeUInt16(at: block * 128 + position * 2))
    }

    private static func endRun(_ run: inout Int, _ tokens: inout MutableSpan<UInt32>, _ count: inout Int) {
        guard run > 0 else { return }
        var size = 0
        while run >> (size + 1) != 0 { size += 1 }
        tokens[count] = EntropyToken.make(
            table: EntropyToken.acTable, symbol: size << 4, bits: run - 1 << size, bitCount: size)
        count += 1
        run = 0
    }

    /// A value after zeros: T.81 §F.1.2.2.1 "Structure of AC code table".
    private static func append(
        _ value: Int, zeros: Int, table: Int, _ tokens: inout MutableSpan<UInt32>, _ count: inout Int
    ) {
        for _ in 0..<zeros / 16 {
            tokens[count] = EntropyToken.make(table: table, symbol: Int(EntropyToken.sixteenZeros))
            count += 1
        }
        var size = 0
        while abs(value) >> size != 0 { size += 1 }
        let bits = value < 0 ? value + 1 << size - 1 : value
        tokens[count] = EntropyToken.make(table: table, symbol: (zeros % 16) << 4 | size, bits: bits, bitCount: size)
        count += 1
    }
}

#if ReferenceKernels
package typealias CoefficientTokenKernel = CoefficientTokenKernelReference
#endif
