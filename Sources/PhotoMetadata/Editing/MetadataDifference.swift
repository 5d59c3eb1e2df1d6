// What differs between the metadata of a file and those it is to have.

package import ImageCodecsCore

/// Two descriptions of a picture, for coders that replace only what differs.
package struct MetadataDifference {
    package let before: ImageMetadata
    package let after: ImageMetadata
    /// Found once: a file may have many small chunks, and asks for each.
    private let changed: Set<ImageMetadata.Kind>

    package init(from before: ImageMetadata, to after: ImageMetadata) {
        (self.before, self.after) = (before, after)
        changed = Set(ImageMetadata.Kind.allCases.filter { !before.equals(after, in: $0) })
    }

    /// Whether a kind differs.
    package func changes(_ kind: ImageMetadata.Kind) -> Bool { changed.contains(kind) }
}
