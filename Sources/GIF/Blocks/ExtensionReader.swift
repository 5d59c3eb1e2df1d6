// The extensions of a file: what they say is kept, counted before it is.

import ImageCore

/// What all extensions so far say.
struct ExtensionFacts: Sendable {
    /// What counts for the next frame.
    var control = GraphicControl()
    /// Total number of plays; once where nothing is said.
    private(set) var loopCount = 1
    private(set) var metadata = ImageMetadata()
    /// Whether there was a packet or a profile, kept or not: the first counts.
    private var (hasXMP, hasProfile) = (false, false)
    /// Whether metadata are passed over, which a decode of the first frame alone does not come to.
    var passesMetadata = false
    private var budget: MetadataBudget
    /// Bytes of the longest extension that was collected, and as many as were told of it.
    private var longest = 0
    private var told = ToldByteCount()
    private let isInPieces: Bool

    init(_ request: DecodingRequest) {
        isInPieces = request.keepsFrames
        budget = MetadataBudget(
            limits: request.options.limits, isInspection: request.purpose == .inspection, meter: request.meter)
    }

    /// Bytes that metadata take at most. Saturates.
    ///
    /// - Parameter isTold: whether more of the extension that is being read may come before this is asked again.
    func peakByteCount(isTold: Bool) -> Int {
        let longest = isTold ? max(longest, told.byteCount) : longest
        return budget.peakByteCount.addingSaturated(ByteCollector.peakByteCount(collecting: longest))
    }

    /// No more of the extension that was being read comes than did.
    mutating func endTelling() { told = ToldByteCount() }

    /// Takes what the logical screen says.
    mutating func take(_ screen: LogicalScreen) {
        if screen.globalTableCount > 0 { metadata.background = .paletteIndex(screen.backgroundIndex) }
        // The ratio of a pixel's width to its height is (N + 15) / 64; densities are the other way round.
        if screen.aspectRatio > 0 {
            metadata.density = PixelDensity(x: 64, y: UInt32(screen.aspectRatio) + 15, unit: .aspectRatio)
        }
    }

    /// Takes a sub-block of a loop extension.
    fileprivate mutating func takeLoop(_ subBlock: Span<UInt8>) {
        if let count = ApplicationExtension.loopCount(subBlock) { loopCount = count }
    }

    /// Refuses sub-blocks that hold more than may be kept. What is larger than any item is passed over, where an item of
    /// that size is not refused: other runs of the same sub-blocks come by it.
    fileprivate mutating func admits(_ byteCount: Int) throws(ImageError) -> Bool {
        guard !passesMetadata else { return false }
        try budget.admit(leastContent(of: byteCount))
        guard byteCount <= MetadataBudget.largestItemByteCount else {
            longest = MetadataBudget.largestItemByteCount
            return false
        }
        longest = max(longest, byteCount)
        if isInPieces { _ = told.grows(to: byteCount) }
        return true
    }

    /// The least that sub-blocks of so many bytes hold, up to the first number that is refused: however they are cut into
    /// runs, the same is said to be too much.
    private func leastContent(of byteCount: Int) -> Int {
        let content = min(byteCount, MetadataBudget.largestItemByteCount) / 256 * 255
        let refused = (budget.remaining / 255).addingSaturated(1).multipliedSaturated(by: 255)
        return min(content, refused)
    }

    fileprivate mutating func takeComment(_ run: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) {
        var counter = TextTranscoder(.utf8)
        try SubBlocks.forEach(run, &work) { counter.count($0) }
        counter.finishCount()
        let count = counter.byteCount
        guard count > 0 else { return }
        budget.noteTransient(count)
        guard try budget.take(count) else { return }
        var text = try ScratchBuffer(byteCount: count, meter: budget.meter)
        var writer = TextTranscoder(.utf8)
        try SubBlocks.forEach(run, &work) { piece in text.withMutableBytes { writer.write(piece, into: &$0) } }
        text.withMutableBytes { writer.finishWrite(into: &$0) }
        metadata.comments.append(text.withBytes { $0.decodedUTF8() })
    }

    /// Takes an XMP packet, which stands in the file as it is: lengths of sub-blocks are bytes of the packet, and the last
    /// of them belong to a trailer that leads every reader of sub-blocks to the terminator.
    fileprivate mutating func takeXMP(_ run: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) {
        guard !hasXMP, !passesMetadata else { return }
        hasXMP = true
        if let count = Self.countInFrontOfTrailer(run) {
            if try budget.take(count) { metadata.xmp = Array(run.extracting(first: count)) }
        } else {
            // In sub-blocks after all, as some encoders have it.
            let count = try SubBlocks.byteCount(of: run, &work)
            if try budget.take(count) { metadata.xmp = try SubBlocks.joined(run, byteCount: count, &work) }
        }
    }

    /// Bytes of the trailer that counts down: 1, 255, 254, ... 0.
    private static let trailerByteCount = 257

    private static func countInFrontOfTrailer(_ run: Span<UInt8>) -> Int? {
        let start = run.count - trailerByteCount
        guard start >= 0, run[start] == 1 else { return nil }
        for index in 0..<256 where run[start + 1 + index] != 255 - index { return nil }
        return start
    }

    fileprivate mutating func takeProfile(_ run: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) {
        guard !hasProfile, !passesMetadata else { return }
        hasProfile = true
        let count = try SubBlocks.byteCount(of: run, &work)
        if try budget.take(count) { metadata.iccProfile = try SubBlocks.joined(run, byteCount: count, &work) }
    }
}

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

    private static let graphicControlLabel: UInt8 = 0xF9
    private static let commentLabel: UInt8 = 0xFE
    private static let plainTextLabel: UInt8 = 0x01
    private static let applicationLabel: UInt8 = 0xFF

    private var kind: Kind
    private var isFirst = true
    /// Sub-blocks as they stand in the file, where they are wanted as a whole.
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

    /// Takes whole sub-blocks.
    mutating func take(_ run: Span<UInt8>, _ facts: inout ExtensionFacts, work: WorkGuard) throws(ImageError) {
        var rest = run
        if isFirst, run.count > 0 {
            isFirst = false
            let first = run.extracting(1..<1 + Int(run[0]))
            switch kind {
            case .graphicControl:
                if let control = GraphicControl(first) { facts.control = control }
            case .application:
                let application = ApplicationExtension(first)
                kind = .application(application)
                if application == .xmp || application == .iccProfile { collected = ByteCollector(meter: meter) }
                rest = run.extracting(droppingFirst: 1 + first.count)
            case .comment, .plainText, .other: break
            }
        }
        if case .application(.loop) = kind { SubBlocks.forEach(rest) { facts.takeLoop($0) } }
        guard collected != nil else { return }
        if try facts.admits((collected?.count ?? 0) + rest.count) {
            try collected?.append(rest, work: work)
        } else {
            collected = nil
        }
    }

    /// Ends the extension.
    mutating func end(_ facts: inout ExtensionFacts, _ work: inout WorkGuard) throws(ImageError) {
        facts.endTelling()
        // A control extension counts for text as it does for an image.
        if case .plainText = kind { facts.control = GraphicControl() }
        guard let collected = collected.take() else { return }
        try collected.withBytes { (run) throws(ImageError) in
            switch kind {
            case .comment: try facts.takeComment(run, &work)
            case .application(.xmp): try facts.takeXMP(run, &work)
            case .application(.iccProfile): try facts.takeProfile(run, &work)
            default: break
            }
        }
    }
}
