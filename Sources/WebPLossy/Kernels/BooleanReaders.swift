// The boolean entropy decoder of the hot loops: a window of 64 bits, the next one on top.
//
//   value   | b b b b b b b b | b b b ...... b | . . . . |      the top eight bits are compared with the split
//            <-------------- count ----------->
//
// After them the fast reader has a one and zeros.
//
// Two readers have the same interface. `FastBooleanReader` fills its window where the loops say so and takes zeros for
// bytes that are not there; whether it did is known afterwards. `ExactBooleanReader` fills it when a bit cannot be decoded
// otherwise, and so knows exactly whether a byte was needed that is not there.

/// What a boolean decoder carries from one macroblock to the next: a plain value, so that a copy is a checkpoint.
package struct BooleanState: Hashable, Sendable {
    /// Unused bits, the next one on top; what is below ``count`` bits is either zero or what follows in the input.
    package var value: UInt64 = 0
    /// 128...255 between two bits, but for the part that a split has just left over.
    package var range: UInt32 = 255
    /// Bits of ``value`` that are there.
    package var count = 0
    /// The byte that is read next.
    package var next: Int
    /// Whether the partition's value is not below its range; see ``OverfullValue``.
    package var isOverfull = false

    /// The start of a partition.
    ///
    /// - Parameter next: its first byte.
    package init(next: Int) { self.next = next }
}

#if !ReferenceKernels
/// What token decoding wants of a boolean decoder.
///
/// - Source: RFC 6386 section 7 "Boolean Entropy Decoder"
protocol BooleanReader {
    /// Sees to it that there are this many bits: each bool takes up to seven, and needs eight to be there.
    mutating func ensure(_ bitCount: UInt8)
    /// Decodes one bool, which is 0 with a probability of `probability` / 65536; the lower eight bits are zero.
    mutating func bit(_ probability: UInt16) -> Bool
    /// Decodes a bool of probability 128: all ones for 1, zero for 0. Never the first bool of a partition.
    mutating func sign() -> Int32
}

/// Fills its window in advance.
///
/// The range after a bool depends on the range before it, the probability and the bool. It is looked up, and is there five
/// cycles after the one before; computed, it would take eleven. As each range waits for the one before, that is what a bool
/// costs if it is foreseen. By how many bits it was shifted is looked up too, from the part of the range that was left: to
/// count leading zeros takes eight steps on some processors, where a decode took a tenth longer. What a frame uses of the
/// table, the ranges of its own probabilities, stays in the first-level cache.
@safe
struct FastBooleanReader: BooleanReader {
    // SAFETY: `base` has `limit` bytes, checked where a reader is made; it is read below `limit` alone. `ranges` is as
    // `BooleanRanges` says.
    private let base: UnsafeRawPointer
    let limit: Int
    private let ranges: UnsafePointer<UInt8>
    /// Unused bits, the next one on top, then a one, then zeros: so how many there are need not be counted.
    private var value: UInt64
    /// The range less one, 127...254.
    private var range: UInt64
    /// Goes beyond `limit` if zeros were taken for bytes that are not there.
    private var next: Int

    /// - Parameter ranges: ``BooleanRanges/table``.
    /// - Precondition: the state has 63 bits at most.
    init(_ state: BooleanState, _ base: UnsafeRawPointer, limit: Int, ranges: UnsafePointer<UInt8>) {
        unsafe self.base = base
        self.limit = limit
        unsafe self.ranges = ranges
        let end = UInt64(truncatingIfNeeded: 63 &- state.count)
        value = state.value & (~1 &<< end) | 1 &<< end
        // A range between two bools is 128...255, which is checked where a reader is made.
        range = UInt64(state.range & 255) &- 1
        next = state.next
    }

    /// Bits that are there.
    private var count: Int { 63 &- value.trailingZeroBitCount }

    /// Where decoding stands; bits that are not there are taken back.
    var state: BooleanState {
        var state = BooleanState(next: min(next, limit))
        state.value = value & (value &- 1)
        state.range = UInt32(truncatingIfNeeded: range) &+ 1
        state.count = count &- max(0, next &- limit) &* 8
        return state
    }

