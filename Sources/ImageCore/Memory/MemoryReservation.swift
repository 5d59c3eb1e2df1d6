// Counts memory that is not an `AlignedStorage`: arrays, and what zlib allocates.

/// Bytes counted in a meter for as long as this object lives.
package final class MemoryReservation: Sendable {
    private let byteCount: Int
    private let meter: MemoryMeter?

    /// Counts `byteCount` bytes, or throws `limitExceeded(.memory)`.
    package init(byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        try meter?.reserve(byteCount)
        self.byteCount = byteCount
        self.meter = meter
    }

    deinit { meter?.release(byteCount) }
}
