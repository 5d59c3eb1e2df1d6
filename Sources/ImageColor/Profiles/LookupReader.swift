// Tables of profiles: `mft1` (8 bits), `mft2` (16 bits) and `mAB ` (curves, grid, curves, matrix, curves).
//
// Source: ICC.1:2022 §10.10 "lut16Type", §10.11 "lut8Type", §10.12 "lutAToBType".

import ImageCodecsCore

/// Reads one table from device to connection space.
struct LookupReader {
    let bytes: [UInt8]
    let tag: String
    let range: Range<Int>
    /// Channels of the profile's pictures, which the table has to have.
    let channelCount: Int
    let connectsToLab: Bool

    private static let headerByteCount = 32

    func table() throws(ICCProfileError) -> ProfileTable {
        try require(Self.headerByteCount, from: range.lowerBound)
        guard Int(bytes[range.lowerBound + 8]) == channelCount, bytes[range.lowerBound + 9] == 3 else {
            throw ICCProfileError(.invalidTag, tag: tag, at: range.lowerBound + 8)
        }
        let lab = ConnectionSpace.lab
        switch bytes.signature(at: range.lowerBound) {
        case "mft1": return ProfileTable(stages: try old(wordByteCount: 1), connection: connectsToLab ? lab : .xyz)
        case "mft2":
            return ProfileTable(stages: try old(wordByteCount: 2), connection: connectsToLab ? .labOfVersion2 : .xyz)
        case "mAB ": return ProfileTable(stages: try new(), connection: connectsToLab ? lab : .xyz)
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

    /// Curves, grid, curves. The matrix is for devices that speak XYZ: there are none here.
    private func old(wordByteCount: Int) throws(ICCProfileError) -> [LookupStage] {
        let start = range.lowerBound
        let pointCount = Int(bytes[start + 10])
        var (inputCount, outputCount, at) = (256, 256, start + 48)
        if wordByteCount == 2 {
            try require(52, from: start)
            inputCount = Int(bytes.word16(at: start + 48))
            outputCount = Int(bytes.word16(at: start + 50))
            at = start + 52
        }
        guard (2...4096).contains(inputCount), (2...4096).contains(outputCount) else {
            throw ICCProfileError(.invalidTag, tag: tag, at: start + 48)
        }
        let counts = Array(repeating: pointCount, count: channelCount)
        var stages = [try sampledCurves(channelCount, inputCount, wordByteCount, &at)]
        stages.append(.grid(try grid(counts, wordByteCount, &at)))
        stages.append(try sampledCurves(3, outputCount, wordByteCount, &at))
        return stages
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
        let byteCount = counts.reduce(3, *) * wordByteCount
        try require(byteCount, from: at)
        guard let grid = LookupGrid(pointCounts: counts, bytes: bytes, start: at, wordByteCount: wordByteCount) else {
            throw ICCProfileError(.invalidTag, tag: tag, at: range.lowerBound + 10)
        }
        at += byteCount
        return grid
    }

    // MARK: mAB

    /// A curves, grid, M curves, matrix, B curves; an offset of 0 says that a step is not there.
    private func new() throws(ICCProfileError) -> [LookupStage] {
        let start = range.lowerBound
        func place(_ field: Int) -> Int? {
            let offset = Int(bytes.word32(at: start + field))
            return offset == 0 ? nil : start + offset
        }
        var stages: [LookupStage] = []
        if let curves = place(28) { stages.append(.curves(try self.curves(channelCount, at: curves))) }
        if let grid = place(24) {
            try require(20, from: grid)
            var at = grid + 20
            let counts = (0..<channelCount).map { Int(bytes[grid + $0]) }
            let wordByteCount = Int(bytes[grid + 16])
            guard (1...2).contains(wordByteCount) else { throw ICCProfileError(.invalidTag, tag: tag, at: grid + 16) }
            stages.append(.grid(try self.grid(counts, wordByteCount, &at)))
        } else if channelCount != 3 {
            throw ICCProfileError(.invalidTag, tag: tag, at: start + 24)
        }
        if let curves = place(20) { stages.append(.curves(try self.curves(3, at: curves))) }
        if let matrix = place(16) {
            try require(48, from: matrix)
            let m = (0..<12).map { bytes.fixed16(at: matrix + 4 * $0) }
            stages.append(.matrix(Matrix3(rows: Array(m[0..<9])), SIMD4(m[9], m[10], m[11], 0)))
        }
        if let curves = place(12) { stages.append(.curves(try self.curves(3, at: curves))) }
        return stages
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
