// Text for tags that hold text, without naming the type of their values.

public import ImageCodecsCore

extension ExifEditor {
    /// Sets the text of a tag; a directory that is not there is made.
    ///
    /// ```swift
    /// try exif.set(.artist, to: "Ada")
    /// ```
    ///
    /// - Parameters:
    ///   - tag: one that the standard has text for, or one that it does not have.
    ///   - text: written as ``ExifValue/ascii(_:)``.
    /// - Throws: `invalidArgument` for a tag that the standard has values of another type for, and as ``set(_:to:)-(ExifTag,ExifValue)``.
    public mutating func set(_ tag: ExifTag, to text: String) throws(ImageError) {
        if let type = tag.valueType, type != .ascii {
            throw .invalidArgument("\(tag.name ?? "tag \(tag.number)") holds no text: its values are \(type)")
        }
        try set(tag, to: .ascii(text))
    }
}
