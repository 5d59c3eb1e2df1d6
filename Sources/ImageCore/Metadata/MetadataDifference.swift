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

    /// Whether blocks of a kind go: they say something else, or nothing is to be said. What readers pass over, as damaged blocks, goes then
    /// too.
    package func removes<T: Equatable>(_ property: KeyPath<ImageMetadata, T?>) -> Bool {
        changes(property) || after[keyPath: property] == nil
    }

    /// The same for what there are several of.
    package func removes<T: Equatable>(_ property: KeyPath<ImageMetadata, [T]>) -> Bool {
        changes(property) || after[keyPath: property].isEmpty
    }

    /// The same for EXIF blocks.
    package var removesExif: Bool { changesExif || after.exif == nil }

    /// Whether the EXIF block differs, of which the orientation is a part.
    package var changesExif: Bool { changes(\.exif) || changes(\.orientation) }
}
