// Changes of metadata that are asked for most.

public import ImageCodecsCore

extension ImageMetadata {
    /// Changes tags of the EXIF data, which are made if there are none.
    ///
    /// ```swift
    /// try metadata.editExif { (exif) throws(ImageError) in
    ///     try exif.set(.artist, to: "Ada")
    ///     exif.remove(.makerNote)
    /// }
    /// ```
    ///
    /// `orientation` follows if the tag ``ExifTag/orientation`` is changed: encoders write that. If tags of ``ExifDirectory/gps`` are set or
    /// removed, there or not, no other place stays in XMP packet, IPTC data and texts; see ``removeLocation()``.
    ///
    /// - Throws: what `body` throws; `invalidArgument` if the data get too long.
    public mutating func editExif(
        _ body: (inout ExifEditor) throws(ImageError) -> Void
    ) throws(ImageError) {
        var editor = ExifEditor(exif.flatMap { ExifBlock($0) })
        try body(&editor)
        let before = exif.flatMap { exif in exif.withSpan { exifOrientation(in: $0) } }
        exif = try editor.bytes()
        let after = exif.flatMap { exif in exif.withSpan { exifOrientation(in: $0) } }
        if after != before { orientation = after ?? .up }
        if editor.changesLocation { removeLocationBesideExif() }
    }

    /// Removes where the picture was taken: the GPS directory of the EXIF data, of the XMP packet the properties that begin with `GPS`,
    /// `LocationCreated` and `LocationShown`, properties that have such in them and names of places (`photoshop:City`,
    /// `Iptc4xmpCore:Location`), the same names of IPTC data, and texts that hold a copy of any of these or of one such property
    /// (`exif:GPSLatitude`).
    ///
    /// EXIF data, an XMP packet and IPTC data that cannot be read are removed as a whole, and so is a packet that has positions elsewhere. Not
    /// looked into are notes of makers, directories that the EXIF standard does not have, profiles, other texts and comments. When the
    /// metadata of a file are replaced, what follows the picture stays.
    public mutating func removeLocation() {
        if let data = exif {
            if let block = ExifBlock(data) {
                var editor = ExifEditor(block)
                editor.remove(.gps)
                // Nothing is kept of data that would get too long.
                exif = try? editor.bytes()
            } else {
                exif = nil
            }
        }
        removeLocationBesideExif()
    }

    private mutating func removeLocationBesideExif() {
        if let packet = xmp { xmp = XMPPacket.removingLocation(from: packet) }
        iptc = iptc.flatMap { PhotoshopResources.removingLocation(from: $0) }
        texts.removeAll { text in
            let keyword = text.keyword.lowercased()
            return Self.copies.contains(keyword) || keyword.hasPrefix("exif:gps")
        }
    }

    /// Keywords under which programs write EXIF data, XMP packets and IPTC data into texts of PNG files.
    private static let copies: Set = [
        "raw profile type exif", "raw profile type app1", "raw profile type xmp", "xml:com.adobe.xmp",
        "raw profile type iptc", "raw profile type 8bim",
    ]
}

extension XMPPacket {
    /// The packet without the properties that tell where a picture was taken; `nil` if it cannot be read to its end, or tells that elsewhere.
    static func removingLocation(from bytes: [UInt8]) -> [UInt8]? {
        guard let packet = XMPPacket(bytes), packet.isWhole else { return nil }
        let result = packet.edited(bytes) { property in
            property.tellsLocation || namesLocation(bytes[property.range]) ? .goes : .stays
        }
        return namesLocation(result[...]) ? nil : result
    }

    /// Whether bytes of a packet have the name of a property that tells where a picture was taken.
    private static func namesLocation(_ bytes: ArraySlice<UInt8>) -> Bool {
        mentions(["gps", "locationcreated", "locationshown"], in: bytes)
    }
}

extension XMPPacket.Property {
    /// Whether it tells where the picture was taken: positions (`exif:GPSLatitude` and those of drones), structures of places (IPTC), and names of
    /// places, whoever defines them.
    fileprivate var tellsLocation: Bool {
        let name = name.lowercased()
        return name.hasPrefix("gps") || name.hasPrefix("locationcreated") || name.hasPrefix("locationshown")
            || Self.placeNames.contains(name)
    }

    private static let placeNames: Set = [
        "city", "state", "country", "location", "countrycode", "sublocation", "provincestate", "countryname",
        "shotlocation",
    ]
}
