// Raw bytes of fixtures, also of those that are one zlib stream.

#if SystemZlib
internal import ImageCodecsZlib
#endif
internal import Foundation

/// Files below `Tests/Fixtures`.
public enum FixtureBytes {
    /// The bytes of a fixture.
    public static func read(_ path: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent("Fixtures").appendingPathComponent(path)))
    }

    /// The names of the files in a folder, in order.
    public static func names(in folder: String) -> [String] {
        let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = fixtures.appendingPathComponent("Fixtures").appendingPathComponent(folder).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// The content of a fixture that is one zlib stream of at most `limit` bytes.
    public static func inflate(_ path: String, limit: Int) throws -> [UInt8] {
        let compressed = try read(path)
        #if SystemZlib
        return unsafe [UInt8](unsafeUninitializedCapacity: limit) { target, count in
            var length = UInt(limit)
            // SAFETY: zlib reads `compressed.count` bytes and writes at most `limit`; it says how many.
            let status = unsafe compressed.withUnsafeBufferPointer { source in
                unsafe uncompress(target.baseAddress, &length, source.baseAddress, UInt(source.count))
            }
            count = status == Z_OK ? Int(length) : 0
        }
        #else
        return PlainInflate.inflate(compressed, limit: limit) ?? []
        #endif
    }
}