    /// Whether a bool may have needed bytes that are not there.
    ///
    /// Each needs eight bits from where it starts. Where the last one ended there are as many still, or more: then none did.
    @inline(__always)
    var mayBeDry: Bool { next > limit && count &- 8 < (next &- limit) &* 8 }

    /// Whether zeros were taken for bytes that are not there.
    @inline(__always)
    var mayBeShort: Bool { next > limit }

    @inline(__always)
    mutating func ensure(_ bitCount: UInt8) {
        // A test of 32 bits is a short instruction.
        let bits = UInt64(max(bitCount, 32))
        if value & (1 &<< (64 &- bits) &- 1) == 0 { refill() }
    }

    /// Leaves 56 bits or more.
    @inline(__always)
    mutating func refill() {
        let free = UInt64(truncatingIfNeeded: value.trailingZeroBitCount)
        if next &+ 8 <= limit {
            // SAFETY: eight bytes from `next` on are below `limit`.
            let word = unsafe UInt64(bigEndian: base.loadUnaligned(fromByteOffset: next, as: UInt64.self))
            let rest = free & 7
            value = (value & (value &- 1) | word &>> (63 &- free)) & (~1 &<< rest) | 1 &<< rest
            next &+= Int(truncatingIfNeeded: free &>> 3)
        } else {
            (value, next) = unsafe Self.filled(base, limit, value, free, next)
        }
    }

    /// The end of the input. Values go in and out, so that the reader can stay in registers.
    @inline(never)
    private static func filled(
        _ base: UnsafeRawPointer, _ limit: Int, _ value: UInt64, _ free: UInt64, _ next: Int
    ) -> (UInt64, Int) {
        var (value, free, next) = (value & (value &- 1), free, next)
        while free >= 8 {
            free &-= 8
            // SAFETY: `next` is below `limit`.
            let byte = next < limit ? unsafe base.load(fromByteOffset: next, as: UInt8.self) : 0
            value |= UInt64(byte) &<< (free &+ 1)
            next &+= 1
        }
        return (value | 1 &<< free, next)
    }

    @inline(__always)
    mutating func bit(_ probability: UInt16) -> Bool {
        let scaled = UInt64(probability)
        let split = (range &* scaled) &>> 16
        // SAFETY: a probability is at most 255 * 256, a range 254. Both are in the address of one load: a sum would come later.
        let after = unsafe UnsafeRawPointer(ranges + Int(truncatingIfNeeded: scaled))
            .assumingMemoryBound(to: BooleanRanges.Pair.self)
        let place = Int(truncatingIfNeeded: range) &+ BooleanRanges.start / MemoryLayout<BooleanRanges.Pair>.stride
        // The upper eight bits are compared, not all: the next step waits for this one.
        if value &>> 56 > split {
            value &-= (split &+ 1) &<< 56
            shift(toFit: range &- split)
            range = unsafe UInt64(after[place].afterOne)
            return true
        }
        shift(toFit: split &+ 1)
        range = unsafe UInt64(after[place].afterZero)
        return false
    }

    /// Makes a range of a part of one, 1...255.
    @inline(__always)
    private mutating func shift(toFit part: UInt64) {
        // SAFETY: a part is less than 256, and the shifts of as many come first.
        let bits = unsafe ranges[Int(truncatingIfNeeded: part)]
        value &<<= UInt64(bits)
    }

    @inline(__always)
    mutating func sign() -> Int32 {
        // After the first bool, a range is 254 at most: both halves are 64...127, so the shift is 1. Less one, the range is
        // odd afterwards: half of an even one is one larger, or one smaller.
        let bound = ((range &>> 1) &+ 1) &<< 56
        let mask: UInt64 = value < bound ? 0 : ~0
        value = (value &- (bound & mask)) &<< 1
        range = (range &+ mask) | 1
        return Int32(truncatingIfNeeded: mask)
    }
}

/// What becomes of ranges.
enum BooleanRanges {
    /// Ranges less one: when the bool is 0, and when it is 1.
    struct Pair: BitwiseCopyable {
        let afterZero: UInt8
        let afterOne: UInt8
    }

    /// Where the ranges begin, after the shifts.
    static var start: Int { 256 }

