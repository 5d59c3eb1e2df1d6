// SHA-256: names of files that no two keys share.

/// The SHA-256 of bytes.
///
/// Source: FIPS 180-4, §5.1.1 "Padding the message", §6.2 "SHA-256".
package enum SHA256 {
    /// The digest of `message`.
    package static func digest(of message: [UInt8]) -> Digest {
        var padded = message
        padded.append(0x80)
        let zeroCount = (64 + 56 - padded.count % 64) % 64
        padded.append(contentsOf: repeatElement(0, count: zeroCount))
        let bitCount = UInt64(message.count) &* 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        var state = initial
        var schedule = [UInt32](repeating: 0, count: 64)
        for start in stride(from: 0, to: padded.count, by: 64) { add(padded, at: start, &schedule, to: &state) }
        return Digest(
            words: SIMD4(
                UInt64(state[0]) << 32 | UInt64(state[1]), UInt64(state[2]) << 32 | UInt64(state[3]),
                UInt64(state[4]) << 32 | UInt64(state[5]), UInt64(state[6]) << 32 | UInt64(state[7])))
    }

    /// Adds the block of 64 bytes at `start`.
    private static func add(
        _ bytes: [UInt8], at start: Int, _ schedule: inout [UInt32], to state: inout SIMD8<UInt32>
    ) {
        for t in 0..<16 {
            let place = start + 4 * t
            schedule[t] =
                UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16 | UInt32(bytes[place + 2]) << 8
                | UInt32(bytes[place + 3])
        }
        for t in 16..<64 {
            let (w2, w15) = (schedule[t - 2], schedule[t - 15])
            let sigma1 = rotated(w2, 17) ^ rotated(w2, 19) ^ w2 >> 10
            let sigma0 = rotated(w15, 7) ^ rotated(w15, 18) ^ w15 >> 3
            schedule[t] = sigma1 &+ schedule[t - 7] &+ sigma0 &+ schedule[t - 16]
        }
        for t in 0..<64 { schedule[t] &+= constants[t] }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in stride(from: 0, to: 64, by: 8) {
            // What each round gets is what the one before it leaves, a place further on.
            round(a, b, c, &d, e, f, g, &h, schedule[t])
            round(h, a, b, &c, d, e, f, &g, schedule[t + 1])
            round(g, h, a, &b, c, d, e, &f, schedule[t + 2])
            round(f, g, h, &a, b, c, d, &e, schedule[t + 3])
            round(e, f, g, &h, a, b, c, &d, schedule[t + 4])
            round(d, e, f, &g, h, a, b, &c, schedule[t + 5])
            round(c, d, e, &f, g, h, a, &b, schedule[t + 6])
            round(b, c, d, &e, f, g, h, &a, schedule[t + 7])
        }
        state &+= SIMD8(a, b, c, d, e, f, g, h)
    }

    /// One round: `d` and `h` become the next `e` and `a`.
    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
        _ h: inout UInt32, _ word: UInt32
    ) {
        let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
        let t1 = h &+ sum1 &+ (g ^ e & (f ^ g)) &+ word
        let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
        d &+= t1
        h = t1 &+ sum0 &+ (a & b | c & (a | b))
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &>> count | word &<< (32 &- count)
    }

    /// §5.3.3 "SHA-256": the first 32 bits of the fractions of the square roots of the first eight primes.
    private static let initial = SIMD8<UInt32>(
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19)

    /// §4.2.2 "SHA-224 and SHA-256 constants": the first 32 bits of the fractions of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

/// A SHA-256, as four words whose highest byte comes first.
package struct Digest: Sendable {
    package let words: SIMD4<UInt64>

    /// The digest as 64 hexadecimal digits.
    package var text: String { String(decoding: digits, as: UTF8.self) }

    /// The same as ASCII.
    var digits: [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity(64)
        for index in 0..<4 {
            for shift in stride(from: 60, through: 0, by: -4) {
                digits.append(Self.digit(words[index] >> UInt64(shift) & 15))
            }
        }
        return digits
    }

    package init(words: SIMD4<UInt64>) { self.words = words }

    /// The digest that 64 hexadecimal digits stand for; `nil` for any other text.
    package init?(text: some Collection<UInt8>) {
        guard text.count == 64 else { return nil }
        var words = SIMD4<UInt64>()
        for (index, digit) in text.enumerated() {
            guard let value = Self.value(ofDigit: digit) else { return nil }
            words[index / 16] = words[index / 16] << 4 | value
        }
        self.words = words
    }

    private static func digit(_ value: UInt64) -> UInt8 {
        UInt8(
            truncatingIfNeeded: value < 10 ? UInt64(UInt8(ascii: "0")) + value : UInt64(UInt8(ascii: "a")) + value - 10)
    }

    private static func value(ofDigit digit: UInt8) -> UInt64? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(digit - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}

extension Digest: Hashable {
    package static func == (lhs: Digest, rhs: Digest) -> Bool { lhs.words == rhs.words }

    /// Any part of a digest is as good as a hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
}
