// What is wrong with the structure of a file, a bounded number of lines of it.

package import ImageCodecsCore

/// Lines about damage, in the order of the file.
package struct StructureFindings: Sendable {
    private(set) var lines: [String] = []
    /// Findings that have no line.
    private(set) var unlistedCount = 0

    /// Damage after this many lines is only counted.
    private static let maxLineCount = 20

    package var isEmpty: Bool { lines.isEmpty }

    mutating func add(_ text: String, at offset: Int? = nil) {
        guard lines.count < Self.maxLineCount else {
            unlistedCount += 1
            return
        }
        lines.append((offset.map { "byte \($0): " } ?? "") + text)
    }

    /// The lines, and one about those that are not listed.
    package var allLines: [String] {
        unlistedCount == 0 ? lines : lines + ["\(unlistedCount) more findings"]
    }

    /// Everything that is wrong with a file.
    ///
    /// - Parameters:
    ///   - listing: its parts.
    ///   - data: the file that `listing` is of.
    package init(_ listing: FileListing, _ data: ImageData) {
        for part in listing.parts {
            if let damage = part.damage { add("\(part.name): \(damage)", at: part.offset) }
        }
        switch listing.format {
        case .png, .apng:
            var rules = PNGStructureRules()
            for part in listing.parts { rules.check(part, data, &self) }
            rules.finish(listing, &self)
        case .jpeg:
            var rules = JPEGStructureRules()
            for part in listing.parts { rules.check(part, data, &self) }
            rules.finish(listing, &self)
        case .gif:
            var rules = GIFStructureRules()
            for part in listing.parts { rules.check(part, &self) }
            rules.finish(listing, &self)
        case .webP:
            var rules = WebPStructureRules()
            for part in listing.parts { rules.check(part, &self) }
            rules.finish(listing, &self)
        default: break
        }
    }
}

extension ImageData {
    /// Bytes of the file; `nil` if it does not have all of them.
    func bytes(_ range: Range<Int>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        return withBytes { Array($0.extracting(range)) }
    }
}

extension FileListing.Part {
    /// A number among the properties of the part.
    func count(_ key: String) -> Int? {
        guard case .count(let count) = details.first(where: { $0.key == key })?.value else { return nil }
        return count
    }
}
