// Where pixels have been before: for each position the longest stretch that repeats one before it.
//
// A table holds, for each value of a hash, where the last position with it is; `previous` says for each position where the one
// before with the same hash is; of those that are too far away it forgets that. The hash is of two pixels; where a stretch of one colour begins or goes on, of the colour and how many
// pixels of it follow: what repeats such a stretch to its end may go on after it. The pixel to the left and the one above are looked
// at first: copies from there are cheapest.
//
// The second half of the table has hashes of longer strings, at few positions that are chosen by their pixels: what repeats a long
// stretch is found there however often its first two pixels occur, and however long ago it was.

/// A copy in one word: length less one in the highest twelve bits, distance less one in the others; zero for none.
package enum PackedCopy {
    @inline(__always)
    package static func make(length: Int, distance: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: (length &- 1) &<< 20 | (distance &- 1))
    }

    /// At least 2, or 1 if there is no copy.
    @inline(__always)
    package static func length(_ copy: UInt32) -> Int { Int(copy &>> 20) &+ 1 }

    @inline(__always)
    package static func distance(_ copy: UInt32) -> Int { Int(copy & 0xF_FFFF) &+ 1 }
}

/// How far a search goes.
package struct PixelSearchDepth: Hashable, Sendable {
    /// Earlier places that are looked at for each position.
    package var chainLength: Int
    /// Pixels of a copy that are enough.
    package var niceLength: Int

    package init(chainLength: Int, niceLength: Int) {
        self.chainLength = chainLength
        self.niceLength = niceLength
    }
}

/// What searches of pixels have in common.
package protocol PixelMatching {}

extension PixelMatching {
    /// Entries of the table for a picture, two to the power of this: of small ones fewer, since all are set to zero before.
    package static func tableBits(_ pixelCount: Int) -> Int {
        min(16, max(6, Int.bitWidth - max(0, pixelCount - 1).leadingZeroBitCount))
    }

    /// Entries of both halves of the table.
    package static func tableCount(_ pixelCount: Int) -> Int { 2 << tableBits(pixelCount) }

    /// The longest copy.
    package static var longest: Int { BackwardReferences.longestLength }
    /// The farthest copy: near places have the numbers before the others.
    package static var farthest: Int { BackwardReferences.farthestDistance - BackwardReferences.nearCount }

    /// How many pixels of a stretch of one colour are counted.
    package static var longestStretch: Int { 256 }

