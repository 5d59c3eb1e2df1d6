// Text of a file to UTF-8, piece by piece, in two passes: how long it is, and the bytes.

/// Turns text into UTF-8.
///
/// Made for text that is unpacked while it is read: the first pass counts, so that the result's length is known (and
/// held against limits) before there is memory for it; the second writes. Both see the same pieces. Invalid UTF-8
/// becomes U+FFFD for each maximal subpart of an ill-formed sequence, as `String(decoding:as:)` does it, which makes up
/// to three bytes of one.
///
/// - Source: The Unicode Standard 15.0 §3.9 "Unicode Encoding Forms", table 3-7 "Well-Formed UTF-8 Byte Sequences" and
///   "U+FFFD Substitution of Maximal Subparts"; ISO/IEC 8859-1.
package struct TextTranscoder: Sendable {
    /// What the bytes of the file are.
    package enum Encoding: Hashable, Sendable {
        /// Every byte is the code point of the same number.
        case latin1
        case utf8
    }

    /// UTF-8 bytes that came out so far.
    package private(set) var byteCount = 0

    private let encoding: Encoding
    /// The bytes of a sequence that is not complete, the first in the lowest place, and how many there are.
    private var sequence: UInt32 = 0
    private var sequenceCount = 0
    /// Bytes the sequence still needs, and what the next one may be.
    private var missingCount = 0
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    package init(_ encoding: Encoding) { self.encoding = encoding }

    /// Counts a piece.
    package mutating func count(_ piece: Span<UInt8>) {
        run(piece) { _, _ in }
    }

    /// Writes a piece from ``byteCount`` on.
    ///
    /// - Precondition: `output` has as many bytes as the first pass counted, and the pieces are the same.
    package mutating func write(_ piece: Span<UInt8>, into output: inout MutableRawSpan) {
        run(piece) { byte, place in output.storeBytes(of: byte, toByteOffset: place, as: UInt8.self) }
    }

    /// Counts what an incomplete sequence at the end becomes.
    package mutating func finishCount() {
        finish { _, _ in }
    }

    /// Writes what an incomplete sequence at the end becomes.
    package mutating func finishWrite(into output: inout MutableRawSpan) {
        finish { byte, place in output.storeBytes(of: byte, toByteOffset: place, as: UInt8.self) }
    }

    @inline(__always)
    private mutating func run(_ piece: Span<UInt8>, _ emit: (UInt8, Int) -> Void) {
        for index in 0..<piece.count {
            let byte = piece[index]
            if byte < 0x80 && missingCount == 0 {
                emit(byte, byteCount)
                byteCount += 1
            } else if encoding == .latin1 {
                emit(0xC0 | byte >> 6, byteCount)
                emit(0x80 | byte & 0x3F, byteCount + 1)
                byteCount += 2
            } else {
                consume(byte, emit)
            }
        }
    }

    @inline(__always)
    private mutating func consume(_ byte: UInt8, _ emit: (UInt8, Int) -> Void) {
        if missingCount > 0 {
            if byte >= lowest && byte <= highest {
                sequence |= UInt32(byte) << UInt32(8 * sequenceCount)
                sequenceCount += 1
                missingCount -= 1
                (lowest, highest) = (0x80, 0xBF)
                guard missingCount == 0 else { return }
                for place in 0..<sequenceCount {
                    emit(UInt8(truncatingIfNeeded: sequence >> UInt32(8 * place)), byteCount + place)
                }
                byteCount += sequenceCount
                return
            }
            replace(emit)
        }
        beginCharacter(byte, emit)
    }

    /// The first byte of a sequence: table 3-7.
    @inline(__always)
    private mutating func beginCharacter(_ byte: UInt8, _ emit: (UInt8, Int) -> Void) {
        (sequence, sequenceCount, lowest, highest) = (UInt32(byte), 1, 0x80, 0xBF)
        switch byte {
        case 0..<0x80:
            emit(byte, byteCount)
            byteCount += 1
        case 0xC2...0xDF: missingCount = 1
        case 0xE0: (missingCount, lowest) = (2, 0xA0)
        case 0xED: (missingCount, highest) = (2, 0x9F)
        case 0xE1...0xEF: missingCount = 2
        case 0xF0: (missingCount, lowest) = (3, 0x90)
        case 0xF4: (missingCount, highest) = (3, 0x8F)
        case 0xF1...0xF3: missingCount = 3
        default: replace(emit)
        }
    }

    /// U+FFFD in place of what was read of the sequence.
    @inline(__always)
    private mutating func replace(_ emit: (UInt8, Int) -> Void) {
        emit(0xEF, byteCount)
        emit(0xBF, byteCount + 1)
        emit(0xBD, byteCount + 2)
        byteCount += 3
        missingCount = 0
    }

    @inline(__always)
    private mutating func finish(_ emit: (UInt8, Int) -> Void) {
        if missingCount > 0 { replace(emit) }
    }
}

extension TextTranscoder {
    /// The UTF-8 bytes that a short text takes.
    package static func byteCount(of text: Span<UInt8>, _ encoding: Encoding) -> Int {
        var transcoder = TextTranscoder(encoding)
        transcoder.count(text)
        transcoder.finishCount()
        return transcoder.byteCount
    }

    /// A text whose bytes are all there; memory for it was granted.
    ///
    /// - Parameter meter: counts the buffer that the text is made in, as large as the text.
    package static func string(
        _ text: Span<UInt8>, _ encoding: Encoding, meter: MemoryMeter?
    ) throws(ImageError) -> String {
        var buffer = try ScratchBuffer(byteCount: byteCount(of: text, encoding), meter: meter)
        buffer.withMutableBytes { output in
            var transcoder = TextTranscoder(encoding)
            transcoder.write(text, into: &output)
            transcoder.finishWrite(into: &output)
        }
        return buffer.withBytes { $0.decodedUTF8() }
    }
}
