// Two pictures measured row by row: a few rows of each scale are held, no picture.
//
//   rows of pixels ──▶ light ──▶ colours, in rings of 16 rows ──▶ blurred columns ──▶ blurred rows, differences, sums
//                        └─ two rows ──▶ one row of half the width: the next scale

import ImageCodecsCore

/// Measures how far two pictures look apart.
struct LookMeasurement: Sendable {
    private var memory: ScratchBuffer
    private var scales: [LookScale]
    private let weights: LookWeights
    private let zeros: Int
    private let blurred: Int
    private(set) var map: LookMapSums?

    /// Columns that are blurred at a time, so that they are at hand when they are needed.
    private static let chunkWidth = 512
    private static let chunkStride = chunkWidth + 4 * LookPlaces.margin
    private static let smallestSide = 8

    /// - Parameters:
    ///   - size: of both pictures, at least eight pixels each way.
    ///   - makesMap: whether it is to be known where the differences are.
    /// - Throws: `limitExceeded(.memory)`.
    init(_ size: PixelSize, makesMap: Bool, meter: MemoryMeter?) throws(ImageError) {
        let sizes = Self.sizes(size)
        let weights = LookWeights(scaleCount: sizes.count)
        memory = try ScratchBuffer(zeroedByteCount: Self.byteCount(size), meter: meter)
        zeros = LookPlaces.margin
        blurred = LookPlaces.stride(size.width)
        var place = blurred + 12 * Self.chunkStride
        scales = []
        for (index, size) in sizes.enumerated() {
            scales.append(LookScale(size, index, weights, from: place))
            place = scales[index].places.end
        }
        map = makesMap ? try LookMapSums(size, meter: meter) : nil
        self.weights = weights
    }

    /// The sizes of all scales: half of the one before, rounded up, as long as there are eight pixels each way.
    private static func sizes(_ size: PixelSize) -> [PixelSize] {
        var sizes: [PixelSize] = []
        var size = size
        while sizes.count < LookWeights.scaleCount, min(size.width, size.height) >= smallestSide {
            sizes.append(size)
            size = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        }
        return sizes
    }

    /// Bytes of memory, without a map. Saturates.
    static func byteCount(_ size: PixelSize) -> Int {
        var count = size.width.addingSaturated(3 + 2 * LookPlaces.margin).addingSaturated(12 * chunkStride)
        for size in sizes(size) { count = count.addingSaturated(LookPlaces.count(width: size.width)) }
        return count.multipliedSaturated(by: 4)
    }

    /// Takes a row of both pictures: pixels of four bytes, red, green, blue and one that is not looked at.
    mutating func write(_ first: RawSpan, _ second: RawSpan, work: inout WorkGuard) throws(ImageError) {
        let places = scales[0].places
        let light = places.light(scales[0].rowCount)
        memory.withMutableBytes { memory in
            LookKernels.writeLight(of: first, count: places.width, in: &memory, at: light, stride: places.stride)
            LookKernels.writeLight(
                of: second, count: places.width, in: &memory, at: light + 3 * places.stride, stride: places.stride)
        }
        try endRow(0, work: &work)
    }

    /// Takes note that a scale's light has come for one more row, and does what can be done with it.
    private mutating func endRow(_ index: Int, work: inout WorkGuard) throws(ImageError) {
        let (places, y) = (scales[index].places, scales[index].rowCount)
        try work.spend(4 * places.width)
        let products = scales[index].products
        memory.withMutableBytes { memory in
            PerceptionKernels.writeColors(
                &memory, light: places.light(y), stride: places.stride, count: places.width,
                to: places.row(y, places.ring(0)), targetStride: places.ringStride, products: products)
        }
        scales[index].rowCount += 1
        while scales[index].isReady { try measureTwoRows(index, work: &work) }
        let isLast = scales[index].rowCount == scales[index].size.height
        // The last of an odd number of rows counts twice.
        if index + 1 < scales.count, isLast || y & 1 == 1 { try halve(index, y, work: &work) }
    }

