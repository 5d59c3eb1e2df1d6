// Finds the conformance corpus, which is not part of this repository.

public import Foundation

/// One file of the conformance corpus with what a correct decoder makes of it.
public struct CorpusEntry: Decodable, Sendable, CustomStringConvertible {
    /// What is expected of a decoder.
    public enum Expectation: String, Decodable, Sendable {
        /// Exactly these pixels.
        case decode
        /// An error.
        case reject
        /// An error, or a picture of the stated size.
        case any
    }

    /// Relative to the corpus.
    public let path: String
    /// `png`, `apng`, `gif`, `jpeg` or `webp`.
    public let format: String
    /// Tags taken from the file's structure.
    public let features: [String]
    /// What is expected of a decoder.
    public let expect: Expectation
    /// Columns of the canvas, if stated.
    public let width: Int?
    /// Rows of the canvas, if stated.
    public let height: Int?
    /// Number of frames, 1 for stills, if stated.
    public let frames: Int?
    /// Total number of plays, 0 for ever; `nil` if it is not animated.
    public let loop: Int?
    /// How long each frame is shown, as stored; `nil` if it is not animated.
    public let durationsMS: [Int]?
    /// zlib's CRC-32 of each frame's straight RGBA bytes, eight hexadecimal digits.
    public let crcs: [String]?
    /// The largest difference of a channel; above 0 the pixels are compared with `expectedPNG`.
    public let maxAbsoluteDifference: Int?
    /// Reference pictures, relative to the corpus.
    public let expectedPNG: [String]?

    private enum CodingKeys: String, CodingKey {
        case path, format, features, expect, width, height, frames, loop
        case durationsMS = "durations_ms"
        case crcs = "rgba_crc32"
        case maxAbsoluteDifference = "max_abs_diff"
        case expectedPNG = "expected_png"
    }

    /// The path, which is all a failing test has to say.
    public var description: String { path }
}

/// Where the conformance corpus is: `$IMAGE_CONFORMANCE_DIR`, or `../shared/conformance` beside the repository.
public enum Corpus {
    /// The corpus folder, `nil` when there is none.
    public static let directory: URL? = {
        let environment = ProcessInfo.processInfo.environment["IMAGE_CONFORMANCE_DIR"]
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder =
            environment.map { URL(fileURLWithPath: $0) }
            ?? root.deletingLastPathComponent().appendingPathComponent("shared/conformance")
        let manifest = folder.appendingPathComponent("manifest.jsonl")
        return FileManager.default.fileExists(atPath: manifest.path) ? folder : nil
    }()

    /// Every entry of the manifest, none without a corpus.
    public static let entries: [CorpusEntry] = {
        guard let directory,
            let text = try? String(contentsOf: directory.appendingPathComponent("manifest.jsonl"), encoding: .utf8)
        else { return [] }
        let decoder = JSONDecoder()
        return text.split(separator: "\n").map { line in
            // A manifest that cannot be read must fail loudly, not shorten the test.
            do { return try decoder.decode(CorpusEntry.self, from: Data(line.utf8)) } catch {
                fatalError("manifest: \(error)")
            }
        }
    }()

    /// Entries of one format.
    public static func entries(format: String) -> [CorpusEntry] { entries.filter { $0.format == format } }

    /// The bytes of a file of the corpus.
    public static func bytes(_ path: String) throws -> [UInt8] {
        guard let directory else { return [] }
        return [UInt8](try Data(contentsOf: directory.appendingPathComponent(path)))
    }

    /// The fuzzing seeds of a format, relative to the corpus.
    public static func fuzzSeeds(format: String) -> [String] {
        guard let directory else { return [] }
        let folder = "malformed/fuzz/\(format)"
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: directory.appendingPathComponent(folder).path)) ?? []
        return names.sorted().map { "\(folder)/\($0)" }
    }

    /// The sound files of a format: all of them in a release build, some in a debug build, if laws take longer.
    public static func lawFiles(format: String) -> [CorpusEntry] {
        let sound = entries(format: format).filter { $0.expect == .decode }
        #if DEBUG
        return sound.enumerated().filter { $0.offset % 9 == 0 }.map(\.element)
        #else
        return sound
        #endif
    }

    /// What a test prints when there is no corpus.
    public static let absence = "no conformance corpus: set IMAGE_CONFORMANCE_DIR to run these tests"
}
