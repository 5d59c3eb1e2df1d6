// An XMP packet with some of its properties changed, and everything else as it was.

import ImageCodecsCore

extension XMPPacket {
    /// What becomes of a property.
    enum Edit: Sendable {
        case stays, goes
        /// It gets another value. A property without any text goes.
        case becomes(String)
    }

    /// The bytes of a packet with its properties changed, as far as it could be read.
    ///
    /// - Parameters:
    ///   - bytes: what the packet was read from.
    ///   - edit: is asked for each property.
    func edited(_ bytes: [UInt8], _ edit: (Property) -> Edit) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for property in properties {
            switch edit(property) {
            case .stays: break
            case .becomes(let text) where !property.valueRange.isEmpty:
                result += bytes[end..<property.valueRange.lowerBound] + Self.escaped(text)
                end = property.valueRange.upperBound
            case .goes, .becomes:
                result += bytes[end..<property.range.lowerBound]
                end = property.range.upperBound
            }
        }
        return result + bytes[end...]
    }

    /// A text as it stands in elements and attributes.
    static func escaped(_ text: String) -> [UInt8] {
        text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "&"): Array("&amp;".utf8)
            case UInt8(ascii: "<"): Array("&lt;".utf8)
            case UInt8(ascii: ">"): Array("&gt;".utf8)
            case UInt8(ascii: "\""): Array("&quot;".utf8)
            case 0x0D: Array("&#xD;".utf8)
            default: [byte]
            }
        }
    }

    /// Whether bytes of a packet, in any encoding, have a name (or its beginning) after a colon, in lower or upper case.
    ///
    /// - Parameter names: in lower case.
    static func mentions(_ names: [String], in bytes: ArraySlice<UInt8>) -> Bool {
        let letters = bytes.compactMap { $0 == 0 ? nil : $0 | 0x20 }
        let names = names.map { Array($0.utf8) }
        return letters.indices.contains { colon in
            letters[colon] == UInt8(ascii: ":") && names.contains { letters[(colon + 1)...].starts(with: $0) }
        }
    }
}

// MARK: - Texts

/// A property that says what a text of a PNG file with some keyword does.
///
/// - Source: PNG 3rd ed. §11.3.3.2 "Keywords and text strings"; XMP Specification Part 1 (ISO 16684-1:2019) §8.3 "Dublin Core
///   namespace", §8.4 "XMP namespace".
private struct TextProperty {
    enum Form {
        /// One for each language.
        case alternatives
        /// Any number.
        case list
        case single
    }

    let keyword: String
    let namespace: XMPPacket.Namespace
    let name: String
    let form: Form

    static let all = [
        TextProperty(keyword: "title", namespace: .dublinCore, name: "title", form: .alternatives),
        TextProperty(keyword: "description", namespace: .dublinCore, name: "description", form: .alternatives),
        TextProperty(keyword: "author", namespace: .dublinCore, name: "creator", form: .list),
        TextProperty(keyword: "copyright", namespace: .dublinCore, name: "rights", form: .alternatives),
        TextProperty(keyword: "source", namespace: .dublinCore, name: "source", form: .single),
        TextProperty(keyword: "software", namespace: .basic, name: "CreatorTool", form: .single),
    ]

    /// The element that has these texts.
    func element(_ texts: [TextEntry]) -> [UInt8] {
        let name = (namespace == .basic ? "xmp:" : "dc:") + name
        let values = texts.map { text -> [UInt8] in
            guard form != .single else { return XMPPacket.escaped(text.text) }
            let language =
                form == .list
                ? [] : Array(" xml:lang=\"".utf8) + XMPPacket.escaped(text.languageTag) + Array("\"".utf8)
            return Array("<rdf:li".utf8) + language + Array(">".utf8) + XMPPacket.escaped(text.text)
                + Array("</rdf:li>".utf8)
        }
        let list = form == .alternatives ? "rdf:Alt" : "rdf:Seq"
        let (start, end) = form == .single ? ("", "") : ("<\(list)>", "</\(list)>")
        return Array("<\(name)>\(start)".utf8) + values.flatMap { $0 } + Array("\(end)</\(name)>".utf8)
    }
}

extension ImageMetadata {
    /// Makes texts properties of the XMP packet, if there are such properties for their keywords: `Title`, `Description`, `Author`,
    /// `Copyright`, `Source` and `Software`.
    ///
    /// Texts stay if the packet has another value for the property, cannot be read to its end, or XML cannot hold them; of several with one
    /// keyword and language all but the first, unless it is `Author`.
    mutating func moveTextsToXMP() {
        let packet = xmpPacket
        guard xmp == nil || packet?.isWhole == true && packet?.descriptionsEnd != nil else { return }
        var elements: [UInt8] = []
        for property in TextProperty.all {
            let isThere = packet?.properties.contains { $0.name == property.name && $0.namespace == property.namespace }
            let values = Set(packet?.values(property.name, in: property.namespace).map { Array($0.utf8) } ?? [])
            var languages: Set<String> = []
            var moved: [TextEntry] = []
            texts.removeAll { text in
                guard text.keyword.lowercased() == property.keyword, text.isXML else { return false }
                guard isThere != true else { return values.contains(Array(text.text.utf8)) }
                let key = property.form == .alternatives ? text.languageTag.lowercased() : ""
                guard property.form == .list || languages.insert(key).inserted else { return false }
                moved.append(text)
                return true
            }
            if !moved.isEmpty { elements += property.element(moved) }
        }
        guard !elements.isEmpty else { return }
        let description =
            Array(
                """
                <rdf:Description rdf:about="" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" \
                xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
                """.utf8) + elements + Array("</rdf:Description>".utf8)
        if var bytes = xmp, let place = packet?.descriptionsEnd {
            bytes.insert(contentsOf: description, at: place)
            xmp = bytes
        } else {
            let head = """
                <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">\
                <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
                """
            xmp = Array(head.utf8) + description + Array("</rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>".utf8)
        }
    }
}

extension TextEntry {
    fileprivate var languageTag: String { language.isEmpty ? "x-default" : language }

    /// Whether XML can hold the text.
    ///
    /// - Source: Extensible Markup Language (XML) 1.0, fifth edition, §2.2 "Characters".
    fileprivate var isXML: Bool {
        !text.isEmpty
            && (text.unicodeScalars.allSatisfy { scalar in
                scalar.value >= 0x20
                    ? scalar.value != 0xFFFE && scalar.value != 0xFFFF : "\t\n\r".unicodeScalars.contains(scalar)
            }) && language.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    }
}