    /// The hash of two neighbours, or of a colour and how many pixels of it follow.
    ///
    /// - Parameter tableBits: entries of the table, as a power of two.
    @inline(__always)
    static func hash(_ first: UInt32, _ second: UInt32, _ tableBits: Int) -> Int {
        let both = UInt64(second) &<< 32 | UInt64(first)
        return Int(truncatingIfNeeded: (both &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(truncatingIfNeeded: 64 &- tableBits))
    }

    /// Pixels of a longer string.
    package static var longWindow: Int { 16 }
    /// How far before the position at which a long string was found its copy may begin.
    package static var longestWayBack: Int { 128 }

    /// Entries of `previous` for a picture.
    package static func chainCount(_ pixelCount: Int) -> Int { min(pixelCount, chainWindow) }
    /// More than the farthest copy, a power of two.
    private static var chainWindow: Int { 1 << 20 }

    /// What a position is changed with to make its place in `previous`: positions follow one another, and begin anew after the last.
    @inline(__always)
    static func chainMask(_ pixelCount: Int) -> Int { pixelCount > chainWindow ? chainWindow - 1 : ~0 }

    /// Whether a longer string that begins with these two is looked for: one of sixteen unless stated otherwise, and none that begins
    /// with a stretch of one colour, of which there are too many.
    ///
    /// - Parameter bits: one of two to this power.
    @inline(__always)
    static func isChosen(_ first: UInt32, _ second: UInt32, bits: UInt64 = 4) -> Bool {
        let both = UInt64(second) &<< 32 | UInt64(first)
        return (both &* 0xD6E8_FEB8_6659_FD93) &>> (64 &- bits) == 0 && first != second
    }

    /// The hash of a longer string; of its bits the highest are the best.
    ///
    /// - Parameters:
    ///   - window: its pixels, an even number.
    ///   - pixel: the one at a place below `window`.
    @inline(__always)
    static func longHash(window: Int = longWindow, _ pixel: (Int) -> UInt32) -> UInt64 {
        var sum: UInt64 = 0
        var place = 0
        while place < window {
            sum = (sum ^ (UInt64(pixel(place &+ 1)) &<< 32 | UInt64(pixel(place)))) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum &>> 29
            place &+= 2
        }
        return sum &* 0x9E37_79B9_7F4A_7C15
    }

    /// Where a longer string has its place in the second half of the table.
    @inline(__always)
    static func longSlot(_ tableBits: Int, _ pixel: (Int) -> UInt32) -> Int {
        1 &<< tableBits
            &+ Int(truncatingIfNeeded: longHash(pixel) &>> UInt64(truncatingIfNeeded: 64 &- tableBits))
    }
}

#if !ReferenceKernels
package enum PixelMatchKernel: PixelMatching {
    /// Finds copies for the positions of a range; ranges follow one another.
    ///
    /// - Parameters:
    ///   - pixels: the picture.
    ///   - width: of the picture.
    ///   - table: ``tableCount(_:)`` of all pixels; zero before the first range.
    ///   - previous: ``chainCount(_:)`` of all pixels, or none if chains have one place at most.
    ///   - copies: gets a ``PackedCopy`` for each position of the range; those before are known, and may become longer.
    ///   - first: the position that `copies` begin with: the first of all, or ``longestWayBack`` before the range or more.
    package static func find(
        _ pixels: Span<UInt32>, _ range: Range<Int>, width: Int, _ depth: PixelSearchDepth,
        table: inout MutableSpan<UInt32>, previous: inout MutableSpan<UInt32>, copies: inout MutableSpan<UInt32>,
        from first: Int = 0
    ) {
        precondition(range.lowerBound >= 0 && range.upperBound <= pixels.count && width > 0, "no such pixels")
        let tableBits = tableBits(pixels.count)
        precondition(
            table.count >= tableCount(pixels.count) && copies.count >= range.upperBound - first,
            "tables that are too small")
        precondition(first == 0 || first > 0 && first <= range.lowerBound - longestWayBack, "copies that are missing")
        precondition(previous.count >= chainCount(pixels.count) || depth.chainLength <= 1, "chains that are too short")
        precondition(depth.niceLength > 0, "copies without pixels")
        unsafe pixels.withUnsafeBufferPointer { pixels in
            unsafe table.withUnsafeMutableBufferPointer { table in
                unsafe previous.withUnsafeMutableBufferPointer { previous in
                    unsafe copies.withUnsafeMutableBufferPointer { copies in
                        // SAFETY: as large as checked above; none is empty if the range is not.
                        guard !range.isEmpty else { return }
                        let search = unsafe PixelSearch(
                            pixels: pixels.baseAddress!, count: pixels.count, width: width, depth: depth,
                            table: table.baseAddress!, tableBits: tableBits,
                            previous: previous.baseAddress ?? table.baseAddress!,
                            chainMask: chainMask(pixels.count), copies: copies.baseAddress!, first: first)
                        unsafe search.find(range)
                    }
                }
            }
        }
    }
}

/// SAFETY, for all of it. Positions are below `count`; what the table and `previous` hold are positions before the one that is
/// looked at, plus one. A comparison of `most` pixels from a position ends at `count`. A position and `chainMask` is below
/// `chainCount(count)`. Copies are asked for from `first` on: that is 0, or so far before the range that no step goes back to it.
@unsafe
private struct PixelSearch {
    let pixels: UnsafePointer<UInt32>
    let count: Int
    let width: Int
    let depth: PixelSearchDepth
    let table: UnsafeMutablePointer<UInt32>
    let tableBits: Int
    let previous: UnsafeMutablePointer<UInt32>
    let chainMask: Int
    let copies: UnsafeMutablePointer<UInt32>
    let first: Int

    func find(_ range: Range<Int>) {
        var position = range.lowerBound
        // Where the stretch of one colour that `position` is in ends, as far as that has been looked for.
        var end = position
        while position < range.upperBound {
            end = max(end, position &+ 1)
            let most = unsafe min(count, position &+ PixelMatchKernel.longestStretch)
            while unsafe end < most && pixels[end] == pixels[position] { end &+= 1 }
            let stretch = end &- position
            var slot = -1
            if unsafe position &+ 1 < count {
                slot = unsafe PixelMatchKernel.hash(
                    pixels[position], stretch > 1 ? UInt32(truncatingIfNeeded: stretch) : pixels[position &+ 1],
                    tableBits)
            }
            let longSlot = unsafe longSlot(position)
            unsafe copies[position &- first] = copy(at: position, slot, longSlot)
            if longSlot >= 0 {
                unsafe table[longSlot] = UInt32(truncatingIfNeeded: position &+ 1)
                unsafe goBack(from: position)
            }
            // Of a very long stretch only the first and the last.
            if unsafe slot >= 0
                && (stretch < PixelMatchKernel.longestStretch || position == 0
                    || pixels[position &- 1] != pixels[position])
            {
                if unsafe depth.chainLength > 1 { unsafe previous[position & chainMask] = table[slot] }
                unsafe table[slot] = UInt32(truncatingIfNeeded: position &+ 1)
            }
            position &+= 1
            unsafe goOn(from: &position, range.upperBound)
        }
    }

