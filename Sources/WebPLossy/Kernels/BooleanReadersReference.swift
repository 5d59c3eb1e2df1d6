// Plain twin of the boolean readers: one bool at a time, from a span whose every access is checked.

import ImageCore

/// Reads a byte when a bool needs it, and so knows exactly whether it was there.
///
/// - Source: RFC 6386 section 7.3 "Actual Implementation"
struct PlainBooleanReader {
    private(set) var state: BooleanState
    /// Whether a byte was needed that is not there; zeros were taken.
    private(set) var isDry = false

    init(_ state: BooleanState) { self.state = state }

    /// Decodes one bool, which is 0 with a probability of so many 256ths.
    mutating func bit(_ probability: UInt8, _ input: RawSpan) -> Bool {
        if state.isOverfull {
            return OverfullValue.bit(&state, &isDry, probability, limit: input.byteCount) { input.byte(at: $0) }
        }
        if state.count < 8 { takeByte(input) }
        let split = 1 + ((state.range - 1) * UInt32(probability)) >> 8
        let bound = UInt64(split) << 56
        let isSet = state.value >= bound
        if isSet {
            state.value -= bound
            state.range -= split
        } else {
            state.range = split
        }
        let shift = state.range.leadingZeroBitCount - 24
        state.range <<= UInt32(shift)
        state.value <<= UInt64(shift)
        state.count -= shift
        return isSet
    }

    /// Whether a value is negative.
    mutating func sign(_ input: RawSpan) -> Bool {
        guard state.isOverfull else { return bit(128, input) }
        return OverfullValue.sign(&state, &isDry, limit: input.byteCount) { input.byte(at: $0) } != 0
    }

    private mutating func takeByte(_ input: RawSpan) {
        if state.next < input.byteCount {
            // What another reader left below the bits that are there is the same byte.
            state.value |= UInt64(input.byte(at: state.next)) << UInt64(56 - state.count)
            state.next += 1
        } else {
            isDry = true
        }
        state.count += 8
    }
}
