// What a file says about its colours, for people.

import ImageCodecs
import ImageColor

/// Name, primaries and curve of a picture's space, and whether it is sRGB.
struct ColorReportLines {
    /// `nil` if it cannot be used, for the reason in `problem`.
    private let words: ColorWords?
    private let problem: String?
    /// What the profile is called, if there is one.
    private let name: String?

    /// - Returns: `nil` if the file says nothing.
    init?(_ metadata: ImageMetadata) {
        name = metadata.iccProfile.flatMap { $0.withSpan { ICCProfileDescription.text(of: $0) } }
        do throws(ICCProfileError) {
            guard let words = try ColorWords(of: metadata) else { return nil }
            (self.words, problem) = (words, nil)
        } catch {
            (words, problem) = (nil, "\(error)")
        }
    }

    /// `Display P3: primaries of Display P3, curve of sRGB, white of D65; not sRGB`.
    var text: String {
        guard let words else { return [name, problem].compactMap { $0 }.joined(separator: "; ") }
        let transfer =
            switch words.transfer {
            case "its own": "a curve of its own"
            case "sRGB": "curve of sRGB"
            default: words.transfer
            }
        let primaries = words.primaries.map { $0 == "its own" ? "primaries of its own" : "primaries of \($0)" }
        let parts = [primaries, transfer, words.white.map { "white of \($0)" }].compactMap { $0 }.joined(
            separator: ", ")
        return (words.name.isEmpty ? "" : words.name + ": ") + parts + (words.isSRGB ? "; as sRGB" : "; not sRGB")
    }

    var json: JSONValue {
        guard let words else { return .object([("problem", .string(problem ?? ""))]) }
        return .object([
            ("description", .string(words.name)), ("primaries", words.primaries.map { .string($0) } ?? .null),
            ("transfer", .string(words.transfer)), ("white", words.white.map { .string($0) } ?? .null),
            ("isSRGB", .bool(words.isSRGB)),
        ])
    }
}
