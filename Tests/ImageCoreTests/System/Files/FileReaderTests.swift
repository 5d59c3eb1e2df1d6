import CodecTestSupport
import Foundation
import ImageCodecsCore
import Testing

@Suite struct FileReaderTests {
    /// Calls `body` with the path of a file that holds `bytes`.
    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("file-reader-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url.path)
    }

    /// Calls `body` with the path of a pipe that delivers `pieces` one by one.
    private func withPipe(_ pieces: [[UInt8]], _ body: (String) throws -> Void) rethrows {
        let pipe = Pipe()
        let writer = Thread {
            for piece in pieces {
                pipe.fileHandleForWriting.write(Data(piece))
                Thread.sleep(forTimeInterval: 0.002)
            }
            try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        try body("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
    }

    private func pieces(_ reader: inout FileReader, of count: Int) throws(ImageError) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        try reader.forEachPiece(of: count) { (piece) throws(ImageError) in pieces.append(Array(piece)) }
        return pieces
    }

    @Test(arguments: [1, 7, 1000, 65_536, 100_000, 1_000_000, Int.max])
    func piecesAreAsLongAsAskedForAndTheLastOneIsTheRest(_ count: Int) throws {
        var random = SeededRandom(seed: 3)
        let bytes = random.bytes(150_001)
        try withFile(bytes) { path in
            var reader = try FileReader(path, maxByteCount: .max)
            let pieces = try pieces(&reader, of: count)
            #expect(pieces.dropLast().allSatisfy { $0.count == count })
            #expect(pieces.last.map { $0.count <= count && !$0.isEmpty } == true)
            #expect(Array(pieces.joined()) == bytes)
            #expect(reader.byteCount == bytes.count)
        }
    }

    @Test func piecesOfAPipeAreCutTheSameWhateverItDeliversAtOnce() throws {
        var random = SeededRandom(seed: 4)
        let bytes = random.bytes(5000)
        let delivered = stride(from: 0, to: 5000, by: 333).map { Array(bytes[$0..<min($0 + 333, 5000)]) }
        try withPipe(delivered) { path in
            var reader = try FileReader(path, maxByteCount: .max)
            #expect(reader.regularFileSize == nil)
            let pieces = try pieces(&reader, of: 1024)
            #expect(pieces.map(\.count) == [1024, 1024, 1024, 1024, 904])
            #expect(Array(pieces.joined()) == bytes)
        }
    }

    @Test(arguments: [0, 1, 100, 300])
    func whatWasLookedAtIsStillToBeRead(_ count: Int) throws {
        var random = SeededRandom(seed: 5)
        let bytes = random.bytes(count)
        try withFile(bytes) { path in
            var reader = try FileReader(path, maxByteCount: .max)
            #expect(try reader.peek(256) == Array(bytes.prefix(256)))
            #expect(try reader.peek(10) == Array(bytes.prefix(10)))
            #expect(try reader.readToEnd().withBytes { Array($0) } == bytes)
            var other = try FileReader(path, maxByteCount: .max)
            _ = try other.peek(256)
            #expect(try Array(pieces(&other, of: 99).joined()) == bytes)
        }
    }

    @Test func aFileOverTheLimitIsRefusedBeforeItIsRead() throws {
        try withFile(Array(repeating: 1, count: 1000)) { path in
            #expect(throws: ImageError.limitExceeded(.input, requested: 1000, allowed: 999)) {
                _ = try FileReader(path, maxByteCount: 999)
            }
            #expect(throws: ImageError.self) { _ = try FileReader(path, maxByteCount: .min) }
        }
    }

    @Test func aDeviceIsReadOneByteBeyondTheLimitAtMost() throws {
        for limit in [0, 1, 1000, 65_536, 1 << 20] {
            let refusal = ImageError.limitExceeded(.input, requested: limit + 1, allowed: limit)
            var whole = try FileReader("/dev/zero", maxByteCount: limit)
            #expect(throws: refusal) { try whole.readToEnd() }
            #expect(whole.readCount == limit + 1)
            // The refusal is permanent.
            #expect(throws: refusal) { try whole.readToEnd() }
            var piecewise = try FileReader("/dev/zero", maxByteCount: limit)
            #expect(throws: refusal) { try pieces(&piecewise, of: 777) }
            #expect(piecewise.readCount == limit + 1)
        }
    }

    @Test func aPipeMayBeExactlyAsLongAsTheLimit() throws {
        let bytes = [UInt8](repeating: 9, count: 70_000)
        try withPipe([bytes]) { path in
            var reader = try FileReader(path, maxByteCount: 70_000)
            #expect(try reader.readToEnd().withBytes { Array($0) } == bytes)
        }
        withPipe([bytes]) { path in
            #expect(throws: ImageError.limitExceeded(.input, requested: 70_000, allowed: 69_999)) {
                var reader = try FileReader(path, maxByteCount: 69_999)
                _ = try reader.readToEnd()
            }
        }
    }

    @Test func aFileThatGrewIsReadToItsEnd() throws {
        try withFile([1, 2, 3]) { path in
            var reader = try FileReader(path, maxByteCount: .max)
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.seekToEnd()
            file.write(Data([4, 5, 6, 7]))
            try file.close()
            #expect(try reader.readToEnd().withBytes { Array($0) } == [1, 2, 3, 4, 5, 6, 7])
        }
    }

    @Test func aFileThatShrankEndsWhereItEnds() throws {
        try withFile(Array(repeating: 1, count: 100_000)) { path in
            var reader = try FileReader(path, maxByteCount: .max)
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 10)
            try file.close()
            #expect(try reader.readToEnd().count == 10)
        }
    }

    @Test func filesWithoutASizeOfTheirOwnAreRead() throws {
        // A regular file that says it has no byte.
        #if os(Linux)
        #expect(try ImageData(contentsOfFile: "/proc/self/status").count > 100)
        #endif
    }

    @Test func moreThanThereIsMemoryIsAnErrorAndNotTheEnd() throws {
        try withFile([1]) { path in
            let file = try #require(FileHandle(forWritingAtPath: path))
            // A hole: no byte of it takes room on the disk.
            try file.truncate(atOffset: 1 << 43)
            try file.close()
            var reader = try FileReader(path, maxByteCount: .max)
            let error = #expect(throws: ImageError.self) { try reader.readToEnd() }
            guard case .limitExceeded(.memory, _, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
