// What a reader of a picture's metadata does with them: EXIF data and profiles are bytes of the file.

package import ImageCodecsCore

extension HostileFileCheck {
    /// Any metadata can be looked at; EXIF data that are written again tell how to turn the pixels.
    mutating func metadata(_ image: RasterImage?) {
        guard let metadata = image?.metadata else { return }
        if let profile = metadata.iccProfile { _ = ICCProfileDescription.text(of: profile.span) }
        if metadata.colors.iccProfile != metadata.iccProfile { complain("another profile among the colors") }
        guard let exif = metadata.exif else { return }
        ExifBlock(exif)?.readFields()
        for orientation in [Orientation.up, .right, .downMirrored] {
            let written = ExifBlock.bytes(exif, orientation: orientation)
            let read = written.flatMap { exifOrientation(in: $0.span) }
            if (read ?? .up) != orientation { complain("EXIF data written for \(orientation) say \(read as Any)") }
        }
    }
}

extension ExifBlock {
    /// Reads some fields of each directory as everything that they may be.
    package func readFields() {
        for directory in Directory.allCases {
            for tag in tags(in: directory).prefix(40) {
                _ = (integer(tag, in: directory), rational(tag, in: directory), text(tag, in: directory))
            }
        }
    }
}
