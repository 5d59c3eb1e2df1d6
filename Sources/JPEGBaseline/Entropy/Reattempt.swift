// When to try again to decode a syntax element that was not complete, so that trying costs no more than reading.

/// Spaces attempts at a syntax element whose completeness only an attempt can tell, such as an MCU.
///
/// Every attempt starts at the element's first byte. Trying after each byte that comes would be quadratic in the element's
/// length, and an element may be made long on purpose: fill bytes let an MCU have more than 600,000 bytes. So each new byte
/// earns a fixed number of bytes that may be read again, and an attempt needs as many as it will read. Elements of ordinary
/// files are so short that the next attempt comes within a few bytes; a long one is tried each time it has grown by a
/// small part. A marker among the new bytes ends the segment, so it always is a reason to try.
///
/// A plain value, part of a scan's checkpoint.
package struct Reattempt: Hashable, Sendable {
    /// Bytes that the last attempt found too few; 0 while there was none.
    private var attempted = 0
    /// Bytes of those that were looked through for a marker.
    private var searched = 0
    private var credit = 0

    /// Bytes that may be read again for each new byte.
    private static let creditPerByte = 64

    package init() {}

    /// Whether decoding should be tried.
    ///
    /// - Parameter input: Unread bytes, the incomplete syntax element first.
    package mutating func isDue(_ input: Span<UInt8>) -> Bool {
        guard attempted > 0, input.count >= searched else { return true }
        credit = min(credit + (input.count - searched) * Self.creditPerByte, 1 << 30)
        let start = max(0, searched - 1)
        searched = input.count
        // New bytes are looked through only if they do not suffice by their number.
        return credit >= input.count || Self.hasMarker(input, from: start)
    }

    /// Takes note of an attempt that needs more than the `byteCount` unread bytes.
    package mutating func recordFailure(byteCount: Int) {
        attempted = byteCount
        searched = byteCount
        credit = max(0, credit - byteCount)
    }

    /// Whether 0xFF and a byte that is neither stuffing nor fill lie side by side.
    private static func hasMarker(_ input: Span<UInt8>, from start: Int) -> Bool {
        var isPrefixed = false
        for index in start..<input.count {
            let byte = input[index]
            if isPrefixed && byte != 0 && byte != 0xFF { return true }
            isPrefixed = byte == 0xFF
        }
        return false
    }
}
