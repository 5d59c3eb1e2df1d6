// The innermost loop of VP8L: bits in, pixels out.
//
//   a unit   literal     green, red, blue, alpha                     up to 4 x 15 bits
//            copy        length, extra bits, distance, extra bits    up to 15 + 10 + 15 + 18
//            color       a place in the color cache                  up to 15
//
// The loop goes by stretches of a row that lie in one block, so that nothing that depends on the block is done for each pixel.
// It runs while a unit's bits are certain to be there; near the end of the input the same loop runs with a window that
// counts exactly, and a unit that is not whole is left for when more bytes have come.

/// Where decoding stands between two pieces of input.
package struct PixelState: Sendable, Hashable {
    /// Pixels that are decoded.
    package var position = 0

    package init() {}

    init(position: Int) { self.position = position }
}

/// Why decoding stopped.
package enum PixelPause: Sendable, Hashable {
    /// The pixel that was asked for is decoded.
    case reachedStop
    /// The next unit is not whole.
    case inputUsed
    /// A copy reaches before the first pixel, or beyond the last.
    case outside
    /// Of ``IndexKernel``: the next pixel is from a place of the color cache where nothing was put, and no index stands for it.
    case unsetColor
}

/// The image that is decoded, or what of it is in the window.
package struct PixelShape: Sendable {
    package let width: Int
    /// Pixels from the first one that is held to the end of the image.
    package let pixelCount: Int
    /// The row of the first pixel that is held.
    package let firstRow: Int
    /// 0...11.
    package let cacheBits: Int
    /// The exponent of the side of blocks that have a group each; 0 if there is one group.
    package let sizeBits: Int
    package let blocksPerRow: Int

    package init(
        width: Int, pixelCount: Int, firstRow: Int = 0, cacheBits: Int, sizeBits: Int = 0, blocksPerRow: Int = 0
    ) {
        self.width = width
        self.pixelCount = pixelCount
        self.firstRow = firstRow
        self.cacheBits = cacheBits
        self.sizeBits = sizeBits
        self.blocksPerRow = blocksPerRow
    }

    /// Whether blocks are so small that each pixel has a group.
    func isCovered(blockCount: Int) -> Bool {
        guard sizeBits > 0 else { return true }
        guard blocksPerRow > 0, blocksPerRow << sizeBits >= width else { return false }
        return firstRow >= 0 && (((blockCount / blocksPerRow) << sizeBits) - firstRow) * width >= pixelCount
    }

    /// Whether a buffer holds what decoding up to `stop` writes: a copy may go on after it, but not after the image.
    func fits(stop: Int, _ state: PixelState, heldCount: Int) -> Bool {
        guard state.position >= 0, state.position <= pixelCount, stop <= pixelCount else { return false }
        return max(state.position, min(pixelCount, stop + BackwardReferences.longestLength)) <= heldCount
    }
}

/// What the pixels and the workspace of an image take.
package protocol PixelBuffers {}

extension PixelBuffers {
    /// Pixels that there have to be after the image, for copies of eight pixels at a time.
    package static var margin: Int { 8 }
    /// Numbers of the workspace: near distances, and after them the color cache.
    package static var workspaceCount: Int { cacheStart + (1 << ColorCache.largestBitCount) }
    static var cacheStart: Int { 128 }
}

