// One extension while its sub-blocks come: what it says goes into `GIFMetadata`.

import ImageCodecsCore

/// One extension while it is read.
struct ExtensionReader: Sendable {
    private enum Kind: Sendable {
        case graphicControl
        case comment
        case plainText
        /// `nil` until the block with the name came.
        case application(ApplicationExtension?)
        case other
    }

    static let graphicControlLabel: UInt8 = 0xF9
    static let commentLabel: UInt8 = 0xFE
    static let plainTextLabel: UInt8 = 0x01
    static let applicationLabel: UInt8 = 0xFF

    private var kind: Kind
    private var isFirst = true
    /// Sub-blocks as they stand in the file, if they are wanted as a whole.
    private var collected: ByteCollector?
    private let meter: MemoryMeter

    init(label: UInt8, meter: MemoryMeter) {
        self.meter = meter
        switch label {
        case Self.graphicControlLabel: kind = .graphicControl
        case Self.commentLabel: kind = .comment
        case Self.plainTextLabel: kind = .plainText
        case Self.applicationLabel: kind = .application(nil)
        default: kind = .other
        }
        if case .comment = kind { collected = ByteCollector(meter: meter) }
    }

    /// Consumes whole sub-blocks.
    mutating func consume(
        _ run: Span<UInt8>, _ metadata: inout GIFMetadata, work: WorkGuard
    ) throws(ImageError) {
        var rest = run
        if isFirst, run.count > 0 {
            isFirst = false
            let first = run.extracting(1..<1 + Int(run[0]))
            switch kind {
            case .graphicControl:
                if let control = GraphicControl(first) { metadata.record(control) }
            case .application:
                let application = ApplicationExtension(first)
                kind = .application(application)
                if application == .xmp || application == .iccProfile { collected = ByteCollector(meter: meter) }
                rest = run.extracting(droppingFirst: 1 + first.count)
            case .comment, .plainText, .other: break
            }
        }
        if case .application(.loop) = kind { SubBlocks.forEach(rest) { metadata.recordLoop($0) } }
        guard collected != nil else { return }
        if try metadata.admits((collected?.count ?? 0) + rest.count) {
            try collected?.append(rest, work: work)
        } else {
            collected = nil
        }
    }

    /// Ends the extension.
    mutating func end(_ metadata: inout GIFMetadata, _ work: inout WorkGuard) throws(ImageError) {
        // A graphic control extension before plain text applies to that text, and not to the next image.
        if case .plainText = kind { metadata.record(GraphicControl()) }
        guard let collected = collected.take() else { return }
        try collected.withBytes { (run) throws(ImageError) in
            switch kind {
            case .comment: try metadata.recordComment(run, &work)
            case .application(.xmp): try metadata.recordXMP(run, &work)
            case .application(.iccProfile): try metadata.recordProfile(run, &work)
            default: break
            }
        }
    }
}
