// Plain twin of the boolean readers: one bool at a time, from a span whose every access is checked.

import ImageCodecsCore

/// Reads a byte when a bool needs it, and so knows exactly whether it was there.
///
/// - Source: RFC 6386 section 7.3 "Actual Implementation"
struct PlainBooleanReader {
    private(set) var state: BooleanState
    /// Whether a byte was needed that is not there; zeros were taken.
    private(set) var isDry = false

    init(_ state: BooleanState) { self.state = state }

    /// Decodes one bool, which is 0 with a probability in 256ths.
    mutating func bit(_ probability: UInt8, _ input: RawSpan) -> Bool {
        state.readBool(probability, &isDry, limit: input.byteCount) { input.byte(at: $0) }
    }

    /// Whether a value is negative.
    mutating func sign(_ input: RawSpan) -> Bool {
        guard state.isOverfull else { return bit(128, input) }
        return OverfullValue.sign(&state, &isDry, limit: input.byteCount) { input.byte(at: $0) } != 0
    }
}