    private mutating func halve(_ index: Int, _ y: Int, work: inout WorkGuard) throws(ImageError) {
        let (places, next) = (scales[index].places, scales[index + 1].places)
        let light = next.light(scales[index + 1].rowCount)
        memory.withMutableBytes { memory in
            LookKernels.halve(
                &memory, upper: places.light(y & ~1), lower: places.light(y), stride: places.stride, count: next.width,
                to: light, targetStride: next.stride)
        }
        try endRow(index + 1, work: &work)
    }

    private mutating func measureTwoRows(_ index: Int, work: inout WorkGuard) throws(ImageError) {
        let scale = scales[index]
        for channel in 0..<3 where scale.needs[channel] != .nothing {
            for start in stride(from: 0, to: scale.size.width, by: Self.chunkWidth) {
                let columns = start..<min(start + Self.chunkWidth, scale.size.width)
                try work.spend(8 * columns.count)
                blurColumns(scale, channel, columns)
                for row in 0..<min(2, scale.size.height - scale.measuredCount) {
                    blurRows(scale, channel, row, columns)
                    addSums(index, channel, row, columns)
                }
            }
        }
        scales[index].measuredCount += 2
        map?.endTwoRows(scale, index, weights)
    }

    private mutating func blurColumns(_ scale: LookScale, _ channel: Int, _ columns: Range<Int>) {
        let count = (columns.count + 3) & ~3 + 2 * LookPlaces.margin
        for member in 0..<(scale.needs[channel] == .all ? 4 : 2) {
            let window = LookWindow(
                ring: scale.places.ring(channel, member), stride: scale.places.stride, first: scale.measuredCount - 5,
                height: scale.size.height, zeros: zeros)
            let target = blurred + member * Self.chunkStride
            memory.withMutableBytes { memory in
                LookKernels.blurColumns(
                    &memory, window, column: columns.lowerBound - LookPlaces.margin, count: count, to: target,
                    second: target + 4 * Self.chunkStride)
            }
        }
    }

    /// Blurs what one row of blurred columns has of all members of a channel.
    private mutating func blurRows(_ scale: LookScale, _ channel: Int, _ row: Int, _ columns: Range<Int>) {
        for member in 0..<(scale.needs[channel] == .all ? 4 : 2) {
            let place = blurred + (4 * row + member) * Self.chunkStride
            let target = blurred + (8 + member) * Self.chunkStride
            memory.withMutableBytes { memory in
                LookKernels.blurRow(
                    &memory, at: place + LookPlaces.margin, count: (columns.count + 7) & ~7, to: target)
            }
        }
    }

    private mutating func addSums(_ index: Int, _ channel: Int, _ row: Int, _ columns: Range<Int>) {
        let scale = scales[index]
        let y = scale.measuredCount + row
        guard map != nil else {
            scales[index].sums[channel].add(sums(scale, channel, row, columns, from: columns.lowerBound))
            return
        }
        for square in LookMapSums.squares(columns, scale: index) {
            let sums = sums(scale, channel, row, square, from: columns.lowerBound)
            scales[index].sums[channel].add(sums)
            map?.add(sums, channel, column: square.lowerBound, row: y, scale: index)
        }
    }

    /// - Parameter start: the first column that is blurred.
    private func sums(
        _ scale: LookScale, _ channel: Int, _ row: Int, _ columns: Range<Int>, from start: Int
    ) -> LookSums {
        let places = scale.places
        let y = scale.measuredCount + row
        return memory.withBytes { memory in
            PerceptionKernels.sums(
                memory, first: places.row(y, places.ring(channel, 0)) + columns.lowerBound,
                second: places.row(y, places.ring(channel, 1)) + columns.lowerBound,
                blurred: blurred + 8 * Self.chunkStride + columns.lowerBound - start,
                stride: Self.chunkStride, count: columns.count, hasProducts: scale.needs[channel] == .all)
        }
    }

    /// The score, once all rows have come.
    var score: Double {
        var sum = 0.0
        for (index, scale) in scales.enumerated() {
            for channel in 0..<3 {
                sum += weights.share(scale.sums[channel], count: scale.size.width * scale.size.height, channel, index)
            }
        }
        return LookWeights.score(sum)
    }
}
