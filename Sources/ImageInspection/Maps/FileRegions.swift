// The file as a strip: which bytes belong to what.

import ImageCodecsCore

extension FileMap {
    /// Regions after these are put together in one.
    private static let maxRegionCount = 2000

    /// The bytes of the file without gaps, parts of the same name in a row put together.
    static func regions(of listing: FileListing, byteCount: Int) -> [Region] {
        var regions: [Region] = []
        var counts: [Int] = []
        func add(_ name: String, _ kind: BitAccount.Kind, _ range: Range<Int>, _ index: Int) {
            guard !range.isEmpty else { return }
            if let last = regions.last, last.name == name || regions.count >= maxRegionCount {
                regions[regions.count - 1].byteCount += range.count
                counts[counts.count - 1] += 1
            } else {
                regions.append(
                    Region(name: name, kind: kind, offset: range.lowerBound, byteCount: range.count, partIndex: index))
                counts.append(1)
            }
        }
        var position = 0
        for (index, part) in listing.parts.enumerated() {
            let start = min(max(part.offset, position), byteCount)
            if start > position {
                add(
                    index == 0 ? "signature" : "no \(listing.vocabulary.part)", index == 0 ? .structure : .unknown,
                    position..<start, index)
            }
            let end = min(max(start, Self.end(of: part, listing)), byteCount)
            let coded = min(part.count("codedByteCount") ?? 0, end - start)
            add(part.name, Self.kind(of: part, listing.format), start..<end - coded, index)
            add("coded data", .pixels, end - coded..<end, index)
            position = end
        }
        add("after the end", .unknown, position..<byteCount, max(0, listing.parts.count - 1))
        for index in regions.indices where counts[index] > 1 { regions[index].name += " (\(counts[index]))" }
        return regions
    }

    /// Where a part ends in the file.
    private static func end(of part: FileListing.Part, _ listing: FileListing) -> Int {
        let body = part.byteCount ?? 0
        return switch listing.format {
        case .png, .apng: part.offset.addingSaturated(body.addingSaturated(12))
        case .jpeg:
            part.offset + 2 + (part.byteCount == nil ? 0 : 2 + body) + (part.count("codedByteCount") ?? 0)
        case .gif: part.offset.addingSaturated(body)
        // RIFF and ANMF hold what follows.
        case .webP where part.name == "RIFF": part.offset + 12
        case .webP where part.name == "ANMF": part.offset + 8 + 16
        case .webP: part.offset.addingSaturated(body.addingSaturated(8 + body % 2))
        default: part.offset
        }
    }

    /// What a part is for.
    static func kind(of part: FileListing.Part, _ format: ImageFormat) -> BitAccount.Kind {
        switch part.name {
        case "IDAT", "fdAT", "image", "VP8 ", "VP8L", "ALPH", "SOS": .pixels
        case "IEND", "RIFF", "header", "trailer", "SOI", "EOI": .structure
        case "IHDR", "PLTE", "tRNS", "VP8X", "SOF0", "SOF1", "SOF2", "SOF3", "SOF9", "SOF10", "global color table",
            "CgBI",
            "acTL", "fcTL", "ANIM", "ANMF", "graphic control", "APP0", "APP14":
            .header
        case "DHT", "DAC", "DQT", "DRI", "DNL": .coding
        default: .metadata
        }
    }
}
