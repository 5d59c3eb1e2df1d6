// One image of the bitstream, from its color cache to its last pixel: the picture itself, the entropy image, what transforms work with.
//
//   color cache ──▶ entropy image, of the picture alone ──▶ five codes for each group ──▶ pixels and copies

import ImageCodecsCore

/// Which group of codes each block of a picture has.
struct GroupMap: Sendable {
    /// Blocks share groups.
    let grid: BlockGrid
    /// The group of each block.
    var groups: [UInt16]
    var groupCount: Int
}

/// Writes coded images.
struct CodedImageWriter: Sendable {
    private var codeWriter = PrefixCodeWriter()
    private let meter: MemoryMeter?

    init(meter: MemoryMeter?) { self.meter = meter }

    /// Writes the header of an image's data: its color cache, and which blocks have which codes.
    ///
    /// - Parameter map: `nil` if all pixels share codes.
    /// - Source: RFC 9649 section 3.7.2 "Encoding of Transforms and Images", ABNF in section 3.7 "Overall Structure of the Format".
    mutating func write(
        _ plan: CodedImagePlan, _ pixels: Span<UInt32>, _ copies: Span<UInt64>, _ map: GroupMap?, isPicture: Bool,
        effort: EncodingOptions.Effort, to output: inout BitstreamWriter, _ work: inout WorkGuard
    ) throws(ImageError) {
        try output.write(plan.cacheBits > 0 ? 1 : 0, count: 1)
        if plan.cacheBits > 0 { try output.write(plan.cacheBits, count: 4) }
        if isPicture {
            try output.write(map == nil ? 0 : 1, count: 1)
            if let map {
                try output.write(map.grid.sizeBits - 2, count: 3)
                try writeSmall(
                    map.groups.map { 0xFF00_0000 | UInt32($0) << 8 }, map.grid.imageSize, effort: effort, to: &output,
                    &work)
            }
        }
        let smoothings = PrefixCodeWriter.Smoothing.tried(effort)
        let symbolCount = plan.symbolCount
        let groupCount = map?.groupCount ?? 1
        // Counted again, by groups.
        var counts = try NumberBuffer<UInt32>(
            count: symbolCount.multipliedSaturated(by: groupCount), meter: meter)
        try count(plan, pixels, copies, map, &counts, &work)
        var codes = try NumberBuffer<UInt32>(count: symbolCount * groupCount, meter: meter)
        for group in 0..<groupCount {
            try work.spend(1 << 12)
            for ranges in PixelSymbols.ranges(cacheBits: plan.cacheBits) {
                var codeCounts: [UInt32] = []
                counts.withSpan { counts in
                    for range in ranges {
                        for symbol in range { codeCounts.append(counts[group * symbolCount + symbol]) }
                    }
                }
                let made = try codeWriter.write(codeCounts, smoothings, to: &output)
                codes.withMutableSpan { codes in
                    var index = 0
                    for range in ranges {
                        for symbol in range {
                            codes[group * symbolCount + symbol] = made[index]
                            index += 1
                        }
                    }
                }
            }
        }
        try codes.withSpan { (codes) throws(ImageError) in
            try writePixels(plan, pixels, copies, map, codes, to: &output, &work)
        }
    }

    private func count(
        _ plan: CodedImagePlan, _ pixels: Span<UInt32>, _ copies: Span<UInt64>, _ map: GroupMap?,
        _ counts: inout NumberBuffer<UInt32>, _ work: inout WorkGuard
    ) throws(ImageError) {
        guard let map else {
            let totals = try plan.totals(pixels, copies, work: &work)
            counts.withMutableSpan { counts in
                for index in totals.counts.indices { counts[index] = totals.counts[index] }
            }
            return
        }
        let symbolCount = plan.symbolCount
        let columnCount = map.grid.columnCount
        var blocks = try NumberBuffer<UInt32>(count: columnCount * symbolCount, meter: meter)
        _ = try blocks.withMutableSpan { (blocks) throws(ImageError) in
            try plan.count(pixels, copies, sizeBits: map.grid.sizeBits, counts: &blocks, work: &work) {
                (row, blocks) throws(ImageError) in
                counts.withMutableSpan { counts in
                    for column in 0..<columnCount {
                        let group = Int(map.groups[row * columnCount + column]) * symbolCount
                        for symbol in 0..<symbolCount {
                            counts[group + symbol] += blocks[column * symbolCount + symbol]
                            blocks[column * symbolCount + symbol] = 0
                        }
                    }
                }
            }
        }
    }

