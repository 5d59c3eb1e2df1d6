import Testing

import ImageCaching

/// Digests of the examples in FIPS 180-2, Appendix B, and of the empty message as NIST publishes it.
@Suite struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func digestsAreThoseOfTheStandard(_ message: String, _ digest: String) {
        #expect(SHA256.digest(of: Array(message.utf8)).text == digest)
    }

    @Test func aMillionLettersHaveTheDigestOfTheStandard() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            SHA256.digest(of: message).text == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func theTextOfADigestLeadsBackToIt() throws {
        let digest = SHA256.digest(of: [1, 2, 3])
        #expect(Digest(text: digest.text.utf8) == digest)
        #expect(Digest(text: "abc".utf8) == nil)
        #expect(Digest(text: String(repeating: "g", count: 64).utf8) == nil)
    }
}
