// The picture files below a folder, in the order of their paths.

import ImageCodecs

/// Finds files by their extensions: those of every image format this package can name, whether or not it decodes it.
///
/// Hidden files and folders are passed over, and so are links to folders, so that no circle can be run through. Of the
/// folder for the results nothing is taken, wherever it is.
struct FolderWalk {
    private let excluded: FileStatus.Identity?

    private static let extensions = Set(
        ImageFormat.all.filter { $0 != .pdf && $0 != .svg }.flatMap(\.fileExtensions))

    /// - Parameter excluded: a folder that is not looked into.
    init(excluding excluded: String?) {
        self.excluded = excluded.flatMap { FileStatus(ofFileAt: $0) }?.identity
    }

    /// The files below the folder at `root`.
    func files(below root: String) -> [InputFile] {
        var found: [InputFile] = []
        var waiting = [""]
        while let folder = waiting.popLast() {
            let path = folder.isEmpty ? root : FilePath.join(root, folder)
            guard let names = Folder.names(in: path) else {
                let problem = ImageError.inputOutput(path: path, message: "cannot list this folder")
                found.append(InputFile(path: path, folder: folder, problem: problem))
                continue
            }
            for name in names where !name.hasPrefix(".") {
                let file = FilePath.join(path, name)
                guard let status = FileStatus(ofFileAt: file) else {
                    if let problem = Self.problem(file, name) {
                        found.append(InputFile(path: file, folder: folder, problem: problem))
                    }
                    continue
                }
                switch status.kind {
                case .regular where Self.isPicture(name): found.append(InputFile(path: file, folder: folder))
                case .directory where status.identity != excluded && !FileDetails.isLink(file):
                    waiting.append(FilePath.join(folder, name))
                case .regular, .directory, .other: break
                }
            }
        }
        return found.sorted { Self.isBefore($0.path, $1.path) }
    }

    /// Why nothing is found under a name that the folder has; `nil` for links that are not called like pictures.
    private static func problem(_ file: String, _ name: String) -> ImageError? {
        guard FileDetails.isLink(file) else {
            return .inputOutput(path: file, message: "cannot look at this")
        }
        return isPicture(name) ? .inputOutput(path: file, message: "is a link to nothing") : nil
    }

    /// By bytes, so that the order is the same everywhere; a folder's files stand together.
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.split(separator: "/"), right.split(separator: "/"))
        for (one, other) in zip(left, right) where one != other {
            return one.utf8.lexicographicallyPrecedes(other.utf8)
        }
        return left.count < right.count
    }

    private static func isPicture(_ name: String) -> Bool {
        FilePath.splitExtension(name).fileExtension.map { extensions.contains($0.lowercased()) } ?? false
    }
}
