// In which order the marker segments of a JPEG file have to come.

import ImageCodecsCore

/// Checks the segments of a file one after the other.
///
/// - Source: ITU-T T.81 (1992) §B.1.1.4 "Marker segments", §B.2.1 "High-level syntax", figure B.2.
struct JPEGStructureRules {
    private var startCount = 0
    private var hasFrame = false
    /// Whether frames are layers of one picture (T.81 Annex J), so that there may be several.
    private var isHierarchical = false
    /// Whether the last frame is of a lossless process, which quantizes nothing.
    private var isLossless = false

    private static let losslessFrames: Set<String> = ["SOF3", "SOF7", "SOF11", "SOF15"]
    private static let differentialFrames: Set<String> = ["SOF5", "SOF6", "SOF7", "SOF13", "SOF14", "SOF15"]
    private var hasTables = false
    private var hasScan = false
    private var hasEnd = false

    /// Checks a segment against those before it.
    mutating func check(_ segment: FileListing.Part, _ data: ImageData, _ findings: inout StructureFindings) {
        let (name, offset) = (segment.name, segment.offset)
        if segment.damage == nil, segment.byteCount == 0, let length = data.bytes(offset + 2..<offset + 4),
            length[0] == 0, length[1] < 2
        {
            findings.add("\(name): its length is below 2", at: offset)
        }
        if name.hasPrefix("SOF") {
            if Self.differentialFrames.contains(name) { isHierarchical = true }
            if hasFrame, !isHierarchical { findings.add("\(name): a second frame header", at: offset) }
            if segment.summary == "not valid" { findings.add("\(name): not valid", at: offset) }
            hasFrame = true
            isLossless = Self.losslessFrames.contains(name)
            return
        }
        switch name {
        case "SOI":
            startCount += 1
            if startCount == 2 { findings.add("a second SOI", at: offset) }
        case "DQT": hasTables = true
        case "DHP": isHierarchical = true
        case "SOS": checkScan(segment, &findings)
        case "EOI": hasEnd = true
        case _ where name.hasPrefix("RST"): findings.add("\(name) outside coded data", at: offset)
        case _ where name.hasPrefix("RES"): findings.add("\(name): a reserved marker", at: offset)
        default: break
        }
    }

    private mutating func checkScan(_ segment: FileListing.Part, _ findings: inout StructureFindings) {
        if !hasFrame { findings.add("SOS without a frame header in front", at: segment.offset) }
        if !hasTables, !hasScan, !isLossless { findings.add("SOS without a DQT in front", at: segment.offset) }
        if segment.damage == nil {
            if segment.summary == "not valid" { findings.add("SOS: not valid", at: segment.offset) }
            if segment.details.contains(where: { $0.key == "codedByteCount" && $0.value == .count(0) }) {
                findings.add("SOS without coded data", at: segment.offset)
            }
        }
        hasScan = true
    }

    /// Checks what only the end shows.
    func finish(_ listing: FileListing, _ findings: inout StructureFindings) {
        guard !listing.isCut else { return }
        if !hasFrame { findings.add("there is no frame header") }
        if !hasScan { findings.add("there is no scan") }
        if !hasEnd { findings.add("EOI is missing") }
    }
}