#if !ReferenceKernels
package enum PixelKernel: PixelBuffers {
    /// Decodes up to pixel `stop`, or a little further.
    ///
    /// - Parameters:
    ///   - pixels: four bytes each, ``PixelBuffers/margin`` more than the image has, or than the longest copy reaches that
    ///     begins before `stop`.
    ///   - workspace: ``workspaceCount`` numbers.
    ///   - records: of groups, as `PrefixCodeStore` made them.
    ///   - arena: the tables that they name.
    ///   - blocks: the group of each block, below the number of groups; empty if there is one.
    ///   - bitPosition: in `input`; moved on by whole units.
    ///   - stop: at most the number of pixels; the end of a row.
    package static func decode(
        _ state: inout PixelState, _ shape: PixelShape, pixels: inout MutableRawSpan,
        workspace: inout MutableSpan<UInt32>, records: Span<UInt32>, arena: RawSpan, blocks: Span<UInt16>,
        input: RawSpan, bitPosition: inout Int, stop: Int
    ) -> PixelPause {
        precondition(shape.fits(stop: stop, state, heldCount: pixels.byteCount / 4 - margin), "too few pixels")
        precondition((0...ColorCache.largestBitCount).contains(shape.cacheBits), "too large a color cache")
        precondition(workspace.count >= workspaceCount, "too small a workspace")
        precondition(records.count >= PrefixGroupRecord.stride, "no group")
        precondition(bitPosition >= 0 && bitPosition <= input.byteCount * 8, "outside the input")
        precondition(shape.isCovered(blockCount: blocks.count), "too few blocks")
        return unsafe pixels.withUnsafeMutableBytes { pixels in
            unsafe workspace.withUnsafeMutableBufferPointer { workspace in
                unsafe records.withUnsafeBufferPointer { records in
                    unsafe arena.withUnsafeBytes { arena in
                        unsafe blocks.withUnsafeBufferPointer { blocks in
                            unsafe input.withUnsafeBytes { input in
                                // SAFETY: an input without bytes has no address; any other stands for it, nothing is
                                // read if there are no bytes. The others are not empty, as checked above.
                                guard let base = pixels.baseAddress, let space = workspace.baseAddress,
                                    let groups = records.baseAddress, let tables = arena.baseAddress
                                else { return .inputUsed }
                                let bytes = unsafe input.baseAddress ?? UnsafeRawPointer(tables)
                                var run = unsafe PixelRun(
                                    shape, base: base.assumingMemoryBound(to: UInt32.self), workspace: space,
                                    records: groups, arena: tables, blocks: blocks.baseAddress,
                                    window: BitWindow(bitPosition, bytes, byteCount: input.count), state)
                                let pause = unsafe run.decode(to: stop)
                                bitPosition = unsafe run.window.position(from: bytes)
                                state = unsafe run.state
                                return pause
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The state of a run.
///
/// SAFETY, for all of it: a pixel is written at `out`, which is below `stop`, or in a copy that begins there and ends at or
/// before the end of the image, with at most seven pixels after that: the buffer holds all of them, as `fits` has checked.
/// A copy reads pixels from the first one that is held on, for
/// its distance is at most as many as there are. Places in tables are masked to their size, places of blocks come from
/// a pixel inside of the image; places in the cache are masked.
@unsafe
private struct PixelRun {
    let shape: PixelShape
    let base: UnsafeMutablePointer<UInt32>
    let workspace: UnsafeMutablePointer<UInt32>
    let records: UnsafePointer<UInt32>
    let arena: UnsafeRawPointer
    let blocks: UnsafePointer<UInt16>?
    var window: BitWindow
    var out: UnsafeMutablePointer<UInt32>

    init(
        _ shape: PixelShape, base: UnsafeMutablePointer<UInt32>, workspace: UnsafeMutablePointer<UInt32>,
        records: UnsafePointer<UInt32>, arena: UnsafeRawPointer, blocks: UnsafePointer<UInt16>?, window: BitWindow,
        _ state: PixelState
    ) {
        unsafe self.shape = shape
        unsafe self.base = base
        unsafe self.workspace = workspace
        unsafe self.records = records
        unsafe self.arena = arena
        unsafe self.blocks = blocks
        unsafe self.window = window
        unsafe out = base + state.position
    }

    var state: PixelState { unsafe PixelState(position: out - base) }

    mutating func decode(to stop: Int) -> PixelPause {
        let stopAt = unsafe base + stop
        let hasCache = unsafe shape.cacheBits > 0
        if let pause = unsafe hasCache ? decodeWithCache(stopAt) : decodeWithoutCache(stopAt) { return pause }
        // The margin is used up.
        return unsafe decodeCarefully(stopAt) ?? .inputUsed
    }

    // One function for each, so that the loop has as many registers as can be.

    @inline(never)
    private mutating func decodeWithCache(_ stopAt: UnsafeMutablePointer<UInt32>) -> PixelPause? {
        unsafe decode(stopAt, careful: false, hasCache: true)
    }

    @inline(never)
    private mutating func decodeWithoutCache(_ stopAt: UnsafeMutablePointer<UInt32>) -> PixelPause? {
        unsafe decode(stopAt, careful: false, hasCache: false)
    }

    @inline(never)
    private mutating func decodeCarefully(_ stopAt: UnsafeMutablePointer<UInt32>) -> PixelPause? {
        unsafe decode(stopAt, careful: true, hasCache: shape.cacheBits > 0)
    }

    /// The codes of the group of a pixel, and how many pixels its block has from there on in the row.
    @inline(__always)
    private func group(_ x: Int, _ y: Int) -> (codes: PixelCodes, left: Int) {
        let shape = unsafe shape
        guard let blocks = unsafe blocks, shape.sizeBits > 0 else { return unsafe (PixelCodes(records, arena), .max) }
        let column = x &>> shape.sizeBits
        let number = unsafe Int(blocks[(y &>> shape.sizeBits) &* shape.blocksPerRow &+ column])
        let end = min((column &+ 1) &<< shape.sizeBits, shape.width)
        return unsafe (PixelCodes(records + (number &* PrefixGroupRecord.stride), arena), end &- x)
    }

    /// Goes by stretches of a row that have one group.
    ///
    /// - Parameters:
    ///   - careful: whether bits may be missing.
    ///   - hasCache: whether there is a color cache.
    /// - Returns: `nil` if the margin is used up.
    @inline(__always)
    private mutating func decode(
        _ stopAt: UnsafeMutablePointer<UInt32>, careful: Bool, hasCache: Bool
    ) -> PixelPause? {
        let shape = unsafe shape
        let position = unsafe out - base
        var (x, y) = shape.sizeBits > 0 ? (position % shape.width, shape.firstRow + position / shape.width) : (0, 0)
        while unsafe out < stopAt {
            let (codes, left) = unsafe group(x, y)
            let stretch = unsafe out
            let end = unsafe left == .max ? stopAt : out + left
            if let pause = unsafe decode(codes, end, careful: careful, hasCache: hasCache) {
                return pause == .inputUsed ? nil : pause
            }
            x &+= unsafe out - stretch
            if left != .max, x >= shape.width {
                if x < 2 &* shape.width {
                    x &-= shape.width
                    y &+= 1
                } else {
                    y &+= x / shape.width
                    x %= shape.width
                }
            }
        }
        return .reachedStop
    }

    /// Decodes units until a pixel is reached.
    ///
    /// Each pixel goes into the color cache at once: to put them there when a color is wanted from it means a loop of which
    /// the processor cannot foresee how long it is.
    ///
    /// - Returns: `nil` when it is reached; `inputUsed` also if the margin is used up.
    @inline(__always)
    private mutating func decode(
        _ codes: PixelCodes, _ end: UnsafeMutablePointer<UInt32>, careful: Bool, hasCache: Bool
    ) -> PixelPause? {
        var (window, out) = unsafe (window, out)
        defer { unsafe (self.window, self.out) = unsafe (window, out) }
        let cache = unsafe PixelCache(workspace + PixelKernel.cacheStart, bitCount: shape.cacheBits)
        if unsafe codes.kind == PrefixGroupRecord.kindConstant {
            if hasCache, unsafe out < end { unsafe cache.put(codes.literal) }
            while unsafe out < end {
                unsafe out.pointee = codes.literal
                unsafe out += 1
            }
        }
        while unsafe out < end {
            let start = unsafe window
            guard unsafe careful || window.hasMargin else { return .inputUsed }
            unsafe window.fill(careful: careful)
            let entry = unsafe codes.packedEntry(window.bits)
            let color: UInt32
            if entry != 0 {
                unsafe window.drop(Int(truncatingIfNeeded: entry &>> 32))
                color = UInt32(truncatingIfNeeded: entry)
            } else {
                let symbol = unsafe window.symbol(codes.green, codes.greenMask)
                if symbol < PrefixAlphabet.literalCount {
                    color = unsafe codes.pixel(symbol, &window, careful: careful)
                } else if hasCache, symbol >= PrefixAlphabet.literalCount &+ PrefixAlphabet.lengthCount {
                    color = unsafe cache.color(ofSymbol: symbol)
                } else {
                    let pause = unsafe copy(symbol, codes, &window, &out, cache, careful: careful, hasCache: hasCache)
                    guard let pause else { continue }
                    unsafe window = start
                    return pause
                }
            }
            if careful, unsafe window.count < 0 {
                unsafe window = start
                return .inputUsed
            }
            unsafe out.pointee = color
            unsafe out += 1
            if hasCache { unsafe cache.put(color) }
        }
        return nil
    }

    /// Takes the rest of a copy, and copies.
    ///
    /// - Returns: why that cannot be.
    @inline(__always)
    private func copy(
        _ symbol: Int, _ codes: PixelCodes, _ window: inout BitWindow, _ out: inout UnsafeMutablePointer<UInt32>,
        _ cache: PixelCache, careful: Bool, hasCache: Bool
    ) -> PixelPause? {
        // Without a cache there are no symbols after those of lengths.
        guard hasCache || symbol < PrefixAlphabet.literalCount &+ PrefixAlphabet.lengthCount else { return .outside }
        let length = unsafe window.prefixedValue(symbol &- PrefixAlphabet.literalCount)
        let distanceSymbol = unsafe window.symbol(codes.table(4), codes.mask(4))
        unsafe window.fill(careful: careful)
        let code = unsafe window.prefixedValue(distanceSymbol)
        if careful, unsafe window.count < 0 { return .inputUsed }
        let nearCount = BackwardReferences.nearCount
        let distance = unsafe code > nearCount ? code &- nearCount : Int(workspace[code &- 1])
        guard unsafe distance <= out - base, unsafe length <= base + shape.pixelCount - out else { return .outside }
        unsafe out = Self.copy(out, distance: distance, length: length)
        if hasCache {
            // What is copied again and again is in the cache already: only the last of it is put there anew.
            unsafe cache.put(from: out - min(length, distance), to: out, of: base)
        }
        return nil
    }

    /// Copies pixels; up to seven more are written. Eight at a time, as most copies are no longer than that.
    @inline(__always)
    private static func copy(
        _ out: UnsafeMutablePointer<UInt32>, distance: Int, length: Int
    ) -> UnsafeMutablePointer<UInt32> {
        let stop = unsafe out + length
        var target = UnsafeMutableRawPointer(out)
        if distance >= 4 {
            var source = unsafe UnsafeRawPointer(out - distance)
            repeat {
                // The second four may be copies of the first.
                unsafe target.storeBytes(of: source.loadUnaligned(as: SIMD4<UInt32>.self), as: SIMD4<UInt32>.self)
                let more = unsafe source.loadUnaligned(fromByteOffset: 16, as: SIMD4<UInt32>.self)
                unsafe target.storeBytes(of: more, toByteOffset: 16, as: SIMD4<UInt32>.self)
                unsafe source += 32
                unsafe target += 32
            } while unsafe target < UnsafeMutableRawPointer(stop)
        } else if distance == 1 {
            let color = unsafe SIMD4<UInt32>(repeating: (out - 1).pointee)
            repeat {
                unsafe target.storeBytes(of: color, as: SIMD4<UInt32>.self)
                unsafe target.storeBytes(of: color, toByteOffset: 16, as: SIMD4<UInt32>.self)
                unsafe target += 32
            } while unsafe target < UnsafeMutableRawPointer(stop)
        } else {
            var place = unsafe out
            while unsafe place < stop {
                unsafe place.pointee = (place - distance).pointee
                unsafe place += 1
            }
        }
        return unsafe stop
    }
}

/// The color cache of an image.
///
/// SAFETY, for all of it: there are `1 << bitCount` places, and places are below that: masked, or the highest bits of 32.
@unsafe
private struct PixelCache {
    private let places: UnsafeMutablePointer<UInt32>
    private let mask: Int
    private let shift: UInt32

    @inline(__always)
    init(_ places: UnsafeMutablePointer<UInt32>, bitCount: Int) {
        unsafe self.places = places
        unsafe mask = (1 &<< bitCount) &- 1
        unsafe shift = UInt32(truncatingIfNeeded: 32 &- bitCount)
    }

    @inline(__always)
    func color(ofSymbol symbol: Int) -> UInt32 {
        unsafe places[(symbol &- (PrefixAlphabet.literalCount &+ PrefixAlphabet.lengthCount)) & mask]
    }

    @inline(__always)
    func put(_ color: UInt32) {
        unsafe places[Int(truncatingIfNeeded: (color &* ColorCache.multiplier) &>> shift)] = color
    }

    /// Puts some pixels there, the last of which is the last one of all so far.
    ///
    /// Some that are there already go there once more, in order, so that eight at a time do: the cache is the same, for a place
    /// has the last color that went there. How many there are cannot be foreseen, and is mostly fewer than eight.
    ///
    /// - Parameter first: the first of all pixels.
    @inline(__always)
    func put(
        from start: UnsafeMutablePointer<UInt32>, to end: UnsafeMutablePointer<UInt32>,
        of first: UnsafeMutablePointer<UInt32>
    ) {
        let count = unsafe end - start
        let rounded = (count &+ 7) & ~7
        if unsafe count >= 64 || rounded > end - first {
            unsafe putMany(from: start, to: end)
            return
        }
        var place = unsafe end - rounded
        repeat {
            // SAFETY: pixels from the first on, below `end`.
            for step in 0..<8 { unsafe put(place[step]) }
            unsafe place += 8
        } while unsafe place < end
    }

    /// Puts pixels there, sixteen at a time; but passes over eight that have the color of the one before, which was put there
    /// last.
    ///
    /// Looking at four at a time was slower for pictures in which short runs and other pixels take turns: the processor cannot
    /// foresee which is next.
    ///
    /// - Precondition: there are pixels.
    @inline(never)
    private func putMany(from start: UnsafeMutablePointer<UInt32>, to end: UnsafeMutablePointer<UInt32>) {
        var place = unsafe start
        // SAFETY: reads pixels from `start` to below `end`.
        var last = unsafe place.pointee
        unsafe put(last)
        unsafe place += 1
        while unsafe end - place >= 16 {
            if unsafe Self.isEight(place, last) {
                unsafe place += 8
            } else {
                for step in 0..<16 {
                    last = unsafe place[step]
                    unsafe put(last)
                }
                unsafe place += 16
            }
        }
        while unsafe place < end {
            unsafe put(place.pointee)
            unsafe place += 1
        }
    }

    /// Whether eight pixels are `color`.
    @inline(__always)
    private static func isEight(_ pixels: UnsafeMutablePointer<UInt32>, _ color: UInt32) -> Bool {
        let both = UInt64(color) &* 0x1_0000_0001
        let bytes = UnsafeRawPointer(pixels)
        // SAFETY: eight pixels are there, as the caller has seen.
        let (a, b) = unsafe (
            bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
        let (c, d) = unsafe (
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
        return (a ^ both) | (b ^ both) | (c ^ both) | (d ^ both) == 0
    }
}
#endif
