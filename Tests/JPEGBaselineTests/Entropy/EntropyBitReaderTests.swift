import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct EntropyBitReaderTests {
    /// The bits of entropy-coded data up to a marker, with stuffing and fill bytes removed.
    private func bits(of bytes: [UInt8]) -> [Int] {
        var result: [Int] = []
        var position = 0
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == 0xFF {
                while position < bytes.count, bytes[position] == 0xFF { position += 1 }
                guard position < bytes.count, bytes[position] == 0 else { break }
                position += 1
                byte = 0xFF
            }
            result += (0..<8).map { Int(byte >> (7 - $0)) & 1 }
        }
        return result
    }

    @Test func bitsAreThoseOfTheUnstuffedBytes() {
        var random = SeededRandom(seed: 3)
        for round in 0..<200 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                let byte = round % 3 == 0 ? UInt8.random(in: 250...255, using: &random) : random.bytes(1)[0]
                bytes += byte == 0xFF ? (round % 2 == 0 ? [0xFF, 0] : [0xFF, 0xFF, 0]) : [byte]
            }
            bytes += [0xFF, 0xD9, 0x12, 0x34]
            let expected = bits(of: bytes)
            var reader = EntropyBitReader()
            var taken: [Int] = []
            let input = bytes.span
            while taken.count < expected.count {
                let count = Int.random(in: 1...16, using: &random)
                // SAFETY: every byte of a span of bytes is initialised.
                unsafe reader.refill(input.bytes)
                let value = reader.peek(count)
                reader.skip(count)
                taken += (0..<count).map { value >> (count - 1 - $0) & 1 }
                #expect(reader.hasOverrun == (taken.count > expected.count))
            }
            #expect(Array(taken.prefix(expected.count)) == expected)
            #expect(unsafe reader.isAtMarker(input.bytes))
        }
    }

    /// Wherever the input is cut, and however far bits are read ahead.
    @Test func theNextBitIsInTheByteOfDataThatHoldsIt() {
        let bytes: [UInt8] = [
            0x12, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0, 0xFF, 0, 0xFF, 0xD9,
        ]
        // Of each byte of data the first of its bytes, and at the end the marker.
        let starts = [0, 1, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18]
        for end in [1, 5, 6, 9, bytes.count] {
            var reader = EntropyBitReader()
            unsafe reader.refill(bytes.span.extracting(first: end).bytes)
            reader.rebase(droppingFirst: 0)
            for bit in 0..<(starts.count - 1) * 8 {
                #expect(unsafe reader.nextBitPosition(in: bytes.span.bytes) == starts[bit / 8], "bit \(bit)")
                if reader.count == 0 { unsafe reader.refill(bytes.span.bytes) }
                reader.skip(1)
            }
            #expect(unsafe reader.nextBitPosition(in: bytes.span.bytes) == 18)
        }
    }

    @Test func negativeNumbersAreExtended() {
        // T.81 table F.1: of size 3, 000 is -7, 011 is -4, 100 is 4, 111 is 7.
        for (bits, value) in [(0b000, -7), (0b011, -4), (0b100, 4), (0b111, 7)] {
            let bytes: [UInt8] = [UInt8(bits << 5), 0, 0]
            var reader = EntropyBitReader()
            unsafe reader.refill(bytes.span.bytes)
            #expect(reader.readSigned(3) == Int32(value))
        }
    }

    /// Fill bytes before a marker are many; they stay unread for whoever looks for the marker.
    @Test func whatEndsTheDataIsLookedAtOnce() {
        let fill = [UInt8](repeating: 0xFF, count: 200)
        let ended = [0xA5] + fill + [0xD9]
        // The same, but that the run of 0xFF is a byte of data: it is not looked at again.
        let goingOn = [0xA5] + fill + [0, 0x5A]
        var reader = EntropyBitReader()
        unsafe reader.refill(ended.span.bytes)
        #expect(reader.position == 1 && reader.count == 64 && reader.padding == 56)
        for _ in 0..<1000 {
            reader.skip(13)
            unsafe reader.refill(goingOn.span.bytes)
            #expect(reader.count > 56)
        }
        #expect(reader.position == 1 && reader.reservoir == 0 && reader.hasOverrun)
        #expect(reader.count == 8 + reader.padding - 13_000)
        #expect(unsafe reader.isAtMarker(ended.span.bytes))
        reader.restart(at: 1)
        unsafe reader.refill(goingOn.span.bytes)
        #expect(reader.peek(16) == 0xFF5A)
    }

    @Test func moreBytesAreLookedAtOnceTheReaderGoesOnInThem() {
        let bytes: [UInt8] = [0xA5, 0xFF, 0, 0x5A]
        var reader = EntropyBitReader()
        // The 0xFF may begin a marker.
        unsafe reader.refill(bytes.span.extracting(first: 2).bytes)
        #expect(reader.position == 1 && reader.padding == 56)
        reader.rebase(droppingFirst: 1)
        unsafe reader.refill(bytes.span.extracting(droppingFirst: 1).bytes)
        #expect(reader.peek(16) == 0xA5FF)
        reader.skip(16)
        #expect(reader.peek(8) == 0x5A && !reader.hasOverrun)
    }

    @Test func aCopyIsACheckpointAcrossInputs() {
        let bytes: [UInt8] = [0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x11, 0x22]
        var reader = EntropyBitReader()
        unsafe reader.refill(bytes.span.extracting(first: 3).bytes)
        reader.skip(12)
        #expect(!reader.hasOverrun)
        let gone = reader.position
        reader.rebase(droppingFirst: gone)
        unsafe reader.refill(bytes.span.extracting(droppingFirst: gone).bytes)
        #expect(reader.peek(12) == 0x456)
        reader.skip(12)
        #expect(reader.peek(16) == 0x789A)
    }
}
