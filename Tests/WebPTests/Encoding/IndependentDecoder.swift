import Foundation
import Testing

/// libwebp's `dwebp`, if it is there (Debian: webp).
enum IndependentDecoder {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/dwebp" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Straight RGBA of a file, row by row.
    static func pixels(of file: [UInt8]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appendingPathComponent("a.webp"), folder.appendingPathComponent("a.pam"))
        try Data(file).write(to: input)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(path))
        process.arguments = ["-quiet", input.path, "-pam", "-o", output.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let data = try Data(contentsOf: output)
        let end = try #require(data.range(of: Data("ENDHDR\n".utf8)))
        return Array(data[end.upperBound...])
    }
}
