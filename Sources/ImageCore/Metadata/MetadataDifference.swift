// What differs between the metadata of a file and those it is to have.

/// Two descriptions of a picture, for coders that replace only what differs.
package struct MetadataDifference {
    package let before: ImageMetadata
    package let after: ImageMetadata

    package init(from before: ImageMetadata, to after: ImageMetadata) {
        (self.before, self.after) = (before, after)
    }

    /// Whether a property differs.
    package func changes<T: Equatable>(_ property: KeyPath<ImageMetadata, T>) -> Bool {
        before[keyPath: property] != after[keyPath: property]
    }

    /// Whether the EXIF block differs, of which the orientation is a part.
    package var changesExif: Bool { changes(\.exif) || changes(\.orientation) }
}
