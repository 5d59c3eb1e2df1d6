import APNGCodec
import CodecTestSupport
import ImageCodecsCore
import Testing

/// Image data whose rows are made on a second thread.
@Suite struct APNGThreadTests {
    /// A picture of 20x9 pixels and a frame of the same size after it; one row of the picture has a wrong filter type.
    private func file(wrongRow: Int, isFrame: Bool) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(wrongRow))
        let (width, height) = (20, 9)
        func lines(_ wrong: Int?) -> [UInt8] {
            (0..<height).flatMap { (row: Int) -> [UInt8] in
                [row == wrong ? 9 : UInt8(row % 5)] + random.bytes(3 * width)
            }
        }
        func control(_ number: UInt32) -> [UInt8] {
            PNGBuilder.bigEndian(number) + PNGBuilder.bigEndian(UInt32(width)) + PNGBuilder.bigEndian(UInt32(height))
                + PNGBuilder.bigEndian(0) + PNGBuilder.bigEndian(0) + [0, 1, 0, 10, 0, 0]
        }
        var builder = PNGBuilder()
        builder.addHeader(width: width, height: height)
        builder.add("acTL", PNGBuilder.bigEndian(isFrame ? 2 : 1) + PNGBuilder.bigEndian(0))
        if isFrame { builder.add("fcTL", control(0)) }
        builder.add("IDAT", PNGBuilder.stored(lines(wrongRow)))
        let number: UInt32 = isFrame ? 1 : 0
        builder.add("fcTL", control(number))
        builder.add("fdAT", PNGBuilder.bigEndian(number + 1) + PNGBuilder.stored(lines(nil)))
        builder.add("IEND")
        return builder.bytes
    }

    private func report(_ file: [UInt8], threads: Int) throws -> (PartialReport?, Int) {
        var options = DecodingOptions.default
        options.strictness = .tolerant
        options.maxThreadCount = threads
        return try SecondThread.isForAll.withValue(threads > 1) {
            let image = try APNGCoder().decode(ImageData(file), options: options)
            return (image.partial, image.animation?.frames.count ?? 0)
        }
    }

    /// What is wrong with a row is known before the frame after it begins, whether or not the picture is a frame.
    @Test(arguments: 1..<9, [true, false])
    func aWrongRowEndsThePictureAndNotTheFile(_ row: Int, _ isFrame: Bool) throws {
        let file = file(wrongRow: row, isFrame: isFrame)
        let (one, oneCount) = try report(file, threads: 1)
        let (two, twoCount) = try report(file, threads: 2)
        #expect(one?.rows == [0..<row])
        // The frame after the damage is whole.
        #expect(one?.frames == PartialReport.Progress(done: 1, total: isFrame ? 2 : 1))
        #expect(one?.frameDamages.map(\.index) == (isFrame ? [0] : []))
        #expect(two == one)
        #expect(twoCount == oneCount)
    }

    /// Rows that waited when a chunk with a wrong checksum began count as far as they were made, in one shot as in pieces.
    @Test func aWrongRowBeforeAWrongChecksumEndsTheRows() throws {
        var random = SeededRandom(seed: 3)
        let lines = (0..<12).flatMap { (row: Int) -> [UInt8] in [row == 1 ? 9 : 0] + random.bytes(3 * 4) }
        let stream = PNGBuilder.stored(lines)
        var builder = PNGBuilder()
        builder.addHeader(width: 4, height: 12)
        builder.add("acTL", PNGBuilder.bigEndian(1) + PNGBuilder.bigEndian(0))
        for start in stride(from: 0, to: stream.count, by: 5) {
            // Five rows are there before it.
            builder.add(
                "IDAT", Array(stream[start..<min(start + 5, stream.count)]), flippedChecksumBits: start == 75 ? 1 : 0)
        }
        builder.add("IEND")
        var options = DecodingOptions.default
        options.strictness = .tolerant
        let whole = try APNGCoder().decode(ImageData(builder.bytes), options: options)
        #expect(whole.partial?.rows == [0..<1])
        let pieces = try APNGCoder().decode(builder.bytes, inPiecesOf: 7, options: options)
        #expect(pieces?.partial?.rows == [0..<1])
    }
}
