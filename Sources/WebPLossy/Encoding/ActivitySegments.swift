// Which macroblocks are coarser: those in whose activity errors are not seen.

import ImageCodecsCore

/// Up to four segments of macroblocks by how active their luma is.
struct ActivitySegments: Sendable {
    /// The segment of each macroblock.
    private(set) var segments: [UInt8]
    /// The activity of each segment beyond the mean, in 256ths of an octave of the variance.
    private(set) var offsets: [Int]
    /// The mean activity, in 256ths of an octave above that of flat areas.
    let mean: Int

    /// Levels of activity that are told apart: 16 for an octave.
    private static let levelsPerOctave = 16

    /// - Parameters:
    ///   - areDivided: whether there is more than one segment.
    ///   - work: asked for each row of macroblocks.
    init(_ planes: EncoderPlanes, areDivided: Bool, work: inout WorkGuard) throws(ImageError) {
        var segments: [UInt8] = []
        segments.reserveCapacity(planes.columnCount * planes.rowCount)
        let table = Self.levels
        for row in 0..<planes.rowCount {
            try work.spend(16 * planes.lumaStride)
            planes.bytes.withBytes { bytes in
                for column in 0..<planes.columnCount {
                    let variance = Self.variance(bytes, 16 * row * planes.lumaStride + 16 * column, planes.lumaStride)
                    segments.append(table[min(variance, table.count - 1)])
                }
            }
        }
        let sum = segments.reduce(0) { $0 + Int($1) }
        mean = sum * 256 / (Self.levelsPerOctave * segments.count)
        guard areDivided else {
            self.segments = [UInt8](repeating: 0, count: segments.count)
            offsets = [0]
            return
        }
        let (borders, offsets) = Self.clusters(segments)
        for index in segments.indices {
            var segment: UInt8 = 0
            while Int(segment) < borders.count, segments[index] >= borders[Int(segment)] { segment += 1 }
            segments[index] = segment
        }
        self.segments = segments
        self.offsets = offsets
    }

    /// The mean of the variances of the sixteen subblocks, times 16.
    private static func variance(_ bytes: RawSpan, _ offset: Int, _ stride: Int) -> Int {
        var sum = 0
        for y in 0..<4 {
            let blocks = SampleGatheringKernels.fourBlocks(bytes, at: offset + 4 * y * stride, stride: stride)
            sum += SubblockKernels.variance(blocks.0) + SubblockKernels.variance(blocks.1)
            sum += SubblockKernels.variance(blocks.2) + SubblockKernels.variance(blocks.3)
        }
        // Sums of 256 times the variance of a sample.
        return sum >> 8
    }

    /// Levels of variances: logarithms of the mean with something added, so that what is nearly flat is alike.
    private static let levels: [UInt8] = (0...16384).map { variance in
        let octaves = ReproduciblePowers.log2(Double(variance) / 16 + 10) - ReproduciblePowers.log2(10)
        return UInt8(min(255, (octaves * Double(levelsPerOctave)).rounded()))
    }

    /// Borders between up to four clusters of levels, and how far their centers are from the mean.
    private static func clusters(_ levels: [UInt8]) -> (borders: [UInt8], offsets: [Int]) {
        var counts = [Int](repeating: 0, count: 256)
        for level in levels { counts[Int(level)] += 1 }
        guard let least = counts.firstIndex(where: { $0 > 0 }), let most = counts.lastIndex(where: { $0 > 0 }),
            most > least
        else { return ([], [0]) }
        var centers = (0..<4).map { Double(least) + Double(most - least) * (Double($0) + 0.5) / 4 }
        for _ in 0..<8 {
            var (sums, members) = ([Double](repeating: 0, count: 4), [Double](repeating: 0, count: 4))
            for level in least...most where counts[level] > 0 {
                let nearest = nearest(Double(level), centers)
                sums[nearest] += Double(level * counts[level])
                members[nearest] += Double(counts[level])
            }
            for index in 0..<4 where members[index] > 0 { centers[index] = sums[index] / members[index] }
        }
        centers.sort()
        let mean = Double(zip(0..., counts).reduce(0) { $0 + $1.0 * $1.1 }) / Double(levels.count)
        let borders = (0..<3).map { UInt8(min(255, ((centers[$0] + centers[$0 + 1]) / 2).rounded(.up))) }
        let offsets = centers.map { Int((($0 - mean) * 256 / Double(levelsPerOctave)).rounded()) }
        return (borders, offsets)
    }

    private static func nearest(_ level: Double, _ centers: [Double]) -> Int {
        var best = 0
        for index in 1..<4 where abs(centers[index] - level) < abs(centers[best] - level) { best = index }
        return best
    }
}
