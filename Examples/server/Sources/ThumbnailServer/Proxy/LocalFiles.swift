// Pictures of a folder, by addresses that begin with `local://`.

import ImageCodecs
import ImageLoading

/// Delivers the files below a folder, and nothing else: `local:///cats/1.jpg` is `cats/1.jpg` in it.
///
/// Links in the folder are followed: put none there that lead out of it.
struct LocalFiles: ImageSource {
    private static let prefix = "local://"
    private let root: String
    private let files = FileSource()

    /// - Parameter root: the folder.
    init(root: String) { self.root = root.hasPrefix("/") ? root : "./" + root }

    func handles(_ address: String) -> Bool { address.hasPrefix(Self.prefix) }
    var isLocal: Bool { true }
    func version(of address: String) -> String? { path(address).flatMap(files.version) }

    func open(_ address: String) async throws -> SourceResponse {
        guard let path = path(address) else {
            throw LoadError(stage: .transfer, address: address, reason: .notFound)
        }
        return try await files.open(path)
    }

    /// The path of a file in the folder; `nil` for paths upwards.
    private func path(_ address: String) -> String? {
        let path = address.dropFirst(Self.prefix.count)
        guard path.hasPrefix("/"), !path.split(separator: "/").contains(".."), !path.utf8.contains(0) else {
            return nil
        }
        return root + path
    }
}
