import CodecTestSupport
import Foundation
import ImageCodecsCore
import Testing

/// How `ImageData.write(toFile:)` treats what is there already.
@Suite struct FileReplacementTests {
    private let old: [UInt8] = [1, 2, 3]
    private let new = ImageData([4, 5, 6, 7])

    /// Calls `body` with a folder of its own.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("replacing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func permissions(_ file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test func aNewFileHasThePermissionsOfTheProcess() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("a.png")
            try new.write(toFile: file.path)
            #expect(Array(try Data(contentsOf: file)) == [4, 5, 6, 7])
            let reference = folder.appendingPathComponent("reference")
            #expect(FileManager.default.createFile(atPath: reference.path, contents: nil))
            #expect(try permissions(file) == (try permissions(reference)))
            #expect(try names(folder) == ["a.png", "reference"])
        }
    }

    @Test func aFileInPiecesIsThereAsAWholeOrNotAtAll() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("a.raw")
            try Data(old).write(to: file)
            #expect(throws: ImageError.cancelled) {
                try FileReplacement.write(to: file.path) { (pieces) throws(ImageError) in
                    try [UInt8]([9, 9]).withSpan { (bytes) throws(ImageError) in try pieces.write(bytes) }
                    throw .cancelled
                }
            }
            #expect(Array(try Data(contentsOf: file)) == old)
            #expect(try names(folder) == ["a.raw"])
            try FileReplacement.write(to: file.path) { (pieces) throws(ImageError) in
                for byte: UInt8 in 4...6 {
                    try [byte].withSpan { (bytes) throws(ImageError) in try pieces.write(bytes) }
                }
            }
            #expect(Array(try Data(contentsOf: file)) == [4, 5, 6])
            #expect(try names(folder) == ["a.raw"])
        }
    }

    @Test(arguments: [0o600, 0o640, 0o664, 0o755])
    func aReplacedFileKeepsItsPermissions(_ mode: Int) throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("a.png")
            try Data(old).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            try new.write(toFile: file.path)
            #expect(Array(try Data(contentsOf: file)) == [4, 5, 6, 7])
            #expect(try permissions(file) == mode)
            #expect(try names(folder) == ["a.png"])
        }
    }

    @Test func theOldFileIsReplacedAndNotChanged() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("a.png")
            try Data(old).write(to: file)
            let reader = try FileHandle(forReadingFrom: file)
            try FileManager.default.linkItem(at: file, to: folder.appendingPathComponent("other name"))
            try new.write(toFile: file.path)
            // Who has the old file open, or knows it under another name, still has all of it.
            #expect(try reader.readToEnd().map { Array($0) } == old)
            #expect(Array(try Data(contentsOf: folder.appendingPathComponent("other name"))) == old)
        }
    }

    @Test func symbolicLinksAreFollowed() throws {
        try withFolder { folder in
            let inner = folder.appendingPathComponent("inner")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
            try Data(old).write(to: inner.appendingPathComponent("a.png"))
            let link = folder.appendingPathComponent("link.png").path
            let chain = folder.appendingPathComponent("chain.png").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "inner/a.png")
            try FileManager.default.createSymbolicLink(atPath: chain, withDestinationPath: link)
            try new.write(toFile: chain)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: chain) == link)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "inner/a.png")
            #expect(Array(try Data(contentsOf: inner.appendingPathComponent("a.png"))) == [4, 5, 6, 7])
            #expect(try names(inner) == ["a.png"])
        }
    }

    @Test func aLinkToNothingCreatesWhatItNames() throws {
        try withFolder { folder in
            let link = folder.appendingPathComponent("link.png").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.png")
            try new.write(toFile: link)
            #expect(Array(try Data(contentsOf: folder.appendingPathComponent("a.png"))) == [4, 5, 6, 7])
            #expect(try names(folder) == ["a.png", "link.png"])
        }
    }

    @Test func linksInACircleAreAnError() throws {
        try withFolder { folder in
            let link = folder.appendingPathComponent("link.png").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "link.png")
            let error = #expect(throws: ImageError.self) { try new.write(toFile: link) }
            #expect(error?.code == "inputOutput")
        }
    }

    @Test func devicesAreWrittenToDirectly() throws {
        try new.write(toFile: "/dev/null")
        let type = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
        #expect(type != .typeRegular)
    }

    @Test func pipesAreWrittenToDirectly() throws {
        let pipe = Pipe()
        try new.write(toFile: "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)")
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd().map { Array($0) } == [4, 5, 6, 7])
    }

    @Test func aFullDeviceIsAnError() {
        #if os(Linux)
        #expect(throws: ImageError.inputOutput(path: "/dev/full", message: "No space left on device")) {
            try new.write(toFile: "/dev/full")
        }
        #endif
    }

    @Test func aMissingFolderAndAFolderAsTargetAreErrorsThatNameTheTarget() throws {
        try withFolder { folder in
            let missing = folder.appendingPathComponent("missing/a.png").path
            #expect(throws: ImageError.inputOutput(path: missing, message: "No such file or directory")) {
                try new.write(toFile: missing)
            }
            #expect(throws: ImageError.inputOutput(path: folder.path, message: "Is a directory")) {
                try new.write(toFile: folder.path)
            }
            let left = try names(folder)
            #expect(left.isEmpty)
        }
    }
}
