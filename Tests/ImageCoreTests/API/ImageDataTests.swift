import CodecTestSupport
import Foundation
import ImageCodecsCore
import Testing

@Suite struct ImageDataTests {
    /// Calls `body` with the path of a file that holds `bytes`.
    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("image-data-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url.path)
    }

    private func contents(_ data: ImageData) -> [UInt8] { data.withBytes { Array($0) } }

    @Test(arguments: [ImageData.FileAccess.read, .mapped], [0, 1, 65_535, 65_536, 65_537, 300_000])
    func filesAreReadWhole(_ access: ImageData.FileAccess, count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        let bytes = random.bytes(count)
        try withFile(bytes) { path in
            let data = try ImageData(contentsOfFile: path, access: access)
            #expect(data.count == count)
            #expect(contents(data) == bytes)
        }
    }

    @Test(arguments: [ImageData.FileAccess.read, .mapped])
    func longerFilesThanAllowedAreRefused(_ access: ImageData.FileAccess) throws {
        try withFile(Array(repeating: 1, count: 1000)) { path in
            #expect(throws: ImageError.limitExceeded(.input, requested: 1000, allowed: 999)) {
                try ImageData(contentsOfFile: path, access: access, maxByteCount: 999)
            }
            let data = try ImageData(contentsOfFile: path, access: access, maxByteCount: 1000)
            #expect(data.count == 1000)
        }
    }

    @Test(arguments: [ImageData.FileAccess.read, .mapped])
    func pipesAreReadToTheirEnd(_ access: ImageData.FileAccess) async throws {
        var random = SeededRandom(seed: 1)
        let bytes = random.bytes(200_000)
        let pipe = Pipe()
        let writer = Thread {
            pipe.fileHandleForWriting.write(Data(bytes)); try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        #expect(contents(try ImageData(contentsOfFile: path, access: access)) == bytes)
    }

    @Test func endlessInputStopsAtTheLimit() {
        for access in [ImageData.FileAccess.read, .mapped] {
            #expect(throws: ImageError.limitExceeded(.input, requested: (1 << 20) + 1, allowed: 1 << 20)) {
                try ImageData(contentsOfFile: "/dev/zero", access: access, maxByteCount: 1 << 20)
            }
        }
    }

    @Test func absentFilesAndFoldersSayWhy() {
        #expect(throws: ImageError.inputOutput(path: "/nowhere/at all", message: "No such file or directory")) {
            try ImageData(contentsOfFile: "/nowhere/at all")
        }
        for access in [ImageData.FileAccess.read, .mapped] {
            #expect(throws: ImageError.inputOutput(path: "/", message: "is a directory")) {
                try ImageData(contentsOfFile: "/", access: access)
            }
        }
    }

    @Test func bytesAreWrappedOrCopied() {
        let bytes: [UInt8] = [1, 2, 3]
        #expect(contents(ImageData(bytes)) == bytes)
        let copy = ImageData(copying: bytes.span)
        #expect(contents(copy) == bytes)
        #expect(contents([1, 2, 3]) == bytes)
        #expect(ImageData([]).count == 0)
    }
}
