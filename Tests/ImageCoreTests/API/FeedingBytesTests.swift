import ImageCodecsCore
import Testing

@Suite struct FeedingBytesTests {
    private func decoder() -> any IncrementalImageDecoder {
        StubProgressiveCoder(stub: StubCoder(name: 1)).makeIncrementalDecoder(options: .default)
    }

    private func pixels(of decoder: any IncrementalImageDecoder) throws -> [UInt8]? {
        var decoder = decoder
        return try decoder.image()?.bitmap.packedBytes()
    }

    @Test func arraysAreFed() throws {
        var decoder = decoder()
        try decoder.append(Array("STUB".utf8))
        #expect(try decoder.append([1, 2, 3]).consumedByteCount == 7)
        #expect(try pixels(of: decoder) == [1, 2, 3])
    }

    @Test func anySequenceOfBytesIsFed() throws {
        var decoder = decoder()
        try decoder.append(contentsOf: "STUB".utf8)
        try decoder.append(contentsOf: [9, 1, 2, 9][1...2])
        // Not in memory one after the other.
        try decoder.append(contentsOf: (3...5).lazy.map { UInt8($0) })
        try decoder.append(contentsOf: EmptyCollection())
        try decoder.append(contentsOf: CollectionOfOne(6))
        #expect(try pixels(of: decoder) == [1, 2, 3, 4, 5, 6])
    }

    @Test func errorsAreThoseOfTheDecoder() {
        var decoder = CoderRegistry().makeIncrementalDecoder(options: .default)
        #expect(throws: ImageError.unknownFormat) {
            try decoder.append(contentsOf: (0..<64).lazy.map { UInt8($0) })
        }
    }
}
