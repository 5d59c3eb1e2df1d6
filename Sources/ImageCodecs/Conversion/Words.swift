// Numbers and names in remarks.

package import ImageCodecsCore

extension Int {
    /// `1 row`, `2 rows`.
    package func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}

extension [String] {
    /// `a, b and c`.
    package func list(and word: String) -> String {
        guard let last else { return "nothing" }
        return count == 1 ? last : dropLast().joined(separator: ", ") + " \(word) \(last)"
    }
}

extension ImageFormat {
    /// The name used in remarks, in JSON and on the command line: `png`, `jpeg`, `webp`, ...
    package var shortName: String { name.lowercased().filter { $0 != " " } }
}

extension Double {
    /// The number with exactly `places` decimals, rounded to nearest, halves away from zero.
    package func fixed(_ places: Int) -> String {
        guard isFinite, magnitude < 1e15 else { return "0" }
        let scale = (0..<places).reduce(1) { product, _ in product * 10 }
        let scaled = Int((magnitude * Double(scale)).rounded())
        let sign = self < 0 && scaled != 0 ? "-" : ""
        guard places > 0 else { return sign + String(scaled) }
        let fraction = String(scaled % scale)
        return sign + String(scaled / scale) + "." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
