// The values of options: text of a stranger into numbers within bounds.

/// The values after an option's name, separated by colons.
struct OptionValues {
    /// The name as it was written, for errors.
    let name: String
    let values: [Substring]

    /// No option has more.
    static let maxCount = 16
    /// The largest number of pixels, and the longest name.
    static let maxSide = 65_535
    static let maxNameLength = 200

    /// The value at a place; `nil` if it is not there or empty, which means the default.
    subscript(_ index: Int) -> Substring? {
        index < values.count && !values[index].isEmpty ? values[index] : nil
    }

    var error: ProxyURLError { .badOption(name) }

    /// Refuses values that the option has no place for.
    func check(count: ClosedRange<Int>) throws(ProxyURLError) {
        guard count.contains(values.count) else { throw error }
    }

    /// A whole number.
    func integer(_ index: Int, in range: ClosedRange<Int>, default value: Int) throws(ProxyURLError) -> Int {
        guard let text = self[index] else { return value }
        guard text.utf8.count <= 19, let number = Int(text), range.contains(number) else { throw error }
        return number
    }

    /// A number with digits after a point, perhaps.
    func number(_ index: Int, in range: ClosedRange<Double>, default value: Double) throws(ProxyURLError) -> Double {
        guard let text = self[index] else { return value }
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }
        guard isPlain, text.utf8.count <= 24, let number = Double(text), range.contains(number) else { throw error }
        return number
    }

    /// `1`, `t` or `true` for yes; `0`, `f` or `false` for no.
    func flag(_ index: Int, default value: Bool) throws(ProxyURLError) -> Bool {
        switch self[index] {
        case nil: value
        case "1", "t", "true", "T", "TRUE", "True": true
        case "0", "f", "false", "F", "FALSE", "False": false
        default: throw error
        }
    }

    /// A number of pixels.
    func side(_ index: Int) throws(ProxyURLError) -> Int { try integer(index, in: 0...Self.maxSide, default: 0) }

    /// Text that was percent-encoded once more, as it stands between colons.
    func text(_ index: Int) throws(ProxyURLError) -> String {
        guard let value = self[index] else { return "" }
        guard value.utf8.count <= Self.maxNameLength, let text = TextDecoding.percentDecoded(value.utf8) else {
            throw error
        }
        return text
    }

    /// A gravity from a place on: its kind, and two numbers.
    func gravity(from index: Int, allowsSmart: Bool = true) throws(ProxyURLError) -> Gravity {
        let kind = self[index] ?? "ce"
        if kind == "sm" {
            guard allowsSmart, values.count <= index + 1 else { throw error }
            return Gravity(.smart)
        }
        if kind == "fp" {
            guard values.count == index + 3 else { throw error }
            return Gravity(
                .focus(
                    x: try number(index + 1, in: 0...1, default: 0.5), y: try number(index + 2, in: 0...1, default: 0.5)
                )
            )
        }
        guard let (x, y) = Self.places[kind], values.count <= index + 3 else {
            throw kind == "obj" || kind == "objw" ? .unsupportedOption("gravity:obj") : error
        }
        let range = -Double(Self.maxSide)...Double(Self.maxSide)
        return Gravity(
            .place(x: x, y: y), x: try number(index + 1, in: range, default: 0),
            y: try number(index + 2, in: range, default: 0))
    }

    static let places: [Substring: (Double, Double)] = [
        "ce": (0.5, 0.5), "no": (0.5, 0), "so": (0.5, 1), "ea": (1, 0.5), "we": (0, 0.5), "noea": (1, 0),
        "nowe": (0, 0), "soea": (1, 1), "sowe": (0, 1),
    ]
}
