// Chunks of PNG files that are not known here, and that results could have too.

import ImageCodecs

/// Finds the ancillary chunks of a PNG file that may be copied whatever is done to the pixels, and that results do not have.
///
/// - Source: PNG 3rd ed. §5.3 "Chunk layout", §5.4 "Chunk naming conventions".
struct UnknownChunks {
    /// Their names, in the order of the file, no more than a line has room for.
    private(set) var names: [String] = []
    /// Bytes to pass over: at first the signature.
    private var skippedByteCount = 8
    private var header: [UInt8] = []

    private static let headerByteCount = 8
    private static let mostNames = 8
    /// Those of which metadata are made.
    private static let known: Set = ["pHYs", "oFFs", "tEXt", "zTXt", "iTXt", "eXIf"]

    /// Finds them in the input of a conversion.
    init(_ input: ImageConversion.Input, limits: DecodingLimits) throws(ImageError) {
        switch input {
        case .data(let data): data.withBytes { add($0) }
        case .file(let path, _):
            var reader = try FileReader(imageFile: path, limits: limits)
            try reader.forEachPiece(of: 1 << 20) { (piece) throws(ImageError) in add(piece) }
        }
    }

    /// A remark about those that are left out.
    var warning: String? {
        names.isEmpty ? nil : "unknown chunks are left out: \(names.list(and: "and"))"
    }

    private mutating func add(_ piece: Span<UInt8>) {
        var position = 0
        while position < piece.count, names.count < Self.mostNames {
            let skipped = min(skippedByteCount, piece.count - position)
            (position, skippedByteCount) = (position + skipped, skippedByteCount - skipped)
            while position < piece.count, header.count < Self.headerByteCount {
                header.append(piece[position])
                position += 1
            }
            guard header.count == Self.headerByteCount else { return }
            skippedByteCount = header[..<4].reduce(0) { $0 << 8 | Int($1) } + 4
            look(at: header[4...])
            header.removeAll(keepingCapacity: true)
        }
    }

    /// Ancillary and safe to copy are chunks whose first and last letters are small.
    private mutating func look(at type: ArraySlice<UInt8>) {
        guard let first = type.first, let last = type.last, first & last & 0x20 != 0,
            type.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) })
        else { return }
        let name = String(decoding: type, as: UTF8.self)
        if !Self.known.contains(name), !names.contains(name) { names.append(name) }
    }
}
