// CRC-32 at speed: five remainders side by side, each of every fifth word.
//
//   word      0    1    2    3    4  |  5    6    7    8    9  | ...
//   remainder a    b    c    d    e  |  a    b    c    d    e  | ...
//
// A remainder waits for its own look-ups alone, so that those of the others are made meanwhile. What it takes from a word is
// moved on by the forty bytes to its next one. The last five words are taken one after another, which joins the five.

#if !ReferenceKernels
/// Remainders modulo the polynomial of CRC-32, lowest bit first.
///
/// Source: PNG 3rd ed. §5.5 "CRC algorithm", Annex D "Sample CRC implementation".
package enum CRC32Kernel {
    /// The polynomial without its highest term, the term of x^31 lowest.
    private static let polynomial: UInt32 = 0xEDB8_8320
    private static let laneCount = 5
    private static let roundByteCount = 8 * laneCount

    /// Of each byte of a word, the remainder after the end of the word; eight tables of 256, for the first byte first.
    private static let words = tables(movedOn: 0)
    /// Of each byte of a word, the remainder five words after its beginning.
    private static let lanes = tables(movedOn: roundByteCount - 8)

    private static func tables(movedOn byteCount: Int) -> [UInt32] {
        var byte: [UInt32] = []
        for value in 0..<256 as Range<UInt32> {
            byte.append((0..<8).reduce(value) { rest, _ in rest & 1 == 1 ? polynomial ^ rest >> 1 : rest >> 1 })
        }
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        var moved = byte
        for step in 0..<8 + byteCount {
            // Tables of the last bytes are ready first.
            if step >= byteCount {
                for value in 0..<256 { tables[(7 - step + byteCount) * 256 + value] = moved[value] }
            }
            for value in 0..<256 { moved[value] = byte[Int(moved[value] & 255)] ^ moved[value] >> 8 }
        }
        return tables
    }

    /// Adds bytes to a remainder that is kept inverted, as at the start and at the end of a checksum.
    package static func add(_ bytes: Span<UInt8>, to remainder: UInt32) -> UInt32 {
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe words.withUnsafeBufferPointer { words in
                guard var source = buffer.baseAddress, let words = words.baseAddress else { return remainder }
                var (rest, left) = (remainder, buffer.count)
                if left >= 4 * roundByteCount {
                    let rounds = left / roundByteCount
                    // SAFETY: so many rounds lie in the buffer.
                    unsafe rest = addRounds(source, rounds, words, to: rest)
                    unsafe source += rounds &* roundByteCount
                    left &-= rounds &* roundByteCount
                }
                // SAFETY: `left` bytes lie in the buffer from `source` on; indices are bytes.
                while left >= 8 {
                    rest = unsafe fold(source, 0, rest, words)
                    unsafe source += 8
                    left &-= 8
                }
                while left > 0 {
                    let index = unsafe UInt8(truncatingIfNeeded: rest) ^ source.load(as: UInt8.self)
                    rest = unsafe words[7 &* 256 &+ Int(index)] ^ rest &>> 8
                    unsafe source += 1
                    left &-= 1
                }
                return rest
            }
        }
    }

    /// Adds rounds of five words, one at least.
    @inline(__always)
    private static func addRounds(
        _ start: UnsafeRawPointer, _ rounds: Int, _ words: UnsafePointer<UInt32>, to remainder: UInt32
    ) -> UInt32 {
        unsafe lanes.withUnsafeBufferPointer { lanes in
            guard let lanes = lanes.baseAddress else { return remainder }
            var source = unsafe start
            // SAFETY: the caller has seen to it that `rounds` rounds can be read; indices are bytes.
            let last = unsafe start + (rounds &- 1) &* roundByteCount
            var (a, b, c, d, e): (UInt32, UInt32, UInt32, UInt32, UInt32) = (remainder, 0, 0, 0, 0)
            while unsafe source < last {
                a = unsafe fold(source, 0, a, lanes)
                b = unsafe fold(source, 8, b, lanes)
                c = unsafe fold(source, 16, c, lanes)
                d = unsafe fold(source, 24, d, lanes)
                e = unsafe fold(source, 32, e, lanes)
                unsafe source += roundByteCount
            }
            var rest = unsafe fold(source, 0, a, words)
            rest = unsafe fold(source, 8, b ^ rest, words)
            rest = unsafe fold(source, 16, c ^ rest, words)
            rest = unsafe fold(source, 24, d ^ rest, words)
            return unsafe fold(source, 32, e ^ rest, words)
        }
    }

    /// What is left of eight bytes, and of `rest` before them.
    @inline(__always)
    private static func fold(
        _ source: UnsafeRawPointer, _ offset: Int, _ rest: UInt32, _ tables: UnsafePointer<UInt32>
    ) -> UInt32 {
        // SAFETY: the caller has eight bytes there; there are eight tables of 256 entries.
        let low = unsafe UInt32(littleEndian: source.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) ^ rest
        let high = unsafe UInt32(littleEndian: source.loadUnaligned(fromByteOffset: offset &+ 4, as: UInt32.self))
        var rest = unsafe tables[Int(truncatingIfNeeded: low & 255)]
        rest ^= unsafe tables[256 &+ Int(truncatingIfNeeded: (low &>> 8) & 255)]
        rest ^= unsafe tables[512 &+ Int(truncatingIfNeeded: (low &>> 16) & 255)]
        rest ^= unsafe tables[768 &+ Int(truncatingIfNeeded: low &>> 24)]
        rest ^= unsafe tables[1024 &+ Int(truncatingIfNeeded: high & 255)]
        rest ^= unsafe tables[1280 &+ Int(truncatingIfNeeded: (high &>> 8) & 255)]
        rest ^= unsafe tables[1536 &+ Int(truncatingIfNeeded: (high &>> 16) & 255)]
        rest ^= unsafe tables[1792 &+ Int(truncatingIfNeeded: high &>> 24)]
        return rest
    }
}
#endif
