// What the body of a chunk says, in a few words for people.

import ImageCodecsCore
import PNGCodec

/// One-line descriptions of chunk bodies; damaged ones are described as far as they can be read.
enum PNGChunkSummary {
    /// The description of `body`, empty for chunk types that are not described.
    ///
    /// - Parameter offset: where the body starts in the file.
    static func text(_ type: ChunkType, _ body: Span<UInt8>, offset: Int) -> String {
        switch type {
        case .imageHeader: imageHeader(body, offset: offset)
        case .appleVariant: "Apple's variant: deflate alone, blue first, colours multiplied by alpha"
        case .palette: "\(body.count / 3) colors"
        case .transparency: "\(body.count) bytes"
        case .gamma: body.count == 4 ? "\(body.bigEndianUInt32(at: 0)) / 100000" : ""
        case .standardRGB: body.count == 1 ? "rendering intent \(body[0])" : ""
        case .physicalPixelDimensions: density(body)
        case .time: time(body)
        case .animationControl: animationControl(body)
        case .frameControl: frameControl(body)
        case .frameData: body.count >= 4 ? "sequence number \(body.bigEndianUInt32(at: 0))" : "not valid"
        case .text, .compressedText, .internationalText, .iccProfile, .suggestedPalette: keyword(body)
        default: ""
        }
    }

    private static func imageHeader(_ body: Span<UInt8>, offset: Int) -> String {
        guard let header = try? ImageHeader(body, offset: offset) else { return "not valid" }
        let storage = header.isInterlaced ? ", Adam7" : ""
        return "\(header.size) pixels, \(header.colorType.description), \(header.bitDepth) bits\(storage)"
    }

    private static func density(_ body: Span<UInt8>) -> String {
        guard body.count == 9 else { return "" }
        let unit = body[8] == 1 ? "per meter" : "(aspect ratio)"
        return "\(body.bigEndianUInt32(at: 0)) x \(body.bigEndianUInt32(at: 4)) \(unit)"
    }

    private static func time(_ body: Span<UInt8>) -> String {
        guard body.count == 7 else { return "" }
        return "\(body.bigEndianUInt16(at: 0))-\(body[2])-\(body[3]) \(body[4]):\(body[5]):\(body[6]) UTC"
    }

    private static func animationControl(_ body: Span<UInt8>) -> String {
        guard body.count == 8 else { return "not valid" }
        let plays = body.bigEndianUInt32(at: 4)
        return "\(body.bigEndianUInt32(at: 0)) frames, played " + (plays == 0 ? "for ever" : "\(plays) times")
    }

    private static func frameControl(_ body: Span<UInt8>) -> String {
        guard body.count == 26 else { return "not valid" }
        let size = "\(body.bigEndianUInt32(at: 4))x\(body.bigEndianUInt32(at: 8))"
        let place = "+\(body.bigEndianUInt32(at: 12))+\(body.bigEndianUInt32(at: 16))"
        let dispose = body[24] < 3 ? ["keep", "clear", "restore"][Int(body[24])] : "dispose \(body[24])"
        let blend = body[25] < 2 ? ["replace", "over"][Int(body[25])] : "blend \(body[25])"
        return "sequence number \(body.bigEndianUInt32(at: 0)), \(size)\(place) pixels, "
            + "\(body.bigEndianUInt16(at: 20))/\(body.bigEndianUInt16(at: 22)) s, \(blend), then \(dispose)"
    }

    /// The Latin-1 text before the first zero byte: at most 79 bytes (PNG 3rd ed. §11.3.3.2 "tEXt").
    private static func keyword(_ body: Span<UInt8>) -> String {
        var text = ""
        for index in 0..<min(body.count, 79) {
            if body[index] == 0 { break }
            text.unicodeScalars.append(Unicode.Scalar(body[index]))
        }
        return text
    }
}
