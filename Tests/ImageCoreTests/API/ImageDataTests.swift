import CodecTestSupport
import Foundation
import ImageCodecsCore
import Synchronization
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

    @Test func anySequenceOfBytesWillDo() {
        #expect(contents(ImageData([1, 2, 3])) == [1, 2, 3])
        #expect(contents(ImageData(AnySequence<UInt8>([1, 2, 3]))) == [1, 2, 3])
        #expect(contents(ImageData(repeatElement(7, count: 2))) == [7, 7])
        #expect(contents(ImageData(Data([4, 5, 6])[1...])) == [5, 6])
        let all: [UInt8] = [1, 2, 3, 4, 5]
        #expect(contents(ImageData(all[1..<4])) == [2, 3, 4])
        #expect(contents(ImageData(all[2..<2])) == [])
    }

    /// Memory that says where it is and when it goes.
    private final class Owner: Sendable {
        let bytes: [UInt8]
        let whenGone: @Sendable () -> Void

        init(_ bytes: [UInt8], whenGone: @escaping @Sendable () -> Void) {
            (self.bytes, self.whenGone) = (bytes, whenGone)
        }

        deinit { whenGone() }
    }

    @Test func anOwnerLendsItsBytesAndIsKept() throws {
        let goneCount = Mutex(0)
        var data: ImageData? = ImageData(borrowing: Owner([9, 8, 7], whenGone: { goneCount.withLock { $0 += 1 } })) {
            owner, body in
            let bytes = owner.bytes[...]
            body(bytes.span)
        }
        #expect(data?.count == 3)
        #expect(data.map(contents) == [9, 8, 7])
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try data?.withBytes { (_) throws(Refusal) -> Int in throw Refusal() } }
        #expect(goneCount.withLock { $0 } == 0)
        data = nil
        #expect(goneCount.withLock { $0 } == 1)
    }

    @Test func slicesAndOwnersAreNotCopied() {
        func address(_ bytes: Span<UInt8>) -> Int {
            unsafe bytes.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
        }
        let slice = (0..<100).map { UInt8($0) }[20..<30]
        let place = address(slice.span)
        #expect(ImageData(slice).withBytes(address) == place)
        #expect(ImageData(borrowing: slice) { $1($0.span) }.withBytes(address) == place)
    }

    @Test func anOwnerThatDoesNotKeepTheRulesEndsTheProgram() async {
        await #expect(processExitsWith: .failure) { ImageData(borrowing: 1) { _, _ in }.withBytes { _ in } }
        await #expect(processExitsWith: .failure) {
            let bytes: ArraySlice<UInt8> = [1]
            ImageData(borrowing: bytes) {
                $1($0.span); $1($0.span)
            }.withBytes { _ in }
        }
    }

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
