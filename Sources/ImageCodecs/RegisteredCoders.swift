// The registry that knows every coder of this package.

import ImageColor

extension CoderRegistry {
    /// Every coder of this package; asked by `RasterImage` and `ImageInfo` when they are made from a file or bytes.
    ///
    /// The one piece of global state. A coder added here is asked before all others, everywhere in the
    /// process; make a registry of your own to keep it to yourself.
    public static let shared = CoderRegistry(builtInCoders, colorConverter: .profiles)

    /// One of each coder; the first of the list is asked last.
    private static var builtInCoders: [any ImageCoder] {
        [WebPCoder(), GIFCoder(), PNGCoder(), JPEGCoder(), APNGCoder()]
    }
}
