// Tables of profiles: `mft1` (8 bits), `mft2` (16 bits), `mAB ` (curves, grid, curves, matrix, curves), and `mBA `, which is that the other
// way round.
//
// Source: ICC.1:2022 §10.10 "lut16Type", §10.11 "lut8Type", §10.12 "lutAToBType", §10.13 "lutBToAType".

import ImageCodecsCore

/// Reads one table from device to connection space, or back.
struct LookupReader {
    let bytes: [UInt8]
    let tag: String
    let range: Range<Int>
    /// Channels of the profile's pictures, which the table has to have.
    let channelCount: Int
    let connectsToLab: Bool
    /// Whether it goes from the connection space to the device.
    let isToDevice: Bool

    private static let headerByteCount = 32

    private var inputCount: Int { isToDevice ? 3 : channelCount }
    private var outputCount: Int { isToDevice ? channelCount : 3 }

    func table() throws(ICCProfileError) -> ProfileTable {
        try require(Self.headerByteCount, from: range.lowerBound)
        guard Int(bytes[range.lowerBound + 8]) == inputCount, Int(bytes[range.lowerBound + 9]) == outputCount else {
            throw ICCProfileError(.invalidTag, tag: tag, at: range.lowerBound + 8)
        }
        let lab = ConnectionSpace.lab
        switch bytes.signature(at: range.lowerBound) {
        case "mft1": return ProfileTable(stages: try old(wordByteCount: 1), connection: connectsToLab ? lab : .xyz)
        case "mft2":
            return ProfileTable(stages: try old(wordByteCount: 2), connection: connectsToLab ? .labOfVersion2 : .xyz)
        case isToDevice ? "mBA " : "mAB ":
            return ProfileTable(stages: try new(), connection: connectsToLab ? lab : .xyz)
        default: throw ICCProfileError(.unsupportedTagType, tag: tag, at: range.lowerBound)
        }
    }

    private func require(_ count: Int, from start: Int) throws(ICCProfileError) {
        guard start >= range.lowerBound, start <= range.upperBound, range.upperBound - start >= count else {
            throw ICCProfileError(.truncated, tag: tag, at: range.upperBound)
        }
    }

    /// Numbers of one or two bytes, as 16 bits.
    private func words(_ count: Int, _ wordByteCount: Int, at start: Int) throws(ICCProfileError) -> [UInt16] {
        try require(count * wordByteCount, from: start)
        return wordByteCount == 1
            ? (0..<count).map { UInt16(bytes[start + $0]) * 257 }
            : (0..<count).map { bytes.word16(at: start + 2 * $0) }
    }

    // MARK: mft1 and mft2

    /// Curves, grid, curves. The matrix comes first and counts for XYZ alone, which no device speaks.
    private func old(wordByteCount: Int) throws(ICCProfileError) -> [LookupStage] {
        let start = range.lowerBound
        let pointCount = Int(bytes[start + 10])
        try require(52, from: start)
        var (inputEntryCount, outputEntryCount, at) = (256, 256, start + 48)
        if wordByteCount == 2 {
            inputEntryCount = Int(bytes.word16(at: start + 48))
            outputEntryCount = Int(bytes.word16(at: start + 50))
            at = start + 52
        }
        guard (2...4096).contains(inputEntryCount), (2...4096).contains(outputEntryCount) else {
            throw ICCProfileError(.invalidTag, tag: tag, at: start + 48)
        }
        let counts = Array(repeating: pointCount, count: inputCount)
        var stages = isToDevice && !connectsToLab ? [matrix(numberCount: 9, at: start + 12)] : []
        stages.append(try sampledCurves(inputCount, inputEntryCount, wordByteCount, &at))
        stages.append(.grid(try grid(counts, wordByteCount, &at)))
        stages.append(try sampledCurves(outputCount, outputEntryCount, wordByteCount, &at))
        return stages
    }

    /// Nine numbers of a matrix, row by row, and if there are twelve what is added.
    private func matrix(numberCount: Int, at start: Int) -> LookupStage {
        let m = (0..<numberCount).map { bytes.fixed16(at: start + 4 * $0) }
        return .matrix(Matrix3(rows: Array(m[0..<9])), numberCount == 12 ? SIMD4(m[9], m[10], m[11], 0) : .zero)
    }

    private func sampledCurves(
        _ count: Int, _ valueCount: Int, _ wordByteCount: Int, _ at: inout Int
    ) throws(ICCProfileError) -> LookupStage {
        var curves: [ToneCurve] = []
        for _ in 0..<count {
            curves.append(.table(try words(valueCount, wordByteCount, at: at)))
            at += valueCount * wordByteCount
        }
        return .curves(curves)
    }

    private func grid(_ counts: [Int], _ wordByteCount: Int, _ at: inout Int) throws(ICCProfileError) -> LookupGrid {
        let byteCount = counts.reduce(outputCount, *) * wordByteCount
        try require(byteCount, from: at)
        let grid = LookupGrid(
            pointCounts: counts, numberCount: outputCount, bytes: bytes, start: at, wordByteCount: wordByteCount)
        guard let grid else { throw ICCProfileError(.invalidTag, tag: tag, at: range.lowerBound + 10) }
        at += byteCount
        return grid
    }

    // MARK: mAB and mBA

    /// A curves (of the device), grid, M curves, matrix, B curves (of the connection space); to the device in the other order. An offset of 0
    /// says that a step is not there.
    private func new() throws(ICCProfileError) -> [LookupStage] {
        let start = range.lowerBound
        func place(_ field: Int) -> Int? {
            let offset = Int(bytes.word32(at: start + field))
            return offset == 0 ? nil : start + offset
        }
        var stages: [LookupStage] = []
        if let curves = place(28) { stages.append(.curves(try self.curves(channelCount, at: curves))) }
        if let grid = place(24) {
            stages.append(.grid(try self.grid(at: grid)))
        } else if channelCount != 3 {
            throw ICCProfileError(.invalidTag, tag: tag, at: start + 24)
        }
        if let curves = place(20) { stages.append(.curves(try self.curves(3, at: curves))) }
        if let matrix = place(16) {
            try require(48, from: matrix)
            stages.append(self.matrix(numberCount: 12, at: matrix))
        }
        if let curves = place(12) { stages.append(.curves(try self.curves(3, at: curves))) }
        return isToDevice ? stages.reversed() : stages
    }

    /// Points for each of 16 channels, bytes of a number, padding, numbers.
    private func grid(at start: Int) throws(ICCProfileError) -> LookupGrid {
        try require(20, from: start)
        var at = start + 20
        let wordByteCount = Int(bytes[start + 16])
        guard (1...2).contains(wordByteCount) else { throw ICCProfileError(.invalidTag, tag: tag, at: start + 16) }
        return try grid((0..<inputCount).map { Int(bytes[start + $0]) }, wordByteCount, &at)
    }

    /// Curves after each other, each from a multiple of four bytes on.
    private func curves(_ count: Int, at start: Int) throws(ICCProfileError) -> [ToneCurve] {
        let reader = CurveReader(bytes: bytes, tag: tag)
        var (curves, at): ([ToneCurve], Int) = ([], start)
        for _ in 0..<count {
            try require(12, from: at)
            let (curve, byteCount) = try reader.curve(in: at..<range.upperBound)
            curves.append(curve)
            at += (byteCount + 3) & ~3
        }
        return curves
    }
}