    /// By how many bits each part of a range, 1...255, is shifted to be one; then a ``Pair`` for each probability and each
    /// range less one, 0...255.
    ///
    /// At `start + 256 * probability + 2 * (range - 1)`: ranges are more than 127, so those of two probabilities do not
    /// overlap.
    ///
    /// - Source: RFC 6386 section 7.3 "Actual Implementation"
    static let table: [UInt8] = {
        var table = [UInt8](repeating: 0, count: start + 256 * 255 + 2 * 256)
        for part in 1..<256 { table[part] = UInt8(UInt8(part).leadingZeroBitCount) }
        for probability in 0..<256 {
            for range in 128..<256 {
                let split = 1 + ((range - 1) * probability) >> 8
                let place = start + 256 * probability + 2 * (range - 1)
                for (bool, part) in [split, range - split].enumerated() {
                    table[place + bool] = UInt8(part << UInt8(part).leadingZeroBitCount - 1)
                }
            }
        }
        return table
    }()
}

/// Fills its window when it must.
@safe
struct ExactBooleanReader: BooleanReader {
    // SAFETY: `base` has `limit` bytes, checked where a reader is made; it is read below `limit` alone.
    private let base: UnsafeRawPointer
    private let limit: Int
    private(set) var state: BooleanState
    /// Whether a byte was needed that is not there.
    private(set) var isDry = false

    init(_ state: BooleanState, _ base: UnsafeRawPointer, limit: Int) {
        unsafe self.base = base
        self.limit = limit
        self.state = state
    }

    @inline(__always)
    mutating func ensure(_ bitCount: UInt8) {}

    @inline(__always)
    mutating func bit(_ probability: UInt16) -> Bool {
        if state.isOverfull { return overfullBit(probability) }
        if state.count < 8 { (state, isDry) = unsafe Self.filled(base, limit, state, isDry) }
        let split = 1 &+ (((state.range &- 1) &* UInt32(probability)) &>> 16)
        let bound = UInt64(split) &<< 56
        let isSet = state.value >= bound
        if isSet {
            state.value &-= bound
            state.range &-= split
        } else {
            state.range = split
        }
        let shift = (state.range | 1).leadingZeroBitCount &- 24
        state.range &<<= UInt32(truncatingIfNeeded: shift)
        state.value &<<= UInt64(truncatingIfNeeded: shift)
        state.count &-= shift
        return isSet
    }

    @inline(__always)
    mutating func sign() -> Int32 {
        if state.isOverfull { return overfullSign() }
        return bit(128 << 8) ? -1 : 0
    }

    @inline(never)
    private mutating func overfullSign() -> Int32 {
        let (base, limit) = unsafe (base, limit)
        return OverfullValue.sign(&state, &isDry, limit: limit) { index in
            // SAFETY: `OverfullValue` asks for bytes below `limit`.
            unsafe base.load(fromByteOffset: index, as: UInt8.self)
        }
    }

    @inline(never)
    private mutating func overfullBit(_ probability: UInt16) -> Bool {
        let (base, limit) = unsafe (base, limit)
        return OverfullValue.bit(&state, &isDry, UInt8(truncatingIfNeeded: probability &>> 8), limit: limit) { index in
            // SAFETY: `OverfullValue` asks for bytes below `limit`.
            unsafe base.load(fromByteOffset: index, as: UInt8.self)
        }
    }

    @inline(never)
    private static func filled(
        _ base: UnsafeRawPointer, _ limit: Int, _ state: BooleanState, _ isDry: Bool
    ) -> (BooleanState, Bool) {
        var state = state
        if state.next &+ 8 <= limit {
            // SAFETY: eight bytes from `next` on are below `limit`.
            let word = unsafe UInt64(bigEndian: base.loadUnaligned(fromByteOffset: state.next, as: UInt64.self))
            state.value |= word &>> UInt64(truncatingIfNeeded: state.count)
            state.next &+= (63 &- state.count) &>> 3
            state.count |= 56
            return (state, isDry)
        }
        let isThere = state.next < limit
        if isThere {
            // SAFETY: `next` is below `limit`.
            let byte = unsafe base.load(fromByteOffset: state.next, as: UInt8.self)
            state.value |= UInt64(byte) &<< UInt64(truncatingIfNeeded: 56 &- state.count)
            state.next &+= 1
        }
        state.count &+= 8
        return (state, isDry || !isThere)
    }
}
#endif
