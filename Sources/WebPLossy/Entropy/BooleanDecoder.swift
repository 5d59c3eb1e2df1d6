// The boolean entropy decoder as the standard describes it: plain, one bool at a time. Frame headers are read with it; the loops
// over macroblocks have faster ones (`Kernels/BooleanReaders.swift`) that it can take over from and hand over to.

import ImageCodecsCore

/// Decodes bools, each of which is 0 with a probability in 256ths.
///
/// A plain value: a copy is a checkpoint. The input is handed in with each call and has to be the same, or longer.
///
/// - Source: RFC 6386 section 7.3 "Actual Implementation"
package struct BooleanDecoder: Hashable, Sendable {
    /// Where decoding stands.
    package private(set) var state: BooleanState
    private let start: Int
    /// Whether a byte was needed that is not there; zeros were taken.
    package private(set) var isDry = false

    /// The start of a partition.
    ///
    /// - Parameter next: where it begins in the input.
    package init(next: Int = 0) {
        start = next
        state = BooleanState(next: next)
    }

    /// Decodes one bool.
    ///
    /// - Parameters:
    ///   - probability: of 0, in 256ths.
    ///   - input: the partition.
    package mutating func bool(_ probability: UInt8, _ input: Span<UInt8>) -> Bool {
        if state.next == start, state.count == 0, start < input.count, input[start] == OverfullValue.firstByte {
            state.isOverfull = true
        }
        return state.readBool(probability, &isDry, limit: input.count) { input[$0] }
    }

    /// A flag, L(1).
    package mutating func flag(_ input: Span<UInt8>) -> Bool { bool(128, input) }

    /// The first flag that is 1.
    ///
    /// - Parameters:
    ///   - probabilities: of each flag to be 0, in 256ths.
    ///   - index: the flag that comes next, not the first of the partition.
    ///   - input: the partition.
    /// - Returns: the number of flags if all are 0.
    package mutating func firstSet(_ probabilities: [UInt8], from index: Int, _ input: Span<UInt8>) -> Int {
        var index = index
        while index < probabilities.count {
            let stop = input.withRawBytes { UnsetFlagKernel.pass(&state, probabilities, from: index, input: $0) }
            index = stop.index
            // The kernel leaves to others what is near the end.
            if stop.isSet || (index < probabilities.count && bool(probabilities[index], input)) { return index }
            index += 1
        }
        return probabilities.count
    }

    /// An unsigned number of `bitCount` bits, L(n).
    package mutating func literal(_ bitCount: Int, _ input: Span<UInt8>) -> Int {
        var value = 0
        for _ in 0..<bitCount { value = value * 2 + (bool(128, input) ? 1 : 0) }
        return value
    }

    /// A number of `bitCount` bits and a sign after them.
    package mutating func signedLiteral(_ bitCount: Int, _ input: Span<UInt8>) -> Int {
        let magnitude = literal(bitCount, input)
        return flag(input) ? -magnitude : magnitude
    }

    /// Such a number after a flag that says whether it is there.
    package mutating func optionalSignedLiteral(_ bitCount: Int, _ input: Span<UInt8>) -> Int? {
        flag(input) ? signedLiteral(bitCount, input) : nil
    }
}

extension BooleanState {
    /// Decodes one bool, and reads a byte only if that needs it.
    ///
    /// - Parameters:
    ///   - probability: of 0, in 256ths.
    ///   - isDry: set if a byte is needed that is not there; a zero is taken.
    ///   - limit: bytes of the input.
    ///   - byte: the input's byte at an offset below `limit`.
    @inline(__always)
    mutating func readBool(
        _ probability: UInt8, _ isDry: inout Bool, limit: Int, _ byte: (Int) -> UInt8
    ) -> Bool {
        if isOverfull { return OverfullValue.bit(&self, &isDry, probability, limit: limit, byte) }
        if count < 8 {
            if next < limit {
                // What another reader left below the bits that are there is the same byte.
                value |= UInt64(byte(next)) << UInt64(56 - count)
                next += 1
            } else {
                isDry = true
            }
            count += 8
        }
        let split = 1 + ((range - 1) * UInt32(probability)) >> 8
        let bound = UInt64(split) << 56
        let isSet = value >= bound
        if isSet {
            value -= bound
            range -= split
        } else {
            range = split
        }
        let shift = range.leadingZeroBitCount - 24
        range <<= UInt32(shift)
        value <<= UInt64(shift)
        count -= shift
        return isSet
    }
}
