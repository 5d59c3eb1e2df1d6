// Finds the small files of Tests/Fixtures.

public import Foundation

/// One picture of `Tests/Fixtures/<format>` with what an independent decoder makes of it.
public struct Fixture: Sendable, CustomStringConvertible {
    /// The file's name.
    public let name: String
    /// The file itself.
    public let url: URL
    /// Width in pixels; `nil` for damaged files.
    public let width: Int?
    /// Height in pixels; `nil` for damaged files.
    public let height: Int?
    /// zlib's CRC-32 of the straight RGBA bytes, eight hexadecimal digits; `nil` for damaged files.
    public let crc: String?
    /// The code of the error that a damaged file has to give.
    public let errorCode: String?

    /// The file's name.
    public var description: String { name }

    private struct Expectation: Decodable {
        var width: Int?
        var height: Int?
        var rgbaCRC32: String?
        var error: String?
    }

    /// The folder with the fixtures of a format.
    public static func folder(_ format: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures").appendingPathComponent(format)
    }

    /// Every fixture of a format, by name; none if `expected.json` is missing.
    public static func all(_ format: String) -> [Fixture] {
        let folder = folder(format)
        guard let data = try? Data(contentsOf: folder.appendingPathComponent("expected.json")),
            let table = try? JSONDecoder().decode([String: Expectation].self, from: data)
        else { return [] }
        return table.sorted { $0.key < $1.key }.map { name, expected in
            Fixture(
                name: name, url: folder.appendingPathComponent(name), width: expected.width, height: expected.height,
                crc: expected.rgbaCRC32, errorCode: expected.error)
        }
    }

    /// The fixtures that decode.
    public static func sound(_ format: String) -> [Fixture] { all(format).filter { $0.crc != nil } }

    /// The fixtures that are damaged.
    public static func damaged(_ format: String) -> [Fixture] { all(format).filter { $0.errorCode != nil } }
}
