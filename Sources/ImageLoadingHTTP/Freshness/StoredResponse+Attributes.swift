// A kept response as attributes of an entry of the disk cache, and back.

extension StoredResponse {
    /// Texts by name, for the disk: fields under their names, the rest under `http-…`.
    public var attributes: [String: String] {
        var attributes: [String: String] = [
            "http-url": url,
            "http-requested": Self.text(requestedAt),
            "http-received": Self.text(receivedAt),
        ]
        for name in Self.keptFields { attributes[name] = fields[name] }
        attributes["http-redirect-freshness"] = redirectFreshness.map(Self.text)
        for (name, value) in varied { attributes["http-vary-" + name] = value }
        return attributes
    }

    /// The response that attributes describe; `nil` if they are not of a source for HTTP.
    public init?(attributes: [String: String]) {
        guard let url = attributes["http-url"], let requestedAt = attributes["http-requested"].flatMap(Self.time),
            let receivedAt = attributes["http-received"].flatMap(Self.time)
        else { return nil }
        (self.url, self.requestedAt, self.receivedAt) = (url, requestedAt, receivedAt)
        redirectFreshness = attributes["http-redirect-freshness"].flatMap(Self.time)
        fields = HeaderFields()
        for name in Self.keptFields.sorted() { if let value = attributes[name] { fields.add(name, value) } }
        for (name, value) in attributes where name.hasPrefix("http-vary-") {
            varied[String(name.dropFirst("http-vary-".count))] = value
        }
    }

    /// Milliseconds.
    private static func text(_ time: Duration) -> String {
        "\(time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000)"
    }

    private static func time(_ text: String) -> Duration? { Int64(text).map { .milliseconds($0) } }
}
