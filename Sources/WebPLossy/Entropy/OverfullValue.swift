// Partitions that no encoder writes: their first byte is 255, so the value is not below the range it should lie in.

/// Decodes bools of partitions that begin with 255.
///
/// The standard does not say what they mean. The value stays above the range, so that every bool is 1, until bits of it get
/// lost, and which bits those are depends on how a decoder fills its window.
// Deviation: decoded as libwebp does, with a window of 64 bits that takes seven bytes at a time and single ones at the end,
// so that damaged files look alike everywhere.
enum OverfullValue {
    /// The first byte of such a partition.
    static let firstByte: UInt8 = 255

    /// Decodes one bool.
    ///
    /// - Parameters:
    ///   - state: its value is right-aligned here, with ``BooleanState/count`` bits that belong there.
    ///   - limit: where the partition ends.
    ///   - byte: gives the byte at a place below `limit`.
    static func bit(
        _ state: inout BooleanState, _ isDry: inout Bool, _ probability: UInt8, limit: Int, _ byte: (Int) -> UInt8
    ) -> Bool {
        if state.count < 8 { fill(&state, &isDry, limit, byte) }
        let place = UInt64(state.count - 8)
        let split = 1 + ((state.range - 1) * UInt32(probability)) >> 8
        let isSet = UInt32(truncatingIfNeeded: state.value >> place) >= split
        if isSet {
            state.range -= split
            state.value &-= UInt64(split) << place
        } else {
            state.range = split
        }
        while state.range < 128 {
            state.range <<= 1
            state.count -= 1
        }
        return isSet
    }

    /// Decodes a sign: 0, or -1 for a negative value.
    ///
    /// - Parameters: as for a bool.
    static func sign(
        _ state: inout BooleanState, _ isDry: inout Bool, limit: Int, _ byte: (Int) -> UInt8
    ) -> Int32 {
        if state.count < 8 { fill(&state, &isDry, limit, byte) }
        let place = UInt64(state.count - 8)
        let half = (state.range - 1) >> 1
        // Half less the value, in 32 bits: of a value beyond 2^31 that is positive.
        let isNegative = Int32(bitPattern: half &- UInt32(truncatingIfNeeded: state.value >> place)) < 0
        if isNegative { state.value &-= UInt64(half + 1) << place }
        state.range = (state.range - (isNegative ? 2 : 1)) | 1
        state.range += 1
        state.count -= 1
        return isNegative ? -1 : 0
    }

    private static func fill(_ state: inout BooleanState, _ isDry: inout Bool, _ limit: Int, _ byte: (Int) -> UInt8) {
        let isWhole = state.next + 8 <= limit
        for _ in 0..<(isWhole ? 7 : 1) {
            state.value <<= 8
            state.count += 8
            guard state.next < limit else {
                if isDry { state.count = 8 }
                isDry = true
                return
            }
            state.value |= UInt64(byte(state.next))
            state.next += 1
        }
    }
}
