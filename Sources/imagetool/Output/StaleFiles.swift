// What earlier runs left behind where results go, if they were killed while they wrote.

import ImageCodecs
import Synchronization

/// Files that were half written when their process ended without a chance to remove them.
enum StaleFiles {
    private static let seen = Mutex<Set<String>>([])

    /// Removes those in a folder, the first time that it is named.
    static func remove(from folder: String) {
        guard seen.withLock({ $0.insert(folder).inserted }) else { return }
        for name in Folder.names(in: folder) ?? [] where TemporaryFiles.isStale(name) {
            TemporaryFiles.unlinkFile(FilePath.join(folder, name))
        }
    }
}