    private func writePixels(
        _ plan: CodedImagePlan, _ pixels: Span<UInt32>, _ copies: Span<UInt64>, _ map: GroupMap?, _ codes: Span<UInt32>,
        to output: inout BitstreamWriter, _ work: inout WorkGuard
    ) throws(ImageError) {
        let symbolCount = plan.symbolCount
        var steps = CodedSteps(width: plan.width, pixelCount: plan.pixelCount, sizeBits: map?.grid.sizeBits ?? 62)
        var cache = EncoderColorCache(bitCount: plan.cacheBits)
        let columnCount = map?.grid.columnCount ?? 1
        while let next = steps.next(copies) {
            let group = map.map { Int($0.groups[next.blockRow * columnCount + next.blockColumn]) } ?? 0
            let codes = codes.extracting(group * symbolCount..<(group + 1) * symbolCount)
            switch next.step {
            case .pixels(let range) where plan.cacheBits == 0:
                var start = range.lowerBound
                while start < range.upperBound {
                    let part = start..<min(start + (1 << 12), range.upperBound)
                    try work.spend(part.count)
                    try output.withBytes(room: part.count * PixelWriteKernel.pixelByteCount) { bytes, bits in
                        PixelWriteKernel.write(
                            pixels.extracting(part), codes: codes, red: PixelSymbols.red, blue: PixelSymbols.blue,
                            alpha: PixelSymbols.alpha, to: &bytes, position: &bits.position, bits: &bits.bits,
                            count: &bits.count)
                    }
                    start = part.upperBound
                }
            case .pixels(let range):
                try work.spend(range.count)
                for index in range {
                    let pixel = pixels[index]
                    if let place = cache.find(pixel) {
                        try output.write(code: codes[PixelSymbols.cache + place])
                    } else {
                        try output.write(code: codes[PixelSymbols.green(of: pixel)])
                        try output.write(code: codes[PixelSymbols.red(of: pixel)])
                        try output.write(code: codes[PixelSymbols.blue(of: pixel)])
                        try output.write(code: codes[PixelSymbols.alpha(of: pixel)])
                    }
                }
            case .copy(let range, let distance):
                try work.spend(16)
                let length = PixelSymbols.prefix(range.count)
                let code = PixelSymbols.prefix(plan.distanceCodes.code(distance))
                try output.write(code: codes[PixelSymbols.length + length.symbol])
                try output.write(length.extra, count: length.extraCount)
                try output.write(code: codes[PixelSymbols.distance + code.symbol])
                try output.write(code.extra, count: code.extraCount)
                if plan.cacheBits > 0 { for index in range { _ = cache.find(pixels[index]) } }
            }
        }
    }

    /// Writes an image that is no picture: few pixels, one group of codes.
    mutating func writeSmall(
        _ pixels: [UInt32], _ size: PixelSize, effort: EncodingOptions.Effort, to output: inout BitstreamWriter,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        var plan = CodedImagePlan(size, cacheBits: 0)
        var parser = try PixelParser(size, effort: effort == .fast ? .fast : .default, meter: meter)
        try pixels.withSpan { (pixels) throws(ImageError) in
            try parser.parse(pixels, &plan, &work)
            try parser.copies.withSpan { (copies) throws(ImageError) in
                try write(plan, pixels, copies, nil, isPicture: false, effort: effort, to: &output, &work)
            }
        }
    }
}

extension BitstreamWriter {
    /// Appends a code: bits below, their number from bit 24 on.
    @inline(__always)
    fileprivate mutating func write(code: UInt32) throws(ImageError) {
        try write(Int(code & 0xFF_FFFF), count: Int(code >> 24))
    }
}
