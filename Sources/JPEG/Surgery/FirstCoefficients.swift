// A picture of its coarse patterns alone: for those who want to see what a coefficient is worth.

package import ImageCodecsCore
import JPEGBaselineCodec

extension Surgery {
    /// Files whose blocks have their first coefficients alone, in the zig-zag order; all others are zero.
    ///
    /// - Parameter counts: 1...64 each; 1 leaves the mean of each block.
    /// - Returns: a file for each count. The one that is given is read once.
    package func keepingFirst(_ counts: [Int], of file: ImageData) throws(ImageError) -> [ImageData] {
        try file.withBytes { (bytes) throws(ImageError) in
            var work = WorkGuard(limits: limits)
            work.begin()
            let stored = try read(bytes, &work)
            work.end()
            return try counts.map { (count) throws(ImageError) in
                work.begin()
                var part = stored
                part.picture = try stored.picture.keepingFirst(count, meter: meter, &work)
                return try written(part, stored.metadata.orientation, bytes, &work).file
            }
        }
    }
}

extension CoefficientPicture {
    fileprivate func keepingFirst(
        _ count: Int, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> CoefficientPicture {
        var kept: [QuantizedCoefficients] = []
        for source in coefficients {
            var result = try QuantizedCoefficients(
                widthInBlocks: source.widthInBlocks, heightInBlocks: source.heightInBlocks, meter: meter)
            for row in 0..<source.heightInBlocks {
                try work.check()
                let line = source.byteOffset(column: 0, row: row)..<source.byteOffset(column: 0, row: row + 1)
                result.values.withMutableBytes(line) { bytes in
                    bytes.withNumbers(of: Int16.self) { blocks in
                        source.withBytes(line) { bytes in
                            let stored = Span<Int16>(_bytes: bytes)
                            for start in stride(from: 0, to: stored.count, by: 64) {
                                for position in start..<start + count { blocks[position] = stored[position] }
                            }
                        }
                    }
                }
            }
            kept.append(result)
        }
        return CoefficientPicture(
            geometry: geometry, colorModel: colorModel, coefficients: kept, quantizationTables: quantizationTables)
    }
}
