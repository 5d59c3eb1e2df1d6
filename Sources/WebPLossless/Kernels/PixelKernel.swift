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
    /// A copy reaches in front of the first pixel, or beyond the last.
    case outside
}

/// The image that is decoded.
package struct PixelShape: Sendable {
    package let width: Int
    package let pixelCount: Int
    /// 0...11.
    package let cacheBits: Int
    /// The exponent of the side of blocks that have a group each; 0 where there is one group.
    package let sizeBits: Int
    package let blocksPerRow: Int

    package init(width: Int, pixelCount: Int, cacheBits: Int, sizeBits: Int = 0, blocksPerRow: Int = 0) {
        self.width = width
        self.pixelCount = pixelCount
        self.cacheBits = cacheBits
        self.sizeBits = sizeBits
        self.blocksPerRow = blocksPerRow
    }

    /// Whether so many blocks have a group for each pixel.
    func isCovered(blockCount: Int) -> Bool {
        guard sizeBits > 0 else { return true }
        guard blocksPerRow > 0, blocksPerRow << sizeBits >= width else { return false }
        return ((blockCount / blocksPerRow) << sizeBits) * width >= pixelCount
    }
}

package enum PixelKernel {
    /// Pixels that there have to be behind the image, for copies of four pixels at a time.
    package static let margin = 4
    /// Numbers of the workspace: near distances, and behind them the color cache.
    package static let workspaceCount = cacheStart + (1 << ColorCache.largestBitCount)
    static let cacheStart = 128

    /// Decodes up to pixel `stop`, or a little further.
    ///
    /// - Parameters:
    ///   - pixels: four bytes each, `margin` more than the image has.
    ///   - workspace: ``workspaceCount`` numbers.
    ///   - records: of groups, as `PrefixCodeStore` made them.
    ///   - arena: the tables that they name.
    ///   - blocks: the group of each block, below the number of groups; empty where there is one.
    ///   - bitPosition: in `input`; moved on by whole units.
    ///   - stop: at most the number of pixels; the end of a row.
    package static func decode(
        _ state: inout PixelState, _ shape: PixelShape, pixels: inout MutableRawSpan,
        workspace: inout MutableSpan<UInt32>, records: Span<UInt32>, arena: RawSpan, blocks: Span<UInt16>,
        input: RawSpan, bitPosition: inout Int, stop: Int
    ) -> PixelPause {
        precondition(pixels.byteCount / 4 >= shape.pixelCount + margin, "too few pixels")
        precondition(workspace.count >= workspaceCount, "too small a workspace")
        precondition(state.position >= 0 && state.position <= shape.pixelCount && stop <= shape.pixelCount, "outside")
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
                                // read where there are no bytes. The others are not empty, as checked above.
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
/// SAFETY, for all of it: a pixel is written at `out`, which is below the end of the image, or in a copy that ends at or
/// before it, with at most three pixels behind that, which the margin holds. A copy reads pixels from the first one on, for
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
        return unsafe decode(stopAt, careful: true) ?? .inputUsed
    }

    /// The numbers of the group of a pixel, and how far its block reaches in the row.
    @inline(__always)
    private func group(_ x: Int, _ y: Int) -> (record: UnsafePointer<UInt32>, left: Int) {
        let shape = unsafe shape
        guard let blocks = unsafe blocks, shape.sizeBits > 0 else { return unsafe (records, .max) }
        let column = x &>> shape.sizeBits
        let number = unsafe Int(blocks[(y &>> shape.sizeBits) &* shape.blocksPerRow &+ column])
        let end = min((column &+ 1) &<< shape.sizeBits, shape.width)
        return unsafe (records + (number &* PrefixGroupRecord.stride), end &- x)
    }

    /// - Parameter careful: whether bits may be missing.
    /// - Returns: `nil` where the margin is used up.
    @inline(__always)
    private mutating func decode(_ stopAt: UnsafeMutablePointer<UInt32>, careful: Bool) -> PixelPause? {
        let shape = unsafe shape
        let end = unsafe base + shape.pixelCount
        let cacheMask = (1 &<< shape.cacheBits) &- 1
        var (window, out) = unsafe (window, out)
        defer { unsafe (self.window, self.out) = unsafe (window, out) }
        let position = unsafe out - base
        var (x, y) = shape.sizeBits > 0 ? (position % shape.width, position / shape.width) : (0, 0)
        while unsafe out < stopAt {
            let (record, left) = unsafe group(x, y)
            let stretch = unsafe out
            let stretchEnd = unsafe left == .max ? stopAt : out + left
            let kind = unsafe record[PrefixGroupRecord.kind]
            let literal = unsafe record[PrefixGroupRecord.literal]
            if kind == PrefixGroupRecord.kindConstant {
                while unsafe out < stretchEnd {
                    unsafe out.pointee = literal
                    unsafe out += 1
                }
            }
            let green = unsafe table(record, 0)
            let greenMask = unsafe mask(record, 0)
            let packedMask = unsafe UInt64(record[PrefixGroupRecord.packedMask])
            let packed = unsafe (arena + Int(record[PrefixGroupRecord.packedStart]) &* 8)
                .assumingMemoryBound(to: UInt64.self)
            let red = unsafe table(record, 1)
            let redMask = unsafe mask(record, 1)
            let blue = unsafe table(record, 2)
            let blueMask = unsafe mask(record, 2)
            while unsafe out < stretchEnd {
                let start = unsafe window
                if careful {
                    unsafe window.fillCarefully()
                } else {
                    guard unsafe window.hasMargin else { return nil }
                    unsafe window.fill()
                }
                if packedMask != 0 {
                    let entry = unsafe packed[Int(truncatingIfNeeded: window.bits & packedMask)]
                    if entry != 0 {
                        unsafe window.drop(Int(truncatingIfNeeded: entry &>> 32))
                        if careful, unsafe window.count < 0 {
                            unsafe window = start
                            return .inputUsed
                        }
                        unsafe out.pointee = UInt32(truncatingIfNeeded: entry)
                        unsafe out += 1
                        continue
                    }
                }
                let symbol = unsafe window.symbol(green, greenMask)
                if symbol < PrefixAlphabet.literalCount {
                    var pixel = literal | UInt32(truncatingIfNeeded: symbol) &<< 8
                    if kind != PrefixGroupRecord.kindGreen {
                        let r = unsafe window.symbol(red, redMask)
                        let b = unsafe window.symbol(blue, blueMask)
                        pixel |= UInt32(truncatingIfNeeded: r) &<< 16 | UInt32(truncatingIfNeeded: b)
                        if kind == PrefixGroupRecord.kindFull {
                            if unsafe window.count < 15 {
                                if careful { unsafe window.fillCarefully() } else { unsafe window.fill() }
                            }
                            let a = unsafe window.symbol(table(record, 3), mask(record, 3))
                            pixel |= UInt32(truncatingIfNeeded: a) &<< 24
                        }
                    }
                    if careful, unsafe window.count < 0 {
                        unsafe window = start
                        return .inputUsed
                    }
                    unsafe out.pointee = pixel
                    unsafe out += 1
                } else if symbol < PrefixAlphabet.literalCount &+ PrefixAlphabet.lengthCount {
                    let length = unsafe window.prefixedValue(symbol &- PrefixAlphabet.literalCount)
                    let distanceSymbol = unsafe window.symbol(table(record, 4), mask(record, 4))
                    if careful { unsafe window.fillCarefully() } else { unsafe window.fill() }
                    let code = unsafe window.prefixedValue(distanceSymbol)
                    if careful, unsafe window.count < 0 {
                        unsafe window = start
                        return .inputUsed
                    }
                    let nearCount = BackwardReferences.nearCount
                    let distance = unsafe code > nearCount ? code &- nearCount : Int(workspace[code &- 1])
                    guard unsafe distance <= out - base, unsafe length <= end - out else {
                        unsafe window = start
                        return .outside
                    }
                    if shape.cacheBits > 0, length > distance {
                        // What is copied again and again is in the cache already: only the last of it is put there anew.
                        unsafe fillCache(to: out)
                        unsafe cached = out + (length &- distance)
                    }
                    unsafe out = Self.copy(out, distance: distance, length: length)
                } else {
                    if careful, unsafe window.count < 0 {
                        unsafe window = start
                        return .inputUsed
                    }
                    // Without a cache there are no such symbols.
                    guard shape.cacheBits > 0 else { return .outside }
                    unsafe fillCache(to: out)
                    let place = symbol &- (PrefixAlphabet.literalCount &+ PrefixAlphabet.lengthCount)
                    unsafe out.pointee = workspace[PixelKernel.cacheStart &+ (place & cacheMask)]
                    unsafe out += 1
                }
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

    @inline(__always)
    private func table(_ record: UnsafePointer<UInt32>, _ code: Int) -> UnsafePointer<UInt16> {
        unsafe (arena + Int(record[PrefixGroupRecord.tableStart &+ code]) &* 2).assumingMemoryBound(to: UInt16.self)
    }

    @inline(__always)
    private func mask(_ record: UnsafePointer<UInt32>, _ code: Int) -> UInt64 {
        unsafe UInt64(record[PrefixGroupRecord.maskStart &+ code])
    }

    /// Puts into the cache what is not there yet.
    @inline(__always)
    private mutating func fillCache(to out: UnsafeMutablePointer<UInt32>) {
        let shift = unsafe UInt32(truncatingIfNeeded: 32 &- shape.cacheBits)
        var place = unsafe cached
        // SAFETY: a hash has as many bits as a place in the cache: at most eleven.
        while unsafe place < out {
            let pixel = unsafe place.pointee
            let hash = Int(truncatingIfNeeded: (pixel &* ColorCache.multiplier) &>> shift)
            unsafe workspace[PixelKernel.cacheStart &+ hash] = pixel
            unsafe place += 1
        }
        unsafe cached = place
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
