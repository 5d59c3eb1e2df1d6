// An XMP packet as a list of properties: what editing programs say about a picture.
//
// In: UTF-8 XML as files hold it. Out: the properties of the picture, each with its texts and its place in the packet.

public import ImageCodecsCore

/// The properties of an XMP packet.
///
/// ```swift
/// if let packet = image.metadata.xmpPacket {
///     print(packet.title ?? "", packet.creators, packet.rating ?? 0)
///     print(packet.values("City", in: .photoshop))
/// }
/// ```
///
/// A property may be written as an element or as an attribute, which makes no difference here. Lists and alternatives have a value for
/// each item; properties that are structures have none. Of a malformed packet the properties before the malformed place are there.
///
/// Nothing of a packet is applied to pixels, ``orientation`` neither: viewers go by the orientation of EXIF data.
///
/// - Source: XMP Specification Part 1 (ISO 16684-1:2019) §7 "Serialization", §8 "Core properties".
public struct XMPPacket: Hashable, Sendable {
    /// Who defines a property.
    public struct Namespace: RawRepresentable, Hashable, Sendable {
        /// A URI.
        public let rawValue: String

        /// A namespace by its URI.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Title, description, creators, rights: `dc`.
        public static let dublinCore = Namespace(rawValue: "http://purl.org/dc/elements/1.1/")
        /// Dates, rating, label, the program that wrote the file: `xmp`.
        public static let basic = Namespace(rawValue: "http://ns.adobe.com/xap/1.0/")
        /// Place names, headline, credit: `photoshop`.
        public static let photoshop = Namespace(rawValue: "http://ns.adobe.com/photoshop/1.0/")
        /// What TIFF files have tags for: `tiff`.
        public static let tiff = Namespace(rawValue: "http://ns.adobe.com/tiff/1.0/")
        /// What EXIF data have tags for: `exif`.
        public static let exif = Namespace(rawValue: "http://ns.adobe.com/exif/1.0/")

        static let rdf = Namespace(rawValue: "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
    }

    /// A property of the picture.
    public struct Property: Hashable, Sendable {
        /// Who defines it.
        public let namespace: Namespace
        /// Its name there.
        public let name: String
        /// One value, or one for each item of a list; none for structures.
        public let values: [Value]
        /// The element or the attribute, in the packet.
        public let range: Range<Int>
        /// What stands between its tags or quotation marks.
        let valueRange: Range<Int>
    }

    /// A text.
    public struct Value: Hashable, Sendable {
        /// The text, references to characters replaced.
        public let text: String
        /// The language if the packet states one; `x-default` for the one to show if none is asked for.
        public let language: String?
    }

    /// The properties, in the order of the packet.
    public let properties: [Property]
    /// Whether the packet could be read to its end.
    public let isWhole: Bool
    /// Where a further description can be put in; `nil` if there is no place.
    let descriptionsEnd: Int?

    /// Reads a packet; `nil` if it describes nothing.
    ///
    /// Takes time and memory for each byte of the packet, whatever is in it.
    public init?(_ bytes: [UInt8]) {
        var reader = XMPReader(bytes)
        guard reader.readAll() else { return nil }
        properties = reader.properties
        isWhole = reader.isWhole
        descriptionsEnd = reader.descriptionsEnd
    }

    /// The texts of the first property of a name that has any; empty if there is none.
    public func values(_ name: String, in namespace: Namespace) -> [String] {
        property(name, namespace)?.values.map(\.text) ?? []
    }

    private func property(_ name: String, _ namespace: Namespace) -> Property? {
        properties.first { $0.name == name && $0.namespace == namespace && !$0.values.isEmpty }
    }

    /// The text to show: that of `x-default`, or else the first.
    private func text(_ name: String, _ namespace: Namespace) -> String? {
        let values = property(name, namespace)?.values ?? []
        return (values.first { $0.language == "x-default" } ?? values.first)?.text
    }
}

// What is asked for most, where EXIF data have no tag or programs leave it out.
extension XMPPacket {
    /// The title (`dc:title`).
    public var title: String? { text("title", .dublinCore) }
    /// What the picture shows (`dc:description`).
    public var summary: String? { text("description", .dublinCore) }
    /// Who made the picture (`dc:creator`).
    public var creators: [String] { values("creator", in: .dublinCore) }
    /// Who has rights in it (`dc:rights`).
    public var rights: String? { text("rights", .dublinCore) }
    /// Words to find it by (`dc:subject`).
    public var keywords: [String] { values("subject", in: .dublinCore) }
    /// Stars, 0...5, or -1 for a picture that was rejected (`xmp:Rating`).
    public var rating: Double? {
        text("Rating", .basic).flatMap { Double($0) }.flatMap { (-1...5).contains($0) ? $0 : nil }
    }
    /// When the file was made, ISO 8601, perhaps only a year or a day (`xmp:CreateDate`).
    public var createDate: String? { text("CreateDate", .basic) }
    /// When it was changed, in the same form (`xmp:ModifyDate`).
    public var modifyDate: String? { text("ModifyDate", .basic) }
    /// When what it shows was made, in the same form (`photoshop:DateCreated`).
    public var dateCreated: String? { text("DateCreated", .photoshop) }
    /// The program that made it (`xmp:CreatorTool`).
    public var creatorTool: String? { text("CreatorTool", .basic) }
    /// How the picture has to be turned (`tiff:Orientation`). Decoders do not apply it.
    public var orientation: Orientation? {
        text("Orientation", .tiff).flatMap { Int($0) }.flatMap { Orientation(rawValue: $0) }
    }
}

extension ImageMetadata {
    /// The properties of the XMP packet; `nil` without one, and if it describes nothing.
    ///
    /// It is read anew whenever this is asked for: keep the result.
    public var xmpPacket: XMPPacket? { xmp.flatMap { XMPPacket($0) } }
}
