import Foundation
import ImageCaching
import ImageCodecsCore
import Synchronization

/// A folder that is removed afterwards.
struct CacheFolderForTests: ~Copyable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)")

    var path: String { url.path }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Every file below the folder but those of the cache itself.
    var files: [URL] {
        let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { file in
            var isFolder: ObjCBool = false
            return unsafe FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
                && !isFolder.boolValue
                && !["state", "index"].contains(file.lastPathComponent)
        }
    }

    /// Bytes of the blocks of those files.
    var allocatedByteCount: Int {
        files.reduce(0) { sum, file in
            var status = stat()
            guard unsafe stat(file.path, &status) == 0 else { return sum }
            return sum + Int(status.st_blocks) * 512
        }
    }
}

/// A clock that tests set.
final class SettableClock: Sendable {
    private let time = Mutex(Duration.seconds(1_800_000_000))

    func advance(by duration: Duration) { time.withLock { $0 += duration } }

    var clock: WallClock { WallClock { self.time.withLock { $0 } } }
}

extension DiskEntry {
    /// The bytes as an array.
    var array: [UInt8] { bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } } }

    init(_ bytes: [UInt8]) { self.init(bytes: ImageData(bytes)) }
}
