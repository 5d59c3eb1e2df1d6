// In which order the chunks of a PNG file have to come.

import ImageCodecsCore

/// Checks the chunks of a file one after the other.
///
/// - Source: PNG 3rd ed. §5.6 "Chunk ordering", table 7; §11.2 "Critical chunks"; §11.3.6 "Animation information" for
///   sequence numbers.
struct PNGStructureRules {
    /// Where an ancillary chunk may stand.
    private enum Place {
        case beforePalette, betweenPaletteAndData, beforeData, anywhere
    }

    /// Chunks of which there is one at most.
    private static let places: [String: Place] = [
        "cHRM": .beforePalette, "cICP": .beforePalette, "gAMA": .beforePalette, "iCCP": .beforePalette,
        "mDCV": .beforePalette, "cLLI": .beforePalette, "sBIT": .beforePalette, "sRGB": .beforePalette,
        "bKGD": .betweenPaletteAndData, "hIST": .betweenPaletteAndData, "tRNS": .betweenPaletteAndData,
        "pHYs": .beforeData, "acTL": .beforeData, "eXIf": .beforeData, "tIME": .anywhere,
    ]

    private var seen: Set<String> = []
    private var previous: String?
    private var colorType: UInt8?
    private var nextSequenceNumber = 0

    /// Checks a chunk against those before it.
    mutating func check(_ chunk: FileListing.Part, _ data: ImageData, _ findings: inout StructureFindings) {
        // Apple's variant of PNG has CgBI before IHDR.
        if previous == nil || previous == "CgBI", chunk.name != "IHDR", previous != nil || chunk.name != "CgBI" {
            findings.add("\(chunk.name) instead of IHDR comes first", at: chunk.offset)
        }
        if chunk.name.utf8.count != 4 { findings.add("\(chunk.name) is not a chunk type", at: chunk.offset) }
        switch chunk.name {
        case "IHDR": checkHeader(chunk, data, &findings)
        case "PLTE": checkPalette(chunk, &findings)
        case "IDAT": checkImageData(chunk, &findings)
        case "IEND":
            if chunk.byteCount != 0 { findings.add("IEND is not empty", at: chunk.offset) }
        case "fcTL", "fdAT": checkSequenceNumber(chunk, data, &findings)
        default: checkPlace(chunk, &findings)
        }
        seen.insert(chunk.name)
        previous = chunk.name
    }

    /// Checks what only the end shows.
    func finish(_ listing: FileListing, _ findings: inout StructureFindings) {
        guard !listing.isCut else { return }
        if !seen.contains("IDAT") { findings.add("there is no IDAT") }
        guard !seen.contains("IEND") else { return }
        let end = listing.trailingByteCount > 0 ? "; \(listing.trailingByteCount) bytes at the end are no chunk" : ""
        findings.add("IEND is missing" + end)
    }

    private mutating func checkHeader(
        _ chunk: FileListing.Part, _ data: ImageData, _ findings: inout StructureFindings
    ) {
        if seen.contains("IHDR") {
            findings.add("a second IHDR", at: chunk.offset)
            return
        }
        if chunk.byteCount != 13 || chunk.summary == "not valid" {
            findings.add("IHDR is not valid", at: chunk.offset)
        }
        colorType = data.bytes(chunk.offset + 17..<chunk.offset + 18)?.first
    }

    private func checkPalette(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        if seen.contains("PLTE") { findings.add("a second PLTE", at: chunk.offset) }
        if seen.contains("IDAT") { findings.add("PLTE after IDAT", at: chunk.offset) }
        if colorType == 0 || colorType == 4 { findings.add("PLTE in a gray picture", at: chunk.offset) }
        if let count = chunk.byteCount, count % 3 != 0 || !(3...768).contains(count) {
            findings.add("PLTE of \(count) bytes", at: chunk.offset)
        }
    }

    private func checkImageData(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        if !seen.contains("IDAT"), colorType == 3, !seen.contains("PLTE") {
            findings.add("no PLTE before IDAT", at: chunk.offset)
        }
        if seen.contains("IDAT"), previous != "IDAT" {
            findings.add("IDAT chunks do not follow one another", at: chunk.offset)
        }
    }

    /// Control and data chunks of an animation are numbered together.
    private mutating func checkSequenceNumber(
        _ chunk: FileListing.Part, _ data: ImageData, _ findings: inout StructureFindings
    ) {
        guard let count = chunk.byteCount, count >= 4, let bytes = data.bytes(chunk.offset + 8..<chunk.offset + 12)
        else {
            findings.add("\(chunk.name) has no sequence number", at: chunk.offset)
            return
        }
        let number = bytes.reduce(0) { $0 << 8 | Int($1) }
        if number != nextSequenceNumber {
            findings.add(
                "\(chunk.name) has sequence number \(number) instead of \(nextSequenceNumber)", at: chunk.offset)
        }
        nextSequenceNumber = number + 1
    }

    private func checkPlace(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        guard let place = Self.places[chunk.name] else { return }
        if seen.contains(chunk.name) { findings.add("a second \(chunk.name)", at: chunk.offset) }
        if place != .anywhere, seen.contains("IDAT") { findings.add("\(chunk.name) after IDAT", at: chunk.offset) }
        if place == .beforePalette, seen.contains("PLTE") {
            findings.add("\(chunk.name) after PLTE", at: chunk.offset)
        }
        if place == .betweenPaletteAndData, colorType == 3, !seen.contains("PLTE") {
            findings.add("\(chunk.name) before PLTE", at: chunk.offset)
        }
    }
}
