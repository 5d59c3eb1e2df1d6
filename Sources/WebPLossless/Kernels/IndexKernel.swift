// The loop of PixelKernel for images of which only green is wanted, and only green takes bits: a byte a pixel.
//
// That is what palettes and the alpha planes of lossy pictures come down to. The other channels are the same in all pixels, so
// they are not kept: a quarter of the memory to go over, and copies of a quarter of the bytes.
//
// The color cache holds whole pixels all the same, as it does for PixelKernel. A place that nothing was put in holds 0, which
// no index stands for if the other channels are not all 0: no encoder names such a place, but a file may. Decoding stops
// there, and goes on with pixels.

/// What the indices of an image take.
package protocol IndexBuffer {}

extension IndexBuffer {
    /// Bytes that there have to be after the image, for copies of sixteen bytes at a time.
    package static var margin: Int { 16 }
}

#if !ReferenceKernels
package enum IndexKernel: IndexBuffer {
    /// Decodes up to pixel `stop`, or a little further.
    ///
    /// - Parameters:
    ///   - literal: what each pixel has besides green, if there is a color cache.
    ///   - indices: a byte for each pixel of the image, or up to where the longest copy reaches that begins before `stop`, and
    ///     ``IndexBuffer/margin`` more.
    ///   - workspace: as for ``PixelKernel``; the color cache has all pixels before the one that comes next.
    ///   - records: of groups that code only green, as `PrefixCodeStore` made them.
    ///   - arena: the tables that they name.
    ///   - blocks: the group of each block, below the number of groups; empty if there is one.
    ///   - bitPosition: in `input`; moved on by whole units.
    ///   - stop: at most the number of pixels; the end of a row.
    package static func decode(
        _ state: inout PixelState, _ shape: PixelShape, literal: UInt32, indices: inout MutableRawSpan,
        workspace: inout MutableSpan<UInt32>, records: Span<UInt32>, arena: RawSpan, blocks: Span<UInt16>,
        input: RawSpan, bitPosition: inout Int, stop: Int
    ) -> PixelPause {
        precondition(shape.fits(stop: stop, state, heldCount: indices.byteCount - margin), "too few bytes")
        precondition((0...ColorCache.largestBitCount).contains(shape.cacheBits), "too large a color cache")
        precondition(workspace.count >= PixelKernel.workspaceCount, "too small a workspace")
        precondition(records.count >= PrefixGroupRecord.stride, "no group")
        precondition(bitPosition >= 0 && bitPosition <= input.byteCount * 8, "outside the input")
        precondition(shape.isCovered(blockCount: blocks.count), "too few blocks")
        return unsafe indices.withUnsafeMutableBytes { indices in
            unsafe workspace.withUnsafeMutableBufferPointer { workspace in
                unsafe records.withUnsafeBufferPointer { records in
                    unsafe arena.withUnsafeBytes { arena in
                        unsafe blocks.withUnsafeBufferPointer { blocks in
                            unsafe input.withUnsafeBytes { input in
                                // SAFETY: an input without bytes has no address; any other stands for it, nothing is
                                // read if there are no bytes. The others are not empty, as checked above.
                                guard let base = indices.baseAddress, let space = workspace.baseAddress,
                                    let groups = records.baseAddress, let tables = arena.baseAddress
                                else { return .inputUsed }
                                let bytes = unsafe input.baseAddress ?? UnsafeRawPointer(tables)
                                var run = unsafe IndexRun(
                                    shape: shape, literal: literal, base: base, distances: space,
                                    cache: space + PixelKernel.cacheStart, records: groups, arena: tables,
                                    blocks: blocks.baseAddress,
                                    window: BitWindow(bitPosition, bytes, byteCount: input.count),
                                    position: state.position)
                                let pause = unsafe run.decode(to: stop)
                                bitPosition = unsafe run.window.position(from: bytes)
                                unsafe state.position = run.position
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
/// SAFETY, for all of it: a byte is written at `position`, which is below `stop`, or in a copy that begins there and ends at
/// or before the end of the image, with at most fifteen bytes after that: the buffer holds all of them, as `fits` has checked.
/// A copy reads bytes from the first one that is held on, for
/// its distance is at most as many as there are. Places in tables and in the cache are masked to their size, places of blocks
/// come from a pixel inside of the image.
@unsafe
private struct IndexRun {
    let shape: PixelShape
    let literal: UInt32
    let base: UnsafeMutableRawPointer
    let distances: UnsafeMutablePointer<UInt32>
    let cache: UnsafeMutablePointer<UInt32>
    let records: UnsafePointer<UInt32>
    let arena: UnsafeRawPointer
    let blocks: UnsafePointer<UInt16>?
    var window: BitWindow
    var position: Int

    mutating func decode(to stop: Int) -> PixelPause {
        if unsafe shape.cacheBits == 0 {
            if let pause = unsafe decode(to: stop, careful: false, hasCache: false) { return pause }
            return unsafe decode(to: stop, careful: true, hasCache: false) ?? .inputUsed
        }
        if let pause = unsafe decode(to: stop, careful: false, hasCache: true) { return pause }
        return unsafe decode(to: stop, careful: true, hasCache: true) ?? .inputUsed
    }

    /// The numbers of the group of a pixel, and the pixel after its block in the row.
    @inline(__always)
    private func group(_ position: Int, _ stop: Int) -> (record: UnsafePointer<UInt32>, end: Int) {
        let shape = unsafe shape
        guard let blocks = unsafe blocks, shape.sizeBits > 0 else { return unsafe (records, stop) }
        let (y, x) = position.quotientAndRemainder(dividingBy: shape.width)
        let column = x &>> shape.sizeBits
        let blockRow = (shape.firstRow &+ y) &>> shape.sizeBits
        let number = unsafe Int(blocks[blockRow &* shape.blocksPerRow &+ column])
        let end = min((column &+ 1) &<< shape.sizeBits, shape.width)
        return unsafe (records + (number &* PrefixGroupRecord.stride), position &+ end &- x)
    }

    /// - Parameter careful: whether bits may be missing.
    /// - Returns: `nil` if the margin is used up.
    @inline(__always)
    private mutating func decode(to stop: Int, careful: Bool, hasCache: Bool) -> PixelPause? {
        let (base, literal) = unsafe (base, literal)
        let cache = unsafe IndexCache(cache, bitCount: shape.cacheBits, literal: literal)
        let pixelCount = unsafe shape.pixelCount
        var (window, position) = unsafe (window, position)
        defer { unsafe (self.window, self.position) = unsafe (window, position) }
        while position < stop {
            let (record, end) = unsafe group(position, stop)
            let green = unsafe (arena + Int(record[PrefixGroupRecord.tableStart]) &* 2)
                .assumingMemoryBound(to: UInt16.self)
            let mask = unsafe UInt64(record[PrefixGroupRecord.maskStart])
            if unsafe record[PrefixGroupRecord.kind] == PrefixGroupRecord.kindConstant {
                let value = unsafe UInt8(truncatingIfNeeded: record[PrefixGroupRecord.literal] &>> 8)
                if hasCache, position < end { unsafe cache.put(cache.color(value)) }
                while position < end {
                    unsafe base.storeBytes(of: value, toByteOffset: position, as: UInt8.self)
                    position &+= 1
                }
            }
            while position < end {
                let start = unsafe window
                if careful {
                    unsafe window.fillCarefully()
                } else {
                    guard unsafe window.hasMargin else { return nil }
                    unsafe window.fill()
                }
                let symbol = unsafe window.symbol(green, mask)
                // Literals and colors of the cache come mixed: which it is costs no branch.
                if unsafe Self.isValue(symbol, hasCache: hasCache) {
                    if careful, unsafe window.count < 0 {
                        unsafe window = start
                        return .inputUsed
                    }
                    var value = UInt8(truncatingIfNeeded: symbol)
                    if hasCache {
                        let color = unsafe cache.color(ofSymbol: symbol)
                        if color == 0 && literal != 0 {
                            unsafe window = start
                            return .unsetColor
                        }
                        unsafe cache.put(color)
                        value = UInt8(truncatingIfNeeded: color &>> 8)
                    }
                    unsafe base.storeBytes(of: value, toByteOffset: position, as: UInt8.self)
                    position &+= 1
                    continue
                }
                let length = unsafe window.prefixedValue(symbol &- PrefixAlphabet.literalCount)
                let distanceTable = unsafe (arena + Int(record[PrefixGroupRecord.tableStart &+ 4]) &* 2)
                    .assumingMemoryBound(to: UInt16.self)
                let distanceSymbol = unsafe window.symbol(
                    distanceTable, UInt64(record[PrefixGroupRecord.maskStart &+ 4]))
                if careful { unsafe window.fillCarefully() } else { unsafe window.fill() }
                let code = unsafe window.prefixedValue(distanceSymbol)
                if careful, unsafe window.count < 0 {
                    unsafe window = start
                    return .inputUsed
                }
                let nearCount = BackwardReferences.nearCount
                let distance = unsafe code > nearCount ? code &- nearCount : Int(distances[code &- 1])
                guard distance <= position, length <= pixelCount &- position else {
                    unsafe window = start
                    return .outside
                }
                unsafe Self.copy(base + position, distance: distance, length: length)
                position &+= length
                if hasCache {
                    // What is copied again and again is in the cache already: only the last of it is put there anew.
                    let count = min(length, distance)
                    unsafe cache.put(base + (position &- count), count)
                }
            }
        }
        return .reachedStop
    }

    /// Whether a symbol is a literal or a color of the cache.
    @inline(__always)
    private static func isValue(_ symbol: Int, hasCache: Bool) -> Bool {
        if !hasCache { return symbol < PrefixAlphabet.literalCount }
        return UInt(bitPattern: symbol &- PrefixAlphabet.literalCount) >= UInt(PrefixAlphabet.lengthCount)
    }

    /// Copies bytes; up to fifteen more are written.
    @inline(__always)
    private static func copy(_ out: UnsafeMutableRawPointer, distance: Int, length: Int) {
        let source = unsafe UnsafeRawPointer(out - distance)
        var done = 0
        if distance >= 16 {
            repeat {
                let bytes = unsafe source.loadUnaligned(fromByteOffset: done, as: SIMD16<UInt8>.self)
                unsafe out.storeBytes(of: bytes, toByteOffset: done, as: SIMD16<UInt8>.self)
                done &+= 16
            } while done < length
        } else if distance == 1 {
            let bytes = unsafe SIMD16<UInt8>(repeating: source.load(as: UInt8.self))
            repeat {
                unsafe out.storeBytes(of: bytes, toByteOffset: done, as: SIMD16<UInt8>.self)
                done &+= 16
            } while done < length
        } else {
            while done < length {
                let byte = unsafe source.load(fromByteOffset: done, as: UInt8.self)
                unsafe out.storeBytes(of: byte, toByteOffset: done, as: UInt8.self)
                done &+= 1
            }
        }
    }
}

/// The color cache of an image whose pixels have a literal and green.
///
/// SAFETY, for all of it: there are `1 << bitCount` places, and places are below that: masked, or the highest bits of 32.
@unsafe
private struct IndexCache {
    private let places: UnsafeMutablePointer<UInt32>
    private let mask: Int
    private let shift: UInt32
    private let literal: UInt32

    @inline(__always)
    init(_ places: UnsafeMutablePointer<UInt32>, bitCount: Int, literal: UInt32) {
        unsafe self.places = places
        unsafe mask = (1 &<< bitCount) &- 1
        unsafe shift = UInt32(truncatingIfNeeded: 32 &- bitCount)
        unsafe self.literal = literal
    }

    @inline(__always)
    func color(_ index: UInt8) -> UInt32 { unsafe literal | UInt32(index) &<< 8 }

    /// The color of a literal, or of a place of the cache.
    @inline(__always)
    func color(ofSymbol symbol: Int) -> UInt32 {
        let place = symbol &- (PrefixAlphabet.literalCount &+ PrefixAlphabet.lengthCount)
        let (cached, coded) = unsafe (places[place & mask], literal | UInt32(truncatingIfNeeded: symbol) &<< 8)
        return place >= 0 ? cached : coded
    }

    @inline(__always)
    func put(_ color: UInt32) {
        unsafe places[Int(truncatingIfNeeded: (color &* ColorCache.multiplier) &>> shift)] = color
    }

    /// Puts the colors of some indices there.
    @inline(__always)
    func put(_ indices: UnsafeMutableRawPointer, _ count: Int) {
        if count >= 32 {
            unsafe putMany(indices, count)
            return
        }
        var place = 0
        while place < count {
            // SAFETY: below the count.
            unsafe put(color(indices.load(fromByteOffset: place, as: UInt8.self)))
            place &+= 1
        }
    }

    /// The same, but passes over eight that are like the one before.
    @inline(never)
    private func putMany(_ indices: UnsafeMutableRawPointer, _ count: Int) {
        // SAFETY: reads indices below the count.
        var last = unsafe indices.load(as: UInt8.self)
        unsafe put(color(last))
        var place = 1
        while place < count {
            let hasEight = place &+ 8 <= count
            if hasEight,
                unsafe indices.loadUnaligned(fromByteOffset: place, as: UInt64.self) == UInt64(last)
                    &* 0x0101_0101_0101_0101
            {
                place &+= 8
                continue
            }
            let end = hasEight ? place &+ 8 : count
            while place < end {
                last = unsafe indices.load(fromByteOffset: place, as: UInt8.self)
                unsafe put(color(last))
                place &+= 1
            }
        }
    }
}
#endif
