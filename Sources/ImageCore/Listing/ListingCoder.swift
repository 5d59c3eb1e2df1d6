// Coders that can list the parts of a file.

/// A coder that can list the parts of the files it decodes.
public protocol ListingCoder: ImageCoder {
    /// The parts of a file, sound or not.
    ///
    /// - Throws: `unknownFormat` when the file does not start as one of this format.
    func listParts(of data: ImageData) throws(ImageError) -> FileListing
}

extension CoderRegistry {
    /// The coder that lists the parts of files that start so.
    ///
    /// - Throws: `unsupported` for a known format that no coder lists, `unknownFormat` for others.
    public func listingCoder(for header: Span<UInt8>) throws(ImageError) -> any ListingCoder {
        for coder in coders where coder.canDecode(header) {
            if let listing = coder as? any ListingCoder { return listing }
        }
        guard let format = ImageFormat(sniffing: header) else { throw .unknownFormat }
        throw .unsupported(format, feature: "listing its parts")
    }
}