    /// What a long copy goes on with is not looked for, nor is it put into the table: it is there from the first time, unless that is
    /// so far away that it will soon be out of reach.
    @inline(__always)
    private func goOn(from position: inout Int, _ end: Int) {
        var copy = unsafe copies[position &- 1 &- first]
        let last = unsafe min(end, position &+ PackedCopy.length(copy) &- depth.niceLength)
        let isFar = PackedCopy.distance(copy) > PixelMatchKernel.farthest / 2
        while position < last {
            if isFar {
                let longSlot = unsafe longSlot(position)
                if longSlot >= 0 { unsafe table[longSlot] = UInt32(truncatingIfNeeded: position &+ 1) }
            }
            copy &-= 1 &<< 20
            unsafe copies[position &- first] = copy
            position &+= 1
        }
    }

    /// Where the table has the longer string at a position, or -1 if it is not looked for.
    @inline(__always)
    private func longSlot(_ position: Int) -> Int {
        guard unsafe position &+ PixelMatchKernel.longWindow <= count,
            unsafe PixelMatchKernel.isChosen(pixels[position], pixels[position &+ 1])
        else { return -1 }
        return unsafe PixelMatchKernel.longSlot(tableBits) { unsafe pixels[position &+ $0] }
    }

    /// A long copy may begin before the position at which it was found.
    private func goBack(from position: Int) {
        var copy = unsafe copies[position &- first]
        let distance = PackedCopy.distance(copy)
        guard PackedCopy.length(copy) >= PixelMatchKernel.longWindow else { return }
        var place = position &- 1
        let last = max(distance, position &- PixelMatchKernel.longestWayBack)
        while place >= last, PackedCopy.length(copy) < PixelMatchKernel.longest,
            unsafe pixels[place] == pixels[place &- distance],
            unsafe PackedCopy.length(copies[place &- first]) <= PackedCopy.length(copy)
        {
            copy &+= 1 &<< 20
            unsafe copies[place &- first] = copy
            place &-= 1
        }
    }

    @inline(__always)
    private func copy(at position: Int, _ slot: Int, _ longSlot: Int) -> UInt32 {
        let most = unsafe min(PixelMatchKernel.longest, count &- position)
        var (length, distance) = (1, 0)
        if position > 0 {
            // What repeats at the position before goes on here.
            let last = unsafe copies[position &- 1 &- first]
            if last != 0 {
                distance = PackedCopy.distance(last)
                length = PackedCopy.length(last) &- 1
                if length &+ 1 == PixelMatchKernel.longest {
                    length = unsafe matched(position, position &- distance, from: length, most)
                }
            }
        }
        guard unsafe length < min(depth.niceLength, most) else {
            return length > 1 ? PackedCopy.make(length: length, distance: distance) : 0
        }
        unsafe look(position, position &- 1, most, &length, &distance)
        unsafe look(position, position &- width, most, &length, &distance)
        if longSlot >= 0 {
            let candidate = unsafe Int(table[longSlot]) &- 1
            if candidate >= position &- PixelMatchKernel.farthest {
                unsafe look(position, candidate, most, &length, &distance)
            }
        }
        if unsafe slot >= 0 && length < depth.niceLength {
            let nearest = position &- PixelMatchKernel.farthest
            var candidate = unsafe Int(table[slot]) &- 1
            var left = unsafe depth.chainLength
            while candidate >= 0 && candidate >= nearest && left > 0 {
                unsafe look(position, candidate, most, &length, &distance)
                if unsafe length >= depth.niceLength { break }
                left &-= 1
                if left <= 0 { break }
                unsafe candidate = Int(previous[candidate & chainMask]) &- 1
            }
        }
        return length > 1 ? PackedCopy.make(length: length, distance: distance) : 0
    }

    /// Takes a place if the copy from it is longer.
    @inline(__always)
    private func look(
        _ position: Int, _ candidate: Int, _ most: Int, _ length: inout Int, _ distance: inout Int
    ) {
        guard candidate >= 0, length < most else { return }
        guard unsafe pixels[candidate &+ length] == pixels[position &+ length] else { return }
        let found = unsafe matched(position, candidate, from: 0, most)
        if found > length {
            length = found
            distance = position &- candidate
        }
    }

    /// How many pixels are the same, of which `start` are known to be.
    @inline(__always)
    private func matched(_ position: Int, _ candidate: Int, from start: Int, _ most: Int) -> Int {
        var length = start
        while length &+ 2 <= most {
            let a = unsafe UnsafeRawPointer(pixels + (position &+ length)).loadUnaligned(as: UInt64.self)
            let b = unsafe UnsafeRawPointer(pixels + (candidate &+ length)).loadUnaligned(as: UInt64.self)
            if a != b { return length &+ (UInt32(truncatingIfNeeded: a ^ b) == 0 ? 1 : 0) }
            length &+= 2
        }
        if unsafe length < most && pixels[position &+ length] == pixels[candidate &+ length] { length &+= 1 }
        return length
    }
}
#endif
