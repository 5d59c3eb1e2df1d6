// SHA-256, and the codes of messages that are made with it.

/// Computes a digest of bytes that come in pieces.
///
/// Source: FIPS 180-4, §5.1.1 "Padding the message", §6.2 "SHA-256".
package struct SHA256 {
    private var state = initial
    /// Bytes that fill no block yet.
    private var rest: [UInt8] = []
    private var byteCount: UInt64 = 0
    private var schedule = [UInt32](repeating: 0, count: 64)

    /// Begins without bytes.
    package init() {}

    /// The digest of all of a message, 32 bytes.
    package static func digest(of message: some Collection<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.append(message)
        return hash.digest()
    }

    /// Adds bytes.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)[...]
        append(bytes.span)
    }

    /// Adds bytes.
    package mutating func append(_ bytes: Span<UInt8>) {
        byteCount &+= UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            start = min(64 - rest.count, bytes.count)
            for index in 0..<start { rest.append(bytes[index]) }
            guard rest.count == 64 else { return }
            let block = rest[...]
            Self.add(block.span, at: 0, schedule: &schedule, to: &state)
            rest.removeAll(keepingCapacity: true)
        }
        while bytes.count - start >= 64 {
            Self.add(bytes, at: start, schedule: &schedule, to: &state)
            start += 64
        }
        for index in start..<bytes.count { rest.append(bytes[index]) }
    }

    /// The digest of the bytes so far, 32 bytes.
    package consuming func digest() -> [UInt8] {
        let bitCount = byteCount &* 8
        let zeroCount = (64 + 55 - rest.count) % 64
        append([0x80] + [UInt8](repeating: 0, count: zeroCount))
        append(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bitCount >> UInt64($0)) })
        var digest: [UInt8] = []
        for index in 0..<8 {
            for shift in stride(from: 24, through: 0, by: -8) {
                digest.append(UInt8(truncatingIfNeeded: state[index] >> UInt32(shift)))
            }
        }
        return digest
    }

    /// Adds the block of 64 bytes at `start`.
    private static func add(
        _ bytes: Span<UInt8>, at start: Int, schedule: inout [UInt32], to state: inout SIMD8<UInt32>
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
        let constants = constants
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in 0..<64 {
            let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let t1 = h &+ sum1 &+ (e & f ^ ~e & g) &+ constants[t] &+ schedule[t]
            let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let t2 = sum0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ t1)
            (d, c, b, a) = (c, b, a, t1 &+ t2)
        }
        state &+= SIMD8(a, b, c, d, e, f, g, h)
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

    /// §5.3.3 "SHA-256": the first 32 bits of the fractions of the square roots of the first eight primes.
    private static let initial = SIMD8<UInt32>(primes.prefix(8).map { fraction($0, root: 2) })

    /// §4.2.2 "SHA-224 and SHA-256 constants": the first 32 bits of the fractions of the cube roots of the first 64 primes.
    private static let constants = primes.map { fraction($0, root: 3) }

    private static let primes: [UInt64] = {
        var primes: [UInt64] = []
        var number: UInt64 = 2
        while primes.count < 64 {
            if !primes.contains(where: { number.isMultiple(of: $0) }) { primes.append(number) }
            number += 1
        }
        return primes
    }()

    /// The lower 32 bits of the largest `n` whose power is at most `number * 2^(32 * root)`.
    private static func fraction(_ number: UInt64, root: Int) -> UInt32 {
        let bound = UInt128(number) << UInt128(32 * root)
        var result: UInt128 = 0
        for bit in stride(from: 40, through: 0, by: -1) {
            let larger = result | 1 << UInt128(bit)
            let power = root == 2 ? larger * larger : larger * larger * larger
            if power <= bound { result = larger }
        }
        return UInt32(truncatingIfNeeded: result)
    }
}

/// Codes that only those can make who have a key.
enum HMAC {
    /// The code of a message, 32 bytes.
    ///
    /// Source: RFC 2104 §2 "Definition of HMAC".
    static func code(of message: some Collection<UInt8>, key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? SHA256.digest(of: key) : key
        block.append(contentsOf: repeatElement(0, count: 64 - block.count))
        var inner = SHA256()
        inner.append(block.map { $0 ^ 0x36 })
        inner.append(message)
        return SHA256.digest(of: block.map { $0 ^ 0x5C } + inner.digest())
    }
}
