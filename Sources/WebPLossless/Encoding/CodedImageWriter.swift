// One image of the bitstream, from its color cache to its last pixel: the picture itself, the entropy image, what transforms work with.
//
//   color cache ──▶ entropy image, of the picture alone ──▶ five codes for each group ──▶ pixels and copies

import ImageCodecsCore

/// Writes coded images.
struct CodedImageWriter: Sendable {
    private var codeWriter = PrefixCodeWriter()
    private let meter: MemoryMeter?

    init(meter: MemoryMeter?) { self.meter = meter }

    /// Writes the header of an image's data: its color cache, and which blocks have which codes.
    ///
    /// - Source: RFC 9649 section 3.7.2 "Encoding of Transforms and Images", ABNF in section 3.7 "Overall Structure of the Format".
    mutating func write(
        _ plan: CodedImagePlan, _ pixels: Span<UInt32>, _ copies: CopyList, _ map: GroupMap, isPicture: Bool,
        effort: EncodingOptions.Effort, to output: inout BitstreamWriter, _ work: inout WorkGuard
    ) throws(ImageError) {
        try writeHead(plan, map, isPicture: isPicture, effort: effort, to: &output, &work).codes.withSpan {
            (codes) throws(ImageError) in try writePixels(plan, pixels, copies, map, codes, to: &output, &work)
        }
    }

    /// Whichever of two maps takes fewer bits with its codes and all symbols: estimates do not see how much shorter one code is than
    /// many if they are nearly alike.
    mutating func shorter(
        _ map: GroupMap, _ other: GroupMap, _ plan: CodedImagePlan, _ effort: EncodingOptions.Effort,
        _ work: inout WorkGuard
    ) throws(ImageError) -> GroupMap {
        let bitCount = try bitCount(map, plan, effort, &work)
        return try self.bitCount(other, plan, effort, &work) < bitCount ? other : map
    }

    /// Bits of an image, extra bits left out.
    mutating func bitCount(
        _ map: GroupMap, _ plan: CodedImagePlan, _ effort: EncodingOptions.Effort, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var output = try BitstreamWriter(meter: meter)
        let symbols = try writeHead(plan, map, isPicture: true, effort: effort, to: &output, &work).bitCount
        return output.bitCount + symbols
    }

    /// Writes what comes before the pixels.
    ///
    /// - Returns: codes of all groups, and how many bits the symbols take that the map counts, extra bits left out.
    private mutating func writeHead(
        _ plan: CodedImagePlan, _ map: GroupMap, isPicture: Bool, effort: EncodingOptions.Effort,
        to output: inout BitstreamWriter, _ work: inout WorkGuard
    ) throws(ImageError) -> (codes: NumberBuffer<UInt32>, bitCount: Int) {
        try output.write(plan.cacheBits > 0 ? 1 : 0, count: 1)
        if plan.cacheBits > 0 { try output.write(plan.cacheBits, count: 4) }
        if isPicture {
            try output.write(map.groupCount > 1 ? 1 : 0, count: 1)
            if map.groupCount > 1 {
                try output.write(map.grid.sizeBits - 2, count: 3)
                try writeSmall(
                    map.groups.map { 0xFF00_0000 | UInt32($0) << 8 }, map.grid.imageSize, effort: effort, to: &output,
                    &work)
            }
        }
        let smoothings = PrefixCodeWriter.Smoothing.tried(effort)
        let symbolCount = plan.symbolCount
        let groupCount = map.groupCount
        var codes = try NumberBuffer<UInt32>(count: symbolCount * groupCount, meter: meter)
        var bitCount = 0
        for group in 0..<groupCount {
            try work.spend(1 << 14)
            for ranges in PixelSymbols.ranges(cacheBits: plan.cacheBits) {
                var codeCounts: [UInt32] = []
                map.counts.withSpan { counts in
                    for range in ranges {
                        for symbol in range { codeCounts.append(counts[group * symbolCount + symbol]) }
                    }
                }
                let made = try codeWriter.write(codeCounts, smoothings, to: &output)
                for index in made.indices { bitCount += Int(codeCounts[index]) * Int(made[index] >> 24) }
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
        return (codes, bitCount)
    }

    private func writePixels(
        _ plan: CodedImagePlan, _ pixels: Span<UInt32>, _ copies: CopyList, _ map: GroupMap, _ codes: Span<UInt32>,
        to output: inout BitstreamWriter, _ work: inout WorkGuard
    ) throws(ImageError) {
        let symbolCount = plan.symbolCount
        var steps = CodedSteps(width: plan.width, pixelCount: plan.pixelCount, sizeBits: map.grid.sizeBits)
        var cache = EncoderColorCache(bitCount: plan.cacheBits)
        let columnCount = map.grid.columnCount
        try steps.walk(copies) { (step, blockColumn, blockRow) throws(ImageError) in
            let group = Int(map.groups[blockRow * columnCount + blockColumn])
            let codes = codes.extracting(group * symbolCount..<(group + 1) * symbolCount)
            switch step {
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
                try work.spend(
                    EncoderColorCache.workUnits(ofCopy: range, distance: distance, bitCount: plan.cacheBits))
                let length = PixelSymbols.prefix(range.count)
                let code = PixelSymbols.prefix(plan.distanceCodes.code(distance))
                try output.write(code: codes[PixelSymbols.length + length.symbol])
                try output.write(length.extra, count: length.extraCount)
                try output.write(code: codes[PixelSymbols.distance + code.symbol])
                try output.write(code.extra, count: code.extraCount)
                if plan.cacheBits > 0 { cache.insert(pixels, range, distance: distance) }
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
            let map = try GroupMap(parser.parse(pixels, &plan, &work), size, meter: meter)
            try write(plan, pixels, parser.copies, map, isPicture: false, effort: effort, to: &output, &work)
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
