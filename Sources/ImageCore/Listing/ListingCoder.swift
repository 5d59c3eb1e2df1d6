// Coders that can list the parts of a file.

/// A coder that can list the parts of the files it decodes.
public protocol ListingCoder: ImageCoder {
    /// The parts of a file, sound or not.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - limits: time and memory count; where the listing would take more memory, it is cut.
    /// - Throws: `unknownFormat` when the file does not start as one of this format; `limitExceeded(.time)`, `cancelled`.
    func listParts(of data: ImageData, limits: DecodingLimits) throws(ImageError) -> FileListing
}

extension ListingCoder {
    /// The parts of a file under the default limits.
    public func listParts(of data: ImageData) throws(ImageError) -> FileListing {
        try listParts(of: data, limits: .default)
    }
}

extension FileListing {
    /// What a part takes at most, with its facts and summary, in the lists it goes through.
    private static let partByteCount = 512

    /// Parts after which a listing stops, whatever the limits allow.
    package static let largestPartCount = 1 << 20

    /// Parts that a listing may have under these limits.
    package static func maxPartCount(_ limits: DecodingLimits) -> Int {
        min(largestPartCount, limits.maxMemoryByteCount / partByteCount)
    }

    /// The memory that allows so many parts.
    package static func memoryByteCount(partCount: Int) -> Int { partCount * partByteCount }
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
