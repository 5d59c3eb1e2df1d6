// Finds the small animations of Tests/Fixtures.

public import Foundation

/// One file of `Tests/Fixtures/gif` or `apng` with what an independent decoder makes of it; keys that a file lacks are
/// `nil` (see the READMEs there).
public struct AnimationFixture: Sendable, CustomStringConvertible {
    /// What `expected.json` says about a file.
    public struct Expectation: Decodable, Sendable {
        /// Columns of the canvas.
        public var width: Int?
        /// Rows of the canvas.
        public var height: Int?
        /// Total number of plays, 0 for ever; `nil` for stills.
        public var loop: Int?
        /// How long each frame is shown; `nil` for stills.
        public var durationsMS: [Int]?
        /// zlib's CRC-32 of the straight RGBA bytes of each frame, colour 0 if alpha is 0.
        public var frameCRC32: [String]?
        /// The same of the first picture.
        public var rgbaCRC32: String?
        /// The code of the error that a damaged file has to give.
        public var error: String?
    }

    /// The file's name.
    public let name: String
    /// The file itself.
    public let url: URL
    /// What is expected of a decoder.
    public let expected: Expectation

    /// The file's name.
    public var description: String { name }

    /// The file's bytes.
    public func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }

    /// Every fixture of a format, by name; none if `expected.json` is missing.
    public static func all(_ format: String) -> [AnimationFixture] {
        let folder = Fixture.folder(format)
        guard let data = try? Data(contentsOf: folder.appendingPathComponent("expected.json")),
            let table = try? JSONDecoder().decode([String: Expectation].self, from: data)
        else { return [] }
        return table.sorted { $0.key < $1.key }.map { name, expected in
            AnimationFixture(name: name, url: folder.appendingPathComponent(name), expected: expected)
        }
    }

    /// The fixtures that decode.
    public static func sound(_ format: String) -> [AnimationFixture] {
        all(format).filter { $0.expected.error == nil }
    }

    /// The fixtures that are damaged.
    public static func damaged(_ format: String) -> [AnimationFixture] {
        all(format).filter { $0.expected.error != nil }
    }

    /// The fixture of a name.
    public static func named(_ name: String, _ format: String) throws -> [UInt8] {
        try FixtureBytes.read("\(format)/\(name)")
    }
}
