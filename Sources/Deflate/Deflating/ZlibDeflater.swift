// Compression with the system's zlib: bytes in, pieces of one zlib stream of a fixed size out.

#if SystemZlib
package import ImageCodecsCore

/// How hard to look for matches.
package enum CompressionEffort: Hashable, Sendable {
    /// zlib's level 6, its default, with searches that are shorter but end later.
    ///
    /// Of 128 candidates for a match 40 are looked at. Measured: files 0.3 % smaller (screenshot), 0.1 % (palette),
    /// 0.6 % (photo) and 1.6 % (sprites) larger, and compressed 1.2 to 1.6 times as fast.
    case standard
    /// zlib's level: 1 (fastest) ... 9 (smallest).
    case level(Int)
}

/// Compresses what is written to it into one zlib stream (RFC 1950 "ZLIB Compressed Data Format Specification").
///
/// Not a value, whatever it looks like: a copy goes on with the same stream, so that only one of the two may be used.
package struct ZlibDeflater: Sendable {
    private let stream: DeflateStream
    private var output: ScratchBuffer
    private var filledCount = 0

    /// - Parameters:
    ///   - effort: how hard to look for matches.
    ///   - isFiltered: whether the bytes are filtered scanlines: mostly small numbers that repeat seldom.
    ///   - byteCount: how many bytes will be written; small amounts get a small window.
    ///   - pieceByteCount: bytes of the pieces handed out, of all but the last.
    ///   - meter: counts the buffer of a piece.
    package init(
        effort: CompressionEffort, isFiltered: Bool, byteCount: Int, pieceByteCount: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        let level = if case .level(let level) = effort { level } else { 6 }
        let output = try ScratchBuffer(byteCount: max(1, pieceByteCount), meter: meter)
        let stream = try DeflateStream(
            level: level, windowBits: Self.windowBits(for: byteCount), memoryLevel: 8,
            strategy: isFiltered ? .filtered : .standard)
        if effort == .standard {
            stream.tune(.init(goodLength: 8, lazyLength: 32, niceLength: 258, chainLength: 40))
        }
        self.output = output
        self.stream = stream
    }

    /// Compresses `bytes` and hands out each piece that gets full.
    package mutating func write(_ bytes: RawSpan, emit: (RawSpan) -> Void) {
        pump(bytes, isLast: false, emit: emit)
    }

    /// Compresses `bytes`, ends the stream and hands out what is left of it.
    package mutating func finish(_ bytes: RawSpan, emit: (RawSpan) -> Void) {
        pump(bytes, isLast: true, emit: emit)
        output.withBytes(0..<filledCount) { emit($0) }
        filledCount = 0
    }

    private mutating func pump(_ bytes: RawSpan, isLast: Bool, emit: (RawSpan) -> Void) {
        let stream = stream
        var position = 0
        while true {
            let step = output.withMutableBytes(filledCount..<output.byteCount) { target in
                stream.deflate(bytes.extracting(droppingFirst: position), into: &target, isLast: isLast)
            }
            position += step.consumed
            filledCount += step.produced
            let isFull = filledCount == output.byteCount
            if isFull {
                output.withBytes { emit($0) }
                filledCount = 0
            }
            let isStuck = step.consumed == 0 && step.produced == 0
            if step.isFinished || isStuck && !isFull { return }
        }
    }

    /// All of `bytes` as one zlib stream, as small as zlib makes it.
    package static func compress(_ bytes: [UInt8], meter: MemoryMeter?) throws(ImageError) -> [UInt8] {
        var deflater = try ZlibDeflater(
            effort: .level(9), isFiltered: false, byteCount: bytes.count, pieceByteCount: 1 << 14, meter: meter)
        var compressed: [UInt8] = []
        bytes.withRawSpan(first: bytes.count) { bytes in deflater.finish(bytes) { compressed.append($0) } }
        return compressed
    }

    /// The smallest window in which everything is within reach of everything else.
    ///
    /// zlib looks no further back than the window less 262 bytes, and does not support windows of 8 bits.
    static func windowBits(for byteCount: Int) -> Int {
        var bits = 9
        while bits < 15 && (1 << bits) - 262 < byteCount { bits += 1 }
        return bits
    }
}
#endif
