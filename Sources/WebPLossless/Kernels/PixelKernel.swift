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
    /// Of those, pixels that went into the color cache.
    package var cachedCount = 0

    package init() {}

    init(position: Int, cachedCount: Int) {
        self.position = position
        self.cachedCount = cachedCount
    }
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
    /// Pixels that there have to be after the image, for copies of four pixels at a time.
    package static var margin: Int { 4 }
    /// Numbers of the workspace: near distances, and after them the color cache.
    package static var workspaceCount: Int { cacheStart + (1 << ColorCache.largestBitCount) }
    static var cacheStart: Int { 128 }
    /// Pixels that may not be in the color cache yet between two calls.
    package static var largestLag: Int { 1 << 16 }
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
        precondition(state.cachedCount >= 0 && state.cachedCount <= state.position, "outside")
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
                                unsafe run.catchUp()
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
/// before the end of the image, with at most three pixels after that: the buffer holds all of them, as `fits` has checked.
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
    var cached: UnsafeMutablePointer<UInt32>

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
        unsafe cached = base + state.cachedCount
    }

    var state: PixelState { unsafe PixelState(position: out - base, cachedCount: cached - base) }

    mutating func decode(to stop: Int) -> PixelPause {
        let stopAt = unsafe base + stop
        if let pause = unsafe decode(stopAt, careful: false) { return pause }
        // The margin is used up.
        return unsafe decode(stopAt, careful: true) ?? .inputUsed
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
    /// - Parameter careful: whether bits may be missing.
    /// - Returns: `nil` if the margin is used up.
    @inline(__always)
    private mutating func decode(_ stopAt: UnsafeMutablePointer<UInt32>, careful: Bool) -> PixelPause? {
        let shape = unsafe shape
        let position = unsafe out - base
        var (x, y) = shape.sizeBits > 0 ? (position % shape.width, shape.firstRow + position / shape.width) : (0, 0)
        while unsafe out < stopAt {
            let (codes, left) = unsafe group(x, y)
            let stretch = unsafe out
            let end = unsafe left == .max ? stopAt : out + left
            if let pause = unsafe decode(codes, end, careful: careful) { return pause == .inputUsed ? nil : pause }
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
    /// - Returns: `nil` when it is reached; `inputUsed` also if the margin is used up.
    @inline(__always)
    private mutating func decode(
        _ codes: PixelCodes, _ end: UnsafeMutablePointer<UInt32>, careful: Bool
    ) -> PixelPause? {
        var (window, out) = unsafe (window, out)
        defer { unsafe (self.window, self.out) = unsafe (window, out) }
        if unsafe codes.kind == PrefixGroupRecord.kindConstant {
            while unsafe out < end {
                unsafe out.pointee = codes.literal
                unsafe out += 1
            }
        }
        while unsafe out < end {
            let (start, unit) = unsafe (window, out)
            guard unsafe careful || window.hasMargin else { return .inputUsed }
            unsafe window.fill(careful: careful)
            var pause: PixelPause?
            let entry = unsafe codes.packedEntry(window.bits)
            if entry != 0 {
                unsafe window.drop(Int(truncatingIfNeeded: entry &>> 32))
                unsafe out.pointee = UInt32(truncatingIfNeeded: entry)
                unsafe out += 1
            } else {
                let symbol = unsafe window.symbol(codes.green, codes.greenMask)
                if symbol < PrefixAlphabet.literalCount {
                    unsafe out.pointee = codes.pixel(symbol, &window, careful: careful)
                    unsafe out += 1
                } else if symbol < PrefixAlphabet.literalCount &+ PrefixAlphabet.lengthCount {
                    pause = unsafe copy(symbol, codes, &window, &out, careful: careful)
                } else {
                    pause = unsafe emitColor(symbol, &out)
                }
            }
            // A pixel of bits that are not there is written again.
            if careful, unsafe window.count < 0 { pause = .inputUsed }
            if let pause {
                unsafe (window, out) = unsafe (start, unit)
                return pause
            }
        }
        return nil
    }

    /// Takes the rest of a copy, and copies.
    ///
    /// - Returns: why that cannot be.
    @inline(__always)
    private mutating func copy(
        _ symbol: Int, _ codes: PixelCodes, _ window: inout BitWindow, _ out: inout UnsafeMutablePointer<UInt32>,
        careful: Bool
    ) -> PixelPause? {
        let length = unsafe window.prefixedValue(symbol &- PrefixAlphabet.literalCount)
        let distanceSymbol = unsafe window.symbol(codes.table(4), codes.mask(4))
        unsafe window.fill(careful: careful)
        let code = unsafe window.prefixedValue(distanceSymbol)
        if careful, unsafe window.count < 0 { return .inputUsed }
        let nearCount = BackwardReferences.nearCount
        let distance = unsafe code > nearCount ? code &- nearCount : Int(workspace[code &- 1])
        guard unsafe distance <= out - base, unsafe length <= base + shape.pixelCount - out else { return .outside }
        if unsafe shape.cacheBits > 0, length > distance {
            // What is copied again and again is in the cache already: only the last of it is put there anew.
            unsafe fillCache(to: out)
            unsafe cached = out + (length &- distance)
        }
        unsafe out = Self.copy(out, distance: distance, length: length)
        return nil
    }

    /// Takes a color from the cache.
    @inline(__always)
    private mutating func emitColor(_ symbol: Int, _ out: inout UnsafeMutablePointer<UInt32>) -> PixelPause? {
        // Without a cache there are no such symbols.
        guard unsafe shape.cacheBits > 0 else { return .outside }
        let place = symbol &- (PrefixAlphabet.literalCount &+ PrefixAlphabet.lengthCount)
        let mask = unsafe (1 &<< shape.cacheBits) &- 1
        if let color = unsafe recentColor(place & mask, out) {
            unsafe out.pointee = color
        } else {
            unsafe fillCache(to: out)
            unsafe out.pointee = workspace[PixelKernel.cacheStart &+ (place & mask)]
        }
        unsafe out += 1
        return nil
    }

    /// What is at a place of a cache of a few colors, where one of the last pixels went there; the cache then need not be
    /// filled.
    @inline(__always)
    private func recentColor(_ place: Int, _ out: UnsafeMutablePointer<UInt32>) -> UInt32? {
        guard unsafe shape.cacheBits <= 2 else { return nil }
        let shift = unsafe UInt32(truncatingIfNeeded: 32 &- shape.cacheBits)
        var pixel = unsafe out
        // SAFETY: pixels after `cached`, which is not before the first.
        while unsafe pixel > cached && out - pixel < 8 {
            unsafe pixel -= 1
            let color = unsafe pixel.pointee
            if unsafe Self.hash(color, shift) == place { return color }
        }
        return nil
    }

    /// Puts pixels into the cache if many wait for it.
    ///
    /// A color of the cache may come after millions of pixels that are not there yet: putting them there all at once would
    /// take a tenth of a second. A picture of few pixels may never need them.
    mutating func catchUp() {
        guard unsafe shape.cacheBits > 0, unsafe out - cached > PixelKernel.largestLag else { return }
        unsafe fillCache(to: out)
    }

    /// Puts into the cache what is not there yet.
    @inline(__always)
    private mutating func fillCache(to out: UnsafeMutablePointer<UInt32>) {
        let shift = unsafe UInt32(truncatingIfNeeded: 32 &- shape.cacheBits)
        let cache = unsafe workspace + PixelKernel.cacheStart
        var place = unsafe cached
        if unsafe out - place >= 64 { unsafe place = Self.fillLong(cache, shift, from: place, to: out) }
        // SAFETY: reads pixels below `out`.
        while unsafe place < out {
            let pixel = unsafe place.pointee
            unsafe cache[Self.hash(pixel, shift)] = pixel
            unsafe place += 1
        }
        unsafe cached = place
    }

    /// Puts pixels into the cache, sixteen at a time; but passes over eight that have the color of the one before, which was put
    /// there last.
    ///
    /// Looking at four at a time was slower for pictures in which short runs and other pixels take turns: the processor cannot
    /// foresee which is next.
    ///
    /// - Precondition: there are pixels.
    /// - Returns: the first that is left, one of the last fifteen.
    @inline(never)
    private static func fillLong(
        _ cache: UnsafeMutablePointer<UInt32>, _ shift: UInt32, from start: UnsafeMutablePointer<UInt32>,
        to out: UnsafeMutablePointer<UInt32>
    ) -> UnsafeMutablePointer<UInt32> {
        var place = unsafe start
        // SAFETY: reads pixels from `start` to below `out`.
        var last = unsafe place.pointee
        unsafe cache[hash(last, shift)] = last
        unsafe place += 1
        while unsafe out - place >= 16 {
            if unsafe isEight(place, last) {
                unsafe place += 8
            } else {
                for step in 0..<16 {
                    last = unsafe place[step]
                    unsafe cache[hash(last, shift)] = last
                }
                unsafe place += 16
            }
        }
        return unsafe place
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

    /// Where a color goes in the cache; at most eleven bits, as many as a place there has.
    @inline(__always)
    private static func hash(_ pixel: UInt32, _ shift: UInt32) -> Int {
        Int(truncatingIfNeeded: (pixel &* ColorCache.multiplier) &>> shift)
    }

    /// Copies pixels; up to three more are written.
    @inline(__always)
    private static func copy(
        _ out: UnsafeMutablePointer<UInt32>, distance: Int, length: Int
    ) -> UnsafeMutablePointer<UInt32> {
        let stop = unsafe out + length
        var target = UnsafeMutableRawPointer(out)
        if distance >= 4 {
            var source = unsafe UnsafeRawPointer(out - distance)
            repeat {
                unsafe target.storeBytes(of: source.loadUnaligned(as: SIMD4<UInt32>.self), as: SIMD4<UInt32>.self)
                unsafe source += 16
                unsafe target += 16
            } while unsafe target < UnsafeMutableRawPointer(stop)
        } else if distance == 1 {
            let color = unsafe SIMD4<UInt32>(repeating: (out - 1).pointee)
            repeat {
                unsafe target.storeBytes(of: color, as: SIMD4<UInt32>.self)
                unsafe target += 16
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
#endif
