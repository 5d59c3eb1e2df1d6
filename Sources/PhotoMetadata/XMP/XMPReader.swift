// Which tags of an XMP packet are properties, and which texts are their values.
//
//   rdf:RDF ─▶ rdf:Description ─▶ property ─▶ text
//                    └ attributes      └─▶ rdf:Seq, rdf:Bag, rdf:Alt ─▶ rdf:li ─▶ text

/// Reads the properties of a packet, or of several one after the other (the parts of an extended packet).
struct XMPReader {
    private struct Name: Equatable {
        let namespace: String
        let local: String

        func isRDF(_ local: String) -> Bool {
            self.local == local && namespace == XMPPacket.Namespace.rdf.rawValue
        }
    }

    /// A property or a list item whose end tag is still to come.
    private struct Open {
        /// How many elements it is in.
        let depth: Int
        var text = ""
        /// Whether it has elements in it other than a list.
        var isStructure = false
    }

    private(set) var properties: [XMPPacket.Property] = []
    private(set) var isWhole = false
    /// Where the first `rdf:RDF` ends, before its end tag.
    private(set) var descriptionsEnd: Int?

    /// Elements within elements: packets have about eight.
    private static let largestDepth = 128
    /// Properties after which no more are looked for: packets have some hundred.
    private static let largestPropertyCount = 16384

    private var scanner: XMLScanner
    /// The names of the elements that are open, and how many prefixes each declares.
    private var elements: [(qualified: String, name: Name, prefixes: [String])] = []
    /// What each prefix stands for; the last one counts.
    private var namespaces: [String: [String]] = [:]
    private var hasRDF = false
    /// The open property, its name, where its start tag begins and ends, and the values so far.
    private var property: (open: Open, name: Name, tag: Range<Int>, values: [XMPPacket.Value])?
    /// The open list item and its language.
    private var item: (open: Open, language: String?)?

    init(_ bytes: [UInt8]) { scanner = XMLScanner(bytes) }

    /// Reads as far as the packet is well formed; whether there is any description.
    mutating func readAll() -> Bool {
        var start = scanner.position
        while let token = scanner.next() {
            switch token {
            case .start(let name, let attributes, let isEmpty):
                guard elements.count < Self.largestDepth, properties.count < Self.largestPropertyCount else {
                    return hasRDF
                }
                begin(name, attributes, start)
                if isEmpty { end(at: scanner.position) }
            case .end(let name):
                guard let last = elements.last, last.qualified == name else { return hasRDF }
                if last.name.isRDF("RDF") { descriptionsEnd = descriptionsEnd ?? start }
                end(at: start)
            case .text(let text): add(text)
            }
            start = scanner.position
        }
        isWhole = !scanner.isMalformed && elements.isEmpty
        return hasRDF
    }

    // MARK: Elements

    private mutating func begin(_ qualified: String, _ attributes: [XMLScanner.Attribute], _ start: Int) {
        var prefixes: [String] = []
        for attribute in attributes {
            let prefix: String
            if attribute.name == "xmlns" {
                prefix = ""
            } else if attribute.name.hasPrefix("xmlns:") {
                prefix = String(attribute.name.dropFirst(6))
            } else {
                continue
            }
            namespaces[prefix, default: []].append(Self.ascii(attribute.value) ?? "")
            prefixes.append(prefix)
        }
        let name = resolved(qualified)
        elements.append((qualified, name, prefixes))
        if name.isRDF("RDF") { hasRDF = true }
        if property != nil {
            beginInProperty(name, attributes)
        } else if isDescription(elements.count - 1) {
            addAttributes(attributes)
        } else if isDescription(elements.count - 2) {
            property = (Open(depth: elements.count), name, start..<scanner.position, [])
            if let resource = attributes.first(where: { resolved($0.name).isRDF("resource") }) {
                property?.values = [XMPPacket.Value(text: resource.value, language: nil)]
                property?.open.isStructure = true
            } else if attributes.contains(where: { resolved($0.name).isRDF("parseType") }) {
                property?.open.isStructure = true
            }
        }
    }

    /// A text that is compared with others, if it is what such texts are: URIs and languages are ASCII.
    private static func ascii(_ text: String) -> String? { text.utf8.allSatisfy { $0 < 0x80 } ? text : nil }

    /// Whether the element of this number describes the picture.
    private func isDescription(_ index: Int) -> Bool {
        index >= 1 && elements[index].name.isRDF("Description") && elements[index - 1].name.isRDF("RDF")
    }

    private mutating func beginInProperty(_ name: Name, _ attributes: [XMLScanner.Attribute]) {
        guard let depth = property?.open.depth else { return }
        if item != nil {
            item?.open.isStructure = true
        } else if elements.count == depth + 1 {
            property?.open.isStructure = true
        } else if elements.count == depth + 2, name.isRDF("li"), Self.isList(elements[depth].name) {
            item = (
                Open(depth: elements.count), attributes.first { $0.name == "xml:lang" }.flatMap { Self.ascii($0.value) }
            )
            if attributes.contains(where: { resolved($0.name).isRDF("parseType") }) { item?.open.isStructure = true }
        }
    }

    private static func isList(_ name: Name) -> Bool { name.isRDF("Seq") || name.isRDF("Bag") || name.isRDF("Alt") }

    /// Ends the last element, whose end tag begins here, if it has one.
    private mutating func end(at place: Int) {
        if let ended = item, ended.open.depth == elements.count {
            if !ended.open.isStructure {
                property?.values.append(XMPPacket.Value(text: ended.open.text, language: ended.language))
            }
            item = nil
        } else if let ended = property, ended.open.depth == elements.count {
            var values = ended.values
            if !ended.open.isStructure { values.append(XMPPacket.Value(text: ended.open.text, language: nil)) }
            add(ended.name, values, ended.tag.lowerBound..<scanner.position, ended.tag.upperBound..<place)
            property = nil
        }
        guard let element = elements.popLast() else { return }
        for prefix in element.prefixes { namespaces[prefix]?.removeLast() }
    }

    private mutating func add(_ text: String) {
        if item != nil {
            if item?.open.depth == elements.count { item?.open.text += text }
        } else if property?.open.depth == elements.count, property?.open.isStructure == false {
            property?.open.text += text
        }
    }

    private mutating func addAttributes(_ attributes: [XMLScanner.Attribute]) {
        for attribute in attributes {
            let name = resolved(attribute.name)
            // Attributes without a prefix are of no namespace; xml:lang and rdf:about describe the description.
            guard attribute.name.contains(":"), !attribute.name.hasPrefix("xmlns:"), !name.namespace.isEmpty,
                name.namespace != XMPPacket.Namespace.rdf.rawValue
            else { continue }
            let value = XMPPacket.Value(text: attribute.value, language: nil)
            add(name, [value], attribute.range, attribute.valueRange)
        }
    }

    private mutating func add(
        _ name: Name, _ values: [XMPPacket.Value], _ range: Range<Int>, _ valueRange: Range<Int>
    ) {
        properties.append(
            XMPPacket.Property(
                namespace: XMPPacket.Namespace(rawValue: name.namespace), name: name.local, values: values,
                range: range, valueRange: valueRange))
    }

    private func resolved(_ qualified: String) -> Name {
        guard let colon = qualified.firstIndex(of: ":") else {
            return Name(namespace: namespaces[""]?.last ?? "", local: qualified)
        }
        return Name(
            namespace: namespaces[String(qualified[..<colon])]?.last ?? "",
            local: String(qualified[qualified.index(after: colon)...]))
    }
}
