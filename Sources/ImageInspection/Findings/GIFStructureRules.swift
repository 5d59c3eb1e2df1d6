// In which order the blocks of a GIF file have to come, and what they may say.

import ImageCodecsCore

/// Checks the blocks of a file one after the other.
///
/// - Source: GIF89a (1990), section 18 "Logical Screen Descriptor", 20 "Image Descriptor", 22 "Table Based Image Data",
///   23 "Graphic Control Extension", 27 "Trailer", appendix B "GIF Grammar".
struct GIFStructureRules {
    /// Width and height as the header says; `nil` if it does not, or where decoders take those of the first image.
    private var screen: PixelSize?
    /// Where a graphic control stands that belongs to no image yet.
    private var pendingControl: Int?
    private var hasImage = false
    private var hasTrailer = false

    /// Checks a block against those before it.
    mutating func check(_ block: FileListing.Part, _ findings: inout StructureFindings) {
        if hasTrailer { findings.add("\(block.name) after the trailer", at: block.offset) }
        switch block.name {
        case "header":
            if let width = block.count("width"), let height = block.count("height"), width > 0, height > 0 {
                screen = PixelSize(width: width, height: height)
            }
        case "graphic control":
            reportControl(&findings)
            pendingControl = block.offset
        case "image":
            checkImage(block, &findings)
            hasImage = true
            pendingControl = nil
        case "plain text": pendingControl = nil
        case "trailer": hasTrailer = true
        default: break
        }
    }

    /// Checks what only the end shows.
    func finish(_ listing: FileListing, _ findings: inout StructureFindings) {
        guard !listing.isCut else { return }
        reportControl(&findings)
        if !hasImage { findings.add("there is no image") }
        if !hasTrailer {
            findings.add("the trailer is missing")
        } else if listing.trailingByteCount > 0 {
            findings.add("\(listing.trailingByteCount) bytes after the trailer")
        }
    }

    private func reportControl(_ findings: inout StructureFindings) {
        if let pendingControl { findings.add("graphic control: no image follows it", at: pendingControl) }
    }

    private func checkImage(_ image: FileListing.Part, _ findings: inout StructureFindings) {
        if let size = image.count("minimumCodeSize"), !(1...8).contains(size) {
            findings.add("image: minimum code size \(size)", at: image.offset)
        }
        guard let width = image.count("width"), let height = image.count("height") else { return }
        if width == 0 || height == 0 { findings.add("image: \(width)x\(height) pixels", at: image.offset) }
        guard let screen, let x = image.count("x"), let y = image.count("y") else { return }
        if x + width > screen.width || y + height > screen.height {
            let rect = PixelRect(x: x, y: y, width: width, height: height)
            findings.add("image: \(rect) is not inside the screen of \(screen)", at: image.offset)
        }
    }
}
