// Signatures: an address is answered only if whoever made it knew a key.

import Crypto

/// The keys by which addresses are signed.
///
/// A signature is the HMAC-SHA256 of salt and path, from the slash after the signature on, cut to a number of bytes and written in base64.
/// Several keys are valid at once, so that one can be replaced while addresses of the old one are still about.
///
/// Source: RFC 2104 "HMAC: Keyed-Hashing for Message Authentication".
package struct URLSignatures: Sendable {
    private struct Pair: Sendable {
        let key: [UInt8]
        let salt: [UInt8]
    }

    private let pairs: [Pair]
    private let byteCount: Int

    /// Creates signatures.
    ///
    /// - Parameters:
    ///   - keys: in hexadecimal digits. Without any, every address is answered whatever stands for its signature.
    ///   - salts: as many, in hexadecimal digits.
    ///   - byteCount: bytes of a signature, 1...32.
    /// - Returns: `nil` for digits that are none, other numbers of salts than of keys, and another size.
    package init?(keys: [String], salts: [String], byteCount: Int = 32) {
        guard keys.count == salts.count, (1...32).contains(byteCount) else { return nil }
        var pairs: [Pair] = []
        for (key, salt) in zip(keys, salts) {
            guard let key = TextDecoding.hexadecimal(key), !key.isEmpty, let salt = TextDecoding.hexadecimal(salt)
            else { return nil }
            pairs.append(Pair(key: key, salt: salt))
        }
        self.pairs = pairs
        self.byteCount = byteCount
    }

    /// Whether signatures are looked at.
    package var areRequired: Bool { !pairs.isEmpty }

    /// Whether a signature is that of a path, by one of the keys. How long it takes does not depend on how much of it is right.
    package func isValid(_ signature: some Collection<UInt8>, of path: some Collection<UInt8>) -> Bool {
        guard areRequired else { return true }
        // 32 bytes are 43 signs, 44 with padding.
        guard signature.count <= 44, let given = TextDecoding.base64Decoded(signature), given.count == byteCount
        else { return false }
        var isValid = false
        for pair in pairs {
            let expected = digest(path, pair)
            var difference: UInt8 = 0
            for (one, other) in zip(given, expected) { difference |= one ^ other }
            if difference == 0 { isValid = true }
        }
        return isValid
    }

    private func digest(_ path: some Collection<UInt8>, _ pair: Pair) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(for: pair.salt + path, using: SymmetricKey(data: pair.key)).prefix(
                byteCount))
    }
}
