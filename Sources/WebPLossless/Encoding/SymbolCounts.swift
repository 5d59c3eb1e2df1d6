// How often each symbol occurs in an image, and what that many symbols take.

import ImageCodecsCore

/// What an image is written as, before it has codes.
struct CodedImagePlan {
    /// Pixels in a row, and in all.
    let width: Int
    let pixelCount: Int
    /// Two to this power colours are in the color cache; 0 for none.
    var cacheBits: Int
    let distanceCodes: DistanceCodes

    init(_ size: PixelSize, cacheBits: Int) {
        width = size.width
        pixelCount = size.width * size.height
        self.cacheBits = cacheBits
        distanceCodes = DistanceCodes(width: size.width)
    }

    var symbolCount: Int { PixelSymbols.count(cacheBits: cacheBits) }
}

extension CodedImagePlan {
    /// The pixels of an image between two looks at the clock.
    private static let stepCount = 1 << 14
    /// The `sizeBits` of one block that has all.
    static let wholeSizeBits = 62

    /// Counts the symbols of an image, for each block by itself.
    ///
    /// - Parameters:
    ///   - sizeBits: of the blocks, or ``wholeSizeBits``.
    ///   - counts: as many as there are columns of blocks, times ``symbolCount``; zero.
    ///   - rowEnded: is called when all of a row of blocks is counted; it sets the counts to zero.
    /// - Returns: extra bits of lengths and distances.
    func count(
        _ pixels: Span<UInt32>, _ copies: CopyList, sizeBits: Int, counts: inout MutableSpan<UInt32>,
        work: inout WorkGuard, rowEnded: (_ row: Int, inout MutableSpan<UInt32>) throws(ImageError) -> Void
    ) throws(ImageError) -> Int {
        var steps = CodedSteps(width: width, pixelCount: pixelCount, sizeBits: sizeBits)
        var cache = EncoderColorCache(bitCount: cacheBits)
        var extraBitCount = 0
        var row = 0
        let symbolCount = symbolCount
        var spent = 0
        try steps.walk(copies) { (step, blockColumn, blockRow) throws(ImageError) in
            if blockRow > row {
                try work.spend(counts.count / 16)
                try rowEnded(row, &counts)
                row = blockRow
            }
            let base = blockColumn * symbolCount
            switch step {
            case .pixels(let range):
                spent += range.count
                let pixels = pixels.extracting(range)
                if cacheBits == 0 {
                    for index in pixels.indices { Self.add(pixels[index], base, &counts) }
                } else {
                    for index in pixels.indices {
                        if let place = cache.find(pixels[index]) {
                            counts[base + PixelSymbols.cache + place] += 1
                        } else {
                            Self.add(pixels[index], base, &counts)
                        }
                    }
                }
            case .copy(let range, let distance):
                spent += EncoderColorCache.workUnits(ofCopy: range, distance: distance, bitCount: cacheBits)
                let length = PixelSymbols.prefix(range.count)
                let code = PixelSymbols.prefix(distanceCodes.code(distance))
                counts[base + PixelSymbols.length + length.symbol] += 1
                counts[base + PixelSymbols.distance + code.symbol] += 1
                extraBitCount += length.extraCount + code.extraCount
                if cacheBits > 0 { cache.insert(pixels, range, distance: distance) }
            }
            if spent >= Self.stepCount {
                try work.spend(spent)
                spent = 0
            }
        }
        try work.spend(counts.count / 16)
        try rowEnded(row, &counts)
        return extraBitCount
    }

    @inline(__always)
    private static func add(_ pixel: UInt32, _ base: Int, _ counts: inout MutableSpan<UInt32>) {
        counts[base &+ PixelSymbols.green(of: pixel)] &+= 1
        counts[base &+ PixelSymbols.red(of: pixel)] &+= 1
        counts[base &+ PixelSymbols.blue(of: pixel)] &+= 1
        counts[base &+ PixelSymbols.alpha(of: pixel)] &+= 1
    }

    /// The symbols of the whole image.
    func totals(
        _ pixels: Span<UInt32>, _ copies: CopyList, work: inout WorkGuard
    ) throws(ImageError) -> SymbolTotals {
        var totals = SymbolTotals(cacheBits: cacheBits)
        var counts = try NumberBuffer<UInt32>(count: symbolCount, meter: nil)
        totals.extraBitCount = try counts.withMutableSpan { (counts) throws(ImageError) in
            try count(pixels, copies, sizeBits: Self.wholeSizeBits, counts: &counts, work: &work) { _, _ in }
        }
        counts.withSpan { counts in for symbol in 0..<symbolCount { totals.counts[symbol] = counts[symbol] } }
        return totals
    }
}

/// How often each symbol occurs.
struct SymbolTotals: Sendable {
    let cacheBits: Int
    /// In the order of ``PixelSymbols``.
    var counts: [UInt32]
    /// Extra bits of lengths and distances.
    var extraBitCount = 0

    init(cacheBits: Int) {
        self.cacheBits = cacheBits
        counts = Array(repeating: 0, count: PixelSymbols.count(cacheBits: cacheBits))
    }

    /// About how many bits it takes to write the symbols and their codes.
    var bitCount: Int {
        let used = UsedSymbols(self)
        let usedCounts = used.symbols.map { counts[Int($0)] }
        let sum = usedCounts.withSpan { CodeCost.bits($0, $0, used, isSum: false) }
        return Int(sum >> UInt64(Entropy.scaleBits)) + extraBitCount
    }
}

/// What codes take, by estimate.
enum CodeCost {
    /// Bits of a symbol's length in the header of a code, and of a stretch of symbols that do not occur, in 1/65,536; tried on
    /// photographs, screens and drawings.
    static let usedSymbol: UInt64 = 5 << 15
    static let gap: UInt64 = 4 << 16
    /// What each code begins with.
    static let header: UInt64 = 40 << 16

    /// Bits, in 1/65,536, of the symbols and the headers of the codes of a group.
    ///
    /// - Parameters:
    ///   - first: counts of `symbols`.
    ///   - second: counts that are added to the first if `isSum`.
    static func bits(
        _ first: Span<UInt32>, _ second: Span<UInt32>, _ symbols: UsedSymbols, isSum: Bool
    ) -> UInt64 {
        symbols.codes.withSpan { codes in
            symbols.followsGap.withSpan { followsGap in
                var sum: UInt64 = 0
                for code in codes.indices {
                    sum += bits(first, second, codes[code], followsGap, symbols.endsInGap[code], isSum: isSum)
                }
                return sum
            }
        }
    }

    @inline(__always)
    private static func bits(
        _ first: Span<UInt32>, _ second: Span<UInt32>, _ code: Range<Int>, _ followsGap: Span<Bool>, _ endsInGap: Bool,
        isSum: Bool
    ) -> UInt64 {
        var total: UInt32 = 0
        var sum: UInt64 = 0
        var (usedCount, gapCount): (UInt64, UInt64) = (0, 0)
        var wasUsed = true
        for index in code {
            let count = isSum ? first[index] &+ second[index] : first[index]
            if wasUsed, followsGap[index] || count == 0 { gapCount &+= 1 }
            wasUsed = count > 0
            guard wasUsed else { continue }
            total &+= count
            sum &+= Entropy.product(count)
            usedCount &+= 1
        }
        if wasUsed, endsInGap { gapCount &+= 1 }
        guard usedCount > 1 else { return usedCount == 1 ? 12 << 16 : 4 << 16 }
        let header = usedCount == 2 ? 20 << 16 : header + usedCount * usedSymbol + gapCount * gap
        return Entropy.product(total) - sum + header
    }
}
