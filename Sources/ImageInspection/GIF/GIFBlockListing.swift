// The blocks of a file as they lie in it, damaged or not: what `imagetool inspect` prints.

import GIFCodec
import ImageCodecsCore

extension FileListing {
    /// The blocks of a GIF file; image data are counted, not decoded.
    init(gif data: ImageData, limits: DecodingLimits) throws(ImageError) {
        self = try data.withBytes { (bytes) throws(ImageError) in
            var listing = GIFBlockListing(maxPartCount: Self.maxPartCount(limits))
            try listing.walk(bytes, limits)
            return listing.result
        }
    }
}

/// Walks through a file and lists its blocks.
private struct GIFBlockListing {
    private typealias Part = FileListing.Part
    private typealias Detail = FileListing.Detail

    /// A block whose sub-blocks are being counted.
    private struct Open {
        var name: String
        let offset: Int
        var summary = ""
        var details: [Detail] = []
        /// Bytes of the block before its sub-blocks.
        let headerByteCount: Int
        var subBlockCount = 0
        var dataByteCount = 0
        /// Sub-blocks with their lengths, the terminator too.
        var coveredByteCount = 0
        var isApplication = false
    }

    private let maxPartCount: Int
    private var parts: [FileListing.Part] = []
    private var open: Open?
    private var screen: LogicalScreen?
    private var trailingByteCount = 0
    private var isCut = false

    init(maxPartCount: Int) { self.maxPartCount = maxPartCount }

    var result: FileListing {
        FileListing(
            format: .gif, vocabulary: FileListing.Vocabulary(part: "block", name: "kind"), parts: parts,
            trailingByteCount: trailingByteCount, isCut: isCut)
    }

    /// Lists the blocks up to the trailer, or to what cannot be a block.
    mutating func walk(_ bytes: Span<UInt8>, _ limits: DecodingLimits) throws(ImageError) {
        var work = WorkGuard(limits: limits)
        work.begin()
        var reader = BlockReader()
        var position = 0
        do throws(ImageError) {
            while let step = try reader.next(in: bytes, from: &position, offset: 0, work: &work) {
                guard parts.count < maxPartCount else {
                    isCut = true
                    break
                }
                list(step, bytes, end: position)
                if case .trailer = step { break }
            }
        } catch {
            guard error.isDamage else { throw error }
        }
        if let open { close(open, isWhole: false) }
        trailingByteCount = bytes.count - position
    }

    private mutating func list(_ step: BlockReader.Step, _ bytes: Span<UInt8>, end: Int) {
        switch step {
        case .screen(let screen):
            self.screen = screen
            add("header", 0, end, "GIF\(screen.version), screen of \(screen.size) pixels")
        case .globalTable(let range):
            add("global color table", range.lowerBound, range.count, "\(range.count / 3) colors")
        case .begins(let label, let offset):
            open = Open(name: Self.name(ofExtension: label), offset: offset, headerByteCount: 2)
            open?.isApplication = label == 0xFF
        case .image(let image): beginImage(image, end: end)
        case .subBlocks(let range): addSubBlocks(bytes.extracting(range))
        case .ends:
            open?.coveredByteCount += 1
            if let open { close(open, isWhole: true) }
            open = nil
        case .trailer(let offset): add("trailer", offset, 1, "")
        }
    }

    private static func name(ofExtension label: UInt8) -> String {
        switch label {
        case 0xF9: "graphic control"
        case 0xFE: "comment"
        case 0x01: "plain text"
        case 0xFF: "application"
        default: "extension 0x" + String(label, radix: 16)
        }
    }

    private mutating func beginImage(_ image: BlockReader.Image, end: Int) {
        let (rect, table) = (image.descriptor.rect, image.descriptor.localTableCount)
        var block = Open(name: "image", offset: image.offset, headerByteCount: end - image.offset)
        block.summary =
            "\(rect) pixels, minimum code size \(image.minimumCodeSize)"
            + (image.descriptor.isInterlaced ? ", interlaced" : "")
            + (table > 0 ? ", \(table) colors of its own" : "")
        block.details = [
            Detail("x", .count(rect.x)), Detail("y", .count(rect.y)), Detail("width", .count(rect.width)),
            Detail("height", .count(rect.height)), Detail("minimumCodeSize", .count(image.minimumCodeSize)),
            Detail("localTableCount", .count(table)),
            Detail("isInterlaced", .flag(image.descriptor.isInterlaced)),
        ]
        if let screen {
            block.details += [
                Detail("screenWidth", .count(screen.size.width)), Detail("screenHeight", .count(screen.size.height)),
            ]
        }
        open = block
    }

    /// Takes whole sub-blocks of the block that is open.
    private mutating func addSubBlocks(_ run: Span<UInt8>) {
        guard var block = open else { return }
        let isFirst = block.subBlockCount == 0
        SubBlocks.forEach(run) { data in
            if block.subBlockCount == 0, isFirst { Self.describe(data, &block) }
            if block.subBlockCount == 1, block.isApplication, let count = ApplicationExtension.loopCount(data),
                block.name == "application", block.details.first?.key == "isLoop"
            {
                block.summary += count == 0 ? ", played for ever" : ", played \(count) times"
            }
            block.subBlockCount += 1
            block.dataByteCount += data.count
        }
        block.coveredByteCount += run.count
        open = block
    }

    /// What the first sub-block of an extension says.
    private static func describe(_ data: Span<UInt8>, _ block: inout Open) {
        if block.name == "graphic control", let control = GraphicControl(data) {
            let transparent = control.transparentIndex.map { ", index \($0) transparent" } ?? ""
            block.summary =
                "\(Int(control.delay) * 10) ms, disposal method \(control.disposalMethod)" + transparent
            block.details = [
                Detail("delay", .count(Int(control.delay))),
                Detail("disposalMethod", .count(Int(control.disposalMethod))),
                Detail("transparentIndex", control.transparentIndex.map { .count(Int($0)) } ?? .missing),
            ]
        } else if block.isApplication {
            block.summary = text(data, limit: 11)
            if ApplicationExtension(data) == .loop { block.details = [Detail("isLoop", .flag(true))] }
        } else if block.name == "comment" {
            block.summary = text(data, limit: 79)
        }
    }

    private static func text(_ data: Span<UInt8>, limit: Int) -> String {
        String(decoding: Array(data.extracting(first: limit)), as: UTF8.self)
    }

    private mutating func close(_ block: Open, isWhole: Bool) {
        let counts = [
            Detail("subBlockCount", .count(block.subBlockCount)), Detail("dataByteCount", .count(block.dataByteCount)),
        ]
        parts.append(
            FileListing.Part(
                name: block.name, offset: block.offset, byteCount: block.headerByteCount + block.coveredByteCount,
                damage: isWhole ? nil : "cut off", summary: block.summary, details: block.details + counts))
    }

    private mutating func add(_ name: String, _ offset: Int, _ byteCount: Int, _ summary: String) {
        parts.append(
            FileListing.Part(
                name: name, offset: offset, byteCount: byteCount, damage: nil, summary: summary, details: []))
    }
}
