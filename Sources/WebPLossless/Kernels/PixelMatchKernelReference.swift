// The plain twin of PixelMatchKernel.

/// Finds copies, with plain loops over the same table and chains.
package enum PixelMatchKernelReference: PixelMatching {
    /// See `PixelMatchKernel`.
    package static func find(
        _ pixels: Span<UInt32>, _ range: Range<Int>, width: Int, _ depth: PixelSearchDepth,
        table: inout MutableSpan<UInt32>, previous: inout MutableSpan<UInt32>, copies: inout MutableSpan<UInt32>,
        from first: Int = 0
    ) {
        let chainMask = chainMask(pixels.count)
        var next = range.lowerBound
        for position in range {
            // What a long copy goes on with.
            guard position == next else {
                copies[position - first] = PackedCopy.make(
                    length: PackedCopy.length(copies[position - 1 - first]) - 1,
                    distance: PackedCopy.distance(copies[position - 1 - first]))
                if let longSlot = longSlot(pixels, position),
                    PackedCopy.distance(copies[position - first]) > farthest / 2
                {
                    table[longSlot] = UInt32(position + 1)
                }
                continue
            }
            next += 1
            var stretch = 1
            while stretch < longestStretch, position + stretch < pixels.count,
                pixels[position + stretch] == pixels[position]
            {
                stretch += 1
            }
            var slot: Int?
            if position + 1 < pixels.count {
                slot = hash(
                    pixels[position], stretch > 1 ? UInt32(stretch) : pixels[position + 1], tableBits(pixels.count))
            }
            let last = position > 0 ? copies[position - 1 - first] : 0
            let longSlot = longSlot(pixels, position)
            copies[position - first] = copy(
                pixels, position, slot, longSlot, width: width, depth, last: last, table, previous)
            if let longSlot {
                table[longSlot] = UInt32(position + 1)
                goBack(pixels, position, &copies, from: first)
            }
            // Of a very long stretch only the first and the last.
            let isStart = position == 0 || pixels[position - 1] != pixels[position]
            if let slot, isStart || stretch < longestStretch {
                if depth.chainLength > 1 { previous[position & chainMask] = table[slot] }
                table[slot] = UInt32(position + 1)
            }
            next += max(0, PackedCopy.length(copies[position - first]) - depth.niceLength)
        }
    }

    private static func longSlot(_ pixels: Span<UInt32>, _ position: Int) -> Int? {
        guard position + longWindow <= pixels.count, isChosen(pixels[position], pixels[position + 1]) else {
            return nil
        }
        return longSlot(tableBits(pixels.count)) { pixels[position + $0] }
    }

    private static func goBack(
        _ pixels: Span<UInt32>, _ position: Int, _ copies: inout MutableSpan<UInt32>, from first: Int
    ) {
        var length = PackedCopy.length(copies[position - first])
        let distance = PackedCopy.distance(copies[position - first])
        guard length >= longWindow else { return }
        for place in (max(distance, position - longestWayBack)..<max(distance, position)).reversed() {
            guard length < longest, pixels[place] == pixels[place - distance],
                PackedCopy.length(copies[place - first]) <= length
            else { return }
            length += 1
            copies[place - first] = PackedCopy.make(length: length, distance: distance)
        }
    }

    private static func copy(
        _ pixels: Span<UInt32>, _ position: Int, _ slot: Int?, _ longSlot: Int?, width: Int, _ depth: PixelSearchDepth,
        last: UInt32,
        _ table: borrowing MutableSpan<UInt32>, _ previous: borrowing MutableSpan<UInt32>
    ) -> UInt32 {
        let most = min(longest, pixels.count - position)
        var (length, distance) = (1, 0)
        if last != 0 {
            distance = PackedCopy.distance(last)
            length = PackedCopy.length(last) - 1
            if length + 1 == longest { length = matched(pixels, position, position - distance, most) }
        }
        func look(_ candidate: Int) {
            guard candidate >= 0, length < most else { return }
            let found = matched(pixels, position, candidate, most)
            if found > length { (length, distance) = (found, position - candidate) }
        }
        if length < min(depth.niceLength, most) {
            look(position - 1)
            look(position - width)
            if let longSlot, Int(table[longSlot]) - 1 >= position - farthest { look(Int(table[longSlot]) - 1) }
            if let slot, length < depth.niceLength {
                var candidate = Int(table[slot]) - 1
                for _ in 0..<depth.chainLength where candidate >= 0 && candidate >= position - farthest {
                    look(candidate)
                    if length >= depth.niceLength { break }
                    candidate = depth.chainLength > 1 ? Int(previous[candidate & chainMask(pixels.count)]) - 1 : -1
                }
            }
        }
        return length > 1 ? PackedCopy.make(length: length, distance: distance) : 0
    }

    private static func matched(_ pixels: Span<UInt32>, _ position: Int, _ candidate: Int, _ most: Int) -> Int {
        var length = 0
        while length < most, pixels[position + length] == pixels[candidate + length] { length += 1 }
        return length
    }
}

#if ReferenceKernels
package typealias PixelMatchKernel = PixelMatchKernelReference
#endif
