// Counts memory that is not an `AlignedStorage`: arrays and strings of metadata, and what zlib allocates.

import Synchronization

/// Bytes counted in a meter for as long as this object lives.
package final class MemoryReservation: Sendable {
    private let held: Atomic<Int>
    private let meter: MemoryMeter?

    /// Counts `byteCount` bytes, or throws `limitExceeded(.memory)`.
    package init(byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        try meter?.reserve(byteCount)
        held = Atomic(byteCount)
        self.meter = meter
    }

    /// Bytes counted.
    package var byteCount: Int { held.load(ordering: .relaxed) }

    /// Counts `byteCount` more bytes, or throws `limitExceeded(.memory)` and counts nothing.
    package func grow(by byteCount: Int) throws(ImageError) {
        try meter?.reserve(byteCount)
        held.add(byteCount, ordering: .relaxed)
    }

    deinit { meter?.release(held.load(ordering: .relaxed)) }
}
