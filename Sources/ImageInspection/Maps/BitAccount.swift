// What the bits of a file are spent on: everything that is in it, each bit once.

/// The bits of a file by what they are for.
///
/// Together they are all bits of the file: what no entry is known for is in one of its own, ``Kind/unknown``.
public struct BitAccount: Hashable, Sendable {
    /// What bits are for, in the order of a list.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The picture: its pixels, coefficients, macroblocks.
        case pixels
        /// How pixels are to be read: tables of codes, filter types, transforms, headers of blocks.
        case coding
        /// The format's own frame: signatures, lengths, checksums, markers.
        case structure
        /// Size, colour type, palette, what the picture cannot be shown without.
        case header
        /// Colour profiles, texts, EXIF and others that are about the picture.
        case metadata
        /// Bits that say nothing, to fill bytes.
        case padding
        /// Not read: after damage, after the end.
        case unknown
    }

    /// Some bits.
    public struct Entry: Hashable, Sendable {
        /// What they are for.
        public let kind: Kind
        /// The same in the words of the format: `filter types`.
        public let name: String
        /// How many there are.
        public internal(set) var bitCount: Int
    }

    /// Entries, those of a kind together.
    public private(set) var entries: [Entry] = []

    /// All bits that have an entry.
    public var bitCount: Int { entries.reduce(0) { $0 + $1.bitCount } }

    /// Bits of a kind.
    public func bitCount(of kind: Kind) -> Int {
        entries.reduce(0) { $1.kind == kind ? $0 + $1.bitCount : $0 }
    }

    /// Adds to an entry, or makes one.
    mutating func add(_ bitCount: Int, _ kind: Kind, _ name: String) {
        guard bitCount != 0 else { return }
        if let index = entries.firstIndex(where: { $0.kind == kind && $0.name == name }) {
            entries[index].bitCount += bitCount
        } else {
            entries.append(Entry(kind: kind, name: name, bitCount: bitCount))
        }
    }

    /// Gives what is missing to `bitCount` an entry, and puts all in order.
    mutating func close(at bitCount: Int) {
        add(max(0, bitCount - self.bitCount), .unknown, "not read")
        let order = Kind.allCases
        entries = order.flatMap { kind in entries.filter { $0.kind == kind } }
    }
}
