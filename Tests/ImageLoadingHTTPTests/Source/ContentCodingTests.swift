import ImageCodecsCore
import ImageLoading
import ImageLoadingHTTP
import Testing

@Suite struct ContentCodingTests {
    private let address = "http://example.com/a.png"
    /// `b"hello hello hello hello\n" * 3` by `gzip.compress(mtime=0)` of Python 3.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57,
        0xC8, 0x40, 0x27, 0xB9, 0x32, 0x48, 0x14, 0x07, 0x00, 0x4A, 0x0E, 0xCE, 0x11, 0x48, 0x00, 0x00,
        0x00,
    ]
    /// The same by `zlib.compress`.
    private static let zlib: [UInt8] = [
        0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x27, 0xB9, 0x30, 0x44, 0x08, 0x88,
        0x03, 0x00, 0xC6, 0xB7, 0x1A, 0x2F,
    ]
    /// A hundred thousand zeros by `gzip.compress(mtime=0)`, with a name of a file in the header.
    private static let zeros: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x08, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0x7A, 0x65, 0x72, 0x6F, 0x73, 0x2E,
        0x62, 0x69, 0x6E, 0x00, 0xED, 0xC1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D,
        0x0D, 0x0F, 0xA0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x80, 0x57, 0x03, 0x7D, 0x95, 0x11, 0xD4, 0xA0, 0x86, 0x01, 0x00,
    ]
    private let text = Array(String(repeating: "hello hello hello hello\n", count: 3).utf8)

    private func source(_ coding: String, _ bytes: [UInt8], step: Int = 1000, limit: Int = 1 << 20) -> HTTPSource {
        let pieces = stride(from: 0, to: bytes.count, by: step).map { Array(bytes[$0..<min($0 + step, bytes.count)]) }
        let fields: HeaderFields = ["Content-Encoding": coding, "Content-Length": "\(bytes.count)"]
        return HTTPSource.make(ScriptedTransport(.make(200, fields, pieces))) { $0.maxByteCount = limit }
    }

    @Test(arguments: [1, 3, 7, 1000]) func codingsThatNobodyAskedForAreUndone(_ step: Int) async throws {
        #expect(try await source("gzip", Self.gzip, step: step).bytes(address) == text)
        #expect(try await source("X-GZIP", Self.gzip, step: step).bytes(address) == text)
        #expect(try await source("deflate", Self.zlib, step: step).bytes(address) == text)
        #expect(try await source("identity", text, step: step).bytes(address) == text)
        #expect(try await source("gzip", Self.zeros, step: step).bytes(address) == Array(repeating: 0, count: 100_000))
    }

    @Test func unpackedBytesAreCounted() async {
        let failure = await source("gzip", Self.zeros, limit: 99_999).failure()
        #expect(failure?.reason == .tooLarge(limit: 99_999))
        #expect(failure?.detail == "unpacked")
    }

    @Test func everyPrefixAndEveryDamageIsAnError() async {
        for count in 0..<Self.gzip.count {
            #expect(await source("gzip", Array(Self.gzip.prefix(count))).failure() != nil, "\(count)")
        }
        // Bytes 3 to 9 say what nothing depends on: whether it is text, when it was made, and on which system.
        for index in Self.gzip.indices where !(3...9).contains(index) {
            var bytes = Self.gzip
            bytes[index] ^= 1
            #expect(await source("gzip", bytes).failure() != nil, "\(index)")
        }
    }

    @Test(arguments: ["br", "zstd", "gzip, gzip"]) func otherCodingsAreRefused(_ coding: String) async {
        #expect(await source(coding, [1]).failure()?.reason == .refused("content coding \(coding)"))
    }
}
