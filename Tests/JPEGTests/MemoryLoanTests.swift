import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import Testing

/// Decoding into memory of the caller while a second thread reconstructs rows.
@Suite struct MemoryLoanTests {
    private let file = GrayPicture.jpeg(width: 1300, height: 900)
    private let registry = CoderRegistry([JPEGCoder()])

    private func decode(
        _ bytes: [UInt8], into memory: inout [UInt8], _ options: DecodingOptions
    ) throws(ImageError) -> PartialReport? {
        try memory.withMutableRawSpan { pixels in
            Result { () throws(ImageError) in
                try registry.decode(ImageData(bytes), into: &pixels, bytesPerRow: 1303, options: options)
            }
        }.get()
    }

    @Test(arguments: [1, 2])
    func rowsOfTwoThreadsLeaveThePaddingAlone(_ threadCount: Int) throws {
        var options = DecodingOptions()
        options.pixelFormat = .gray
        options.maxThreadCount = threadCount
        let expected = try JPEGCoder().decode(ImageData(file), options: options).bitmap
        var memory = [UInt8](repeating: 3, count: 900 * 1303)
        #expect(expected.size == PixelSize(width: 1300, height: 900))
        #expect(try decode(file, into: &memory, options) == nil)
        var isSame = true
        for y in 0..<900 {
            let row = expected.withRow(y) { row in row.indices.map { row[$0] } }
            isSame = isSame && Array(memory[y * 1303..<(y + 1) * 1303]) == row + [3, 3, 3]
        }
        #expect(isSame)
    }

    /// The decoder gives the memory back when it throws, too: who kept it would end the program.
    @Test(arguments: [1, 2])
    func damageEndsTheLoan(_ threadCount: Int) throws {
        let cut = Array(file[..<(file.count * 2 / 3)])
        var options = DecodingOptions()
        options.pixelFormat = .gray
        options.maxThreadCount = threadCount
        var memory = [UInt8](repeating: 3, count: 900 * 1303)
        let error = #expect(throws: ImageError.self) { try decode(cut, into: &memory, options) }
        #expect(error?.code == "truncated")
        options.strictness = .tolerant
        #expect(try decode(cut, into: &memory, options) != nil)
    }
}
