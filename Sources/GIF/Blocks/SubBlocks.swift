// Sub-blocks: up to 255 bytes with their number in front.

import ImageCodecsCore

/// Whole sub-blocks, one after another.
///
/// Source: GIF89a section 15 "Data Sub-blocks".
package enum SubBlocks {
    /// Copies the data of all sub-blocks, without their lengths.
    ///
    /// - Parameters:
    ///   - run: whole sub-blocks.
    ///   - target: has room for as many bytes as `run` has.
    /// - Returns: bytes copied.
    static func join(_ run: Span<UInt8>, into target: inout MutableRawSpan) -> Int {
        var (position, count) = (0, 0)
        while position < run.count {
            let length = Int(run[position])
            guard length > 0, position + length < run.count else { break }
            target.copy(run.extracting(position + 1..<position + 1 + length), at: count)
            count += length
            position += 1 + length
        }
        return count
    }

    /// Where in `run` the byte stands that ``join(_:into:)`` copied to `place`, or would have copied there.
    static func position(of place: Int, in run: Span<UInt8>) -> Int {
        var (position, count) = (0, 0)
        while position < run.count {
            let length = Int(run[position])
            if place < count + length { return position + 1 + place - count }
            guard length > 0 else { break }
            count += length
            position += 1 + length
        }
        return position
    }

    /// Bytes of data in all sub-blocks.
    static func byteCount(of run: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> Int {
        var count = 0
        try forEach(run, &work) { count += $0.count }
        return count
    }

    /// The data of all sub-blocks, as many bytes as ``byteCount(of:_:)`` says; memory for them was granted.
    static func joined(
        _ run: Span<UInt8>, byteCount: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        try forEach(run, &work) { bytes.append($0) }
        return bytes
    }

    /// Calls `body` with the data of each, asking the clock.
    static func forEach(
        _ run: Span<UInt8>, _ work: inout WorkGuard, _ body: (Span<UInt8>) -> Void
    ) throws(ImageError) {
        var position = 0
        while position < run.count {
            let length = Int(run[position])
            guard length > 0, position + length < run.count else { break }
            try work.spend(length)
            body(run.extracting(position + 1..<position + 1 + length))
            position += 1 + length
        }
    }

    /// Calls `body` with the data of each.
    package static func forEach(_ run: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        var position = 0
        while position < run.count {
            let length = Int(run[position])
            guard length > 0, position + length < run.count else { break }
            body(run.extracting(position + 1..<position + 1 + length))
            position += 1 + length
        }
    }
}
