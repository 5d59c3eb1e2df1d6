// In which order the chunks of a WebP file have to come, and what they may say.

import ImageCodecsCore

/// Checks the chunks of a file one after the other.
///
/// - Source: RFC 9649 §2.4 "WebP File Header", §2.7 "Extended File Format", §2.7.1.1 "Animation", §2.7.1.2 "Alpha".
struct WebPStructureRules {
    /// Bits of VP8X.
    private enum Flag {
        static let animation = 0x02, xmp = 0x04, exif = 0x08, alpha = 0x10, colorProfile = 0x20
    }

    private var canvas: PixelSize?
    /// Flags of VP8X; `nil` for a file without.
    private var flags: Int?
    private var chunkCount = 0
    private var seen: Set<String> = []
    /// Where the chunks of the frame end that is being read, and what it has.
    private var frameEnd = 0
    private var inFrame: Set<String> = []
    private var frame: FileListing.Part?
    private var pictureCount = 0

    /// Checks a chunk against those before it.
    mutating func check(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        guard chunk.name != "RIFF" else { return }
        chunkCount += 1
        if chunk.offset < frameEnd { return checkInFrame(chunk, &findings) }
        endFrame(&findings)
        if chunkCount == 1, !["VP8 ", "VP8L", "VP8X"].contains(chunk.name) {
            findings.add("\(chunk.name) comes first, instead of VP8, VP8L or VP8X", at: chunk.offset)
        }
        switch chunk.name {
        case "VP8X": checkExtended(chunk, &findings)
        case "ANIM":
            if (flags ?? 0) & Flag.animation == 0 {
                findings.add("ANIM in a file that is no animation", at: chunk.offset)
            }
            checkOnce(chunk, &findings)
        case "ANMF": beginFrame(chunk, &findings)
        case "ALPH":
            if pictureCount > 0 { findings.add("ALPH after the picture", at: chunk.offset) }
            checkOnce(chunk, &findings)
        case "VP8 ", "VP8L": checkPicture(chunk, &findings)
        case "ICCP", "EXIF", "XMP ": checkMetadata(chunk, &findings)
        default: break
        }
        seen.insert(chunk.name)
    }

    /// Checks what only the end shows.
    mutating func finish(_ listing: FileListing, _ findings: inout StructureFindings) {
        guard !listing.isCut else { return }
        endFrame(&findings)
        if pictureCount == 0 { findings.add("there is no picture") }
        for (flag, name) in [(Flag.colorProfile, "ICCP"), (Flag.exif, "EXIF"), (Flag.xmp, "XMP ")]
        where (flags ?? 0) & flag != 0 && !seen.contains(name) {
            findings.add("VP8X says that there is \(name), and there is none")
        }
        if listing.trailingByteCount > 0 { findings.add("\(listing.trailingByteCount) bytes after the file's end") }
    }

    private func checkOnce(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        if seen.contains(chunk.name) { findings.add("a second \(chunk.name)", at: chunk.offset) }
    }

    private mutating func checkExtended(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        if chunkCount > 1 { findings.add("VP8X does not come first", at: chunk.offset) }
        if chunk.byteCount != 10 { findings.add("VP8X: \(chunk.byteCount ?? 0) bytes instead of 10", at: chunk.offset) }
        guard flags == nil, let width = chunk.count("width"), let height = chunk.count("height") else { return }
        (flags, canvas) = (chunk.count("flags"), PixelSize(width: width, height: height))
    }

    private mutating func beginFrame(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        if (flags ?? 0) & Flag.animation == 0 {
            findings.add("ANMF in a file that is no animation", at: chunk.offset)
        } else if !seen.contains("ANIM") {
            findings.add("ANMF without ANIM in front", at: chunk.offset)
        }
        (frame, inFrame) = (chunk, [])
        frameEnd = chunk.offset + 8 + (chunk.byteCount ?? 0)
        guard let canvas, let x = chunk.count("x"), let y = chunk.count("y"), let width = chunk.count("width"),
            let height = chunk.count("height"), x + width > canvas.width || y + height > canvas.height
        else { return }
        let rect = PixelRect(x: x, y: y, width: width, height: height)
        findings.add("ANMF: \(rect) is not inside the canvas of \(canvas)", at: chunk.offset)
    }

    private mutating func checkInFrame(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        let isPicture = chunk.name == "VP8 " || chunk.name == "VP8L"
        if chunk.name == "ALPH" || isPicture {
            if inFrame.contains(chunk.name) || isPicture && inFrame.contains("picture") {
                findings.add("a second \(chunk.name) in a frame", at: chunk.offset)
            }
            if chunk.name == "ALPH", inFrame.contains("picture") {
                findings.add("ALPH after the picture", at: chunk.offset)
            }
            if chunk.name == "VP8L", inFrame.contains("ALPH") { findings.add("VP8L with ALPH", at: chunk.offset) }
        }
        if isPicture, let frame, let width = chunk.count("width"), let height = chunk.count("height"),
            width != frame.count("width") || height != frame.count("height")
        {
            findings.add(
                "\(chunk.name): \(width)x\(height) pixels, where ANMF has others", at: chunk.offset)
        }
        inFrame.insert(chunk.name)
        if isPicture {
            inFrame.insert("picture")
            pictureCount += 1
        }
    }

    private mutating func endFrame(_ findings: inout StructureFindings) {
        if let frame, !inFrame.contains("picture") { findings.add("ANMF without a picture", at: frame.offset) }
        frame = nil
    }

    private mutating func checkPicture(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        if (flags ?? 0) & Flag.animation != 0 {
            findings.add("\(chunk.name) outside of a frame", at: chunk.offset)
        } else if pictureCount > 0 {
            findings.add("a second picture", at: chunk.offset)
        }
        pictureCount += 1
        guard let canvas, let width = chunk.count("width"), let height = chunk.count("height"),
            canvas != PixelSize(width: width, height: height)
        else { return }
        findings.add("\(chunk.name): \(width)x\(height) pixels on a canvas of \(canvas)", at: chunk.offset)
    }

    private func checkMetadata(_ chunk: FileListing.Part, _ findings: inout StructureFindings) {
        let flag = ["ICCP": Flag.colorProfile, "EXIF": Flag.exif, "XMP ": Flag.xmp][chunk.name] ?? 0
        if (flags ?? 0) & flag == 0 { findings.add("\(chunk.name) of which VP8X does not tell", at: chunk.offset) }
        if chunk.name == "ICCP", pictureCount > 0 { findings.add("ICCP after the picture", at: chunk.offset) }
        checkOnce(chunk, &findings)
    }
}
