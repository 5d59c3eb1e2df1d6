// Between entropy-coded segments a JPEG stream is markers, each with a segment or alone.
//
// In: the bytes that are there so far. Out: the next marker, and whether its segment is complete.

package import ImageCodecsCore

/// Finds markers and the bodies of their segments.
///
/// - Source: ITU-T T.81 (1992) §B.1.1.2 "Markers", §B.1.1.4 "Marker segments".
package enum MarkerReader {
    /// What a search came to. Positions count from the start of the span.
    package enum Search: Equatable {
        /// A marker whose code is the byte before `end`; `skipped` bytes before it were neither fill nor marker.
        case found(Marker, end: Int, skipped: Int)
        /// No marker before the end of the bytes; those before `resumeAt` need not be seen again.
        case needsMoreInput(resumeAt: Int, skipped: Int)
    }

    /// Looks for the next marker, over fill bytes (`0xFF`), stray bytes and stuffed zeros.
    ///
    /// `0xFF00` is not a marker: it is what is left of an entropy-coded segment.
    package static func next(in bytes: Span<UInt8>, from start: Int) -> Search {
        var position = start
        var skipped = 0
        while position < bytes.count {
            guard bytes[position] == 0xFF else {
                position += 1
                skipped += 1
                continue
            }
            var code = position + 1
            while code < bytes.count, bytes[code] == 0xFF { code += 1 }
            guard code < bytes.count else { return .needsMoreInput(resumeAt: code - 1, skipped: skipped) }
            if bytes[code] != 0 { return .found(Marker(rawValue: bytes[code]), end: code + 1, skipped: skipped) }
            skipped += 2
            position = code + 1
        }
        return .needsMoreInput(resumeAt: position, skipped: skipped)
    }

    /// The same in steps between which the clock is asked: stray bytes and fill bytes may be many.
    package static func next(
        in bytes: Span<UInt8>, from start: Int, work: WorkGuard
    ) throws(ImageError) -> Search {
        var position = start
        var skippedBefore = 0
        while true {
            let window = bytes.extracting(first: min(position.addingSaturated(WorkGuard.stepByteCount), bytes.count))
            switch next(in: window, from: position) {
            case .found(let marker, let end, let skipped):
                return .found(marker, end: end, skipped: skippedBefore + skipped)
            case .needsMoreInput(let resumeAt, let skipped):
                try work.check()
                skippedBefore += skipped
                guard window.count < bytes.count else {
                    return .needsMoreInput(resumeAt: resumeAt, skipped: skippedBefore)
                }
                position = resumeAt
            }
        }
    }

    /// The length of the segment's body that starts at `position`: the two length bytes not counted.
    ///
    /// - Returns: `nil` while the two bytes are not there; a negative number if the length is below 2.
    package static func bodyLength(in bytes: Span<UInt8>, at position: Int) -> Int? {
        guard bytes.count - position >= 2 else { return nil }
        return Int(bytes.bigEndianUInt16(at: position)) - 2
    }
}

/// Passes over the entropy-coded data of a scan whose coefficients nobody wants, up to the next marker other than RSTn
/// and reserved ones.
///
/// A scan that is decoded ends no later, whatever damage is in it: entropy decoding stops at every marker, and
/// ``RestartHandling`` goes on after RSTn and reserved markers alone. Where it ends earlier, ``FrameDriver`` goes over
/// the rest to the same marker. So an inspection meets the segments that a decode does.
package struct ScanSkipper: Sendable {
    /// How many `0xFF` in a row end here.
    private var fill = 0

    package init() {}

    /// Where the first 0xFF is, or a place shortly before it; at most `end`.
    private static func firstFill(in input: Span<UInt8>, from start: Int, to end: Int) -> Int {
        input.withRawSpan { bytes in
            var position = start
            while end - position >= 8 {
                let word = bytes.bigEndianWord(at: position)
                // A byte is 0xFF if its top bit is set and it becomes 0 when 1 is added.
                guard (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0 else { break }
                position += 8
            }
            return position
        }
    }

    /// Goes on in a scan.
    ///
    /// - Parameter work: Asked every some bytes.
    package mutating func passOver(_ input: Span<UInt8>, work: inout WorkGuard) throws(ImageError) -> ScanStep {
        var position = 0
        while position < input.count {
            let end = min(position + WorkGuard.stepByteCount, input.count)
            try work.check()
            while position < end {
                if fill == 0 { position = Self.firstFill(in: input, from: position, to: end) }
                guard position < end else { break }
                let byte = input[position]
                if byte == 0xFF {
                    fill += 1
                } else if fill > 0 {
                    if byte != 0 {
                        let marker = Marker(rawValue: byte)
                        if marker.endsCodedData {
                            fill = 0
                            return ScanStep(consumedCount: position - 1, isScanComplete: true)
                        }
                    }
                    fill = 0
                }
                position += 1
            }
        }
        // The last 0xFF comes again, with what follows it.
        guard fill > 0 else { return ScanStep(consumedCount: position, isScanComplete: false) }
        fill -= 1
        return ScanStep(consumedCount: position - 1, isScanComplete: false)
    }
}

extension Span<UInt8> {
    /// The bytes of `range` as an array.
    package func bytes(in range: Range<Int>) -> [UInt8] { Array(extracting(range)) }
}
