// What the extensions of a file say, kept as far as the limits allow.

import ImageCodecsCore

/// What all extensions so far say.
struct GIFMetadata: Sendable {
    /// The graphic control extension that applies to the next frame.
    fileprivate(set) var control = GraphicControl()
    /// Total number of plays; once if nothing is said.
    private(set) var loopCount = 1
    private(set) var metadata = ImageMetadata()
    /// Whether there was a packet or a profile, kept or not: the first counts.
    private var (hasXMP, hasProfile) = (false, false)
    /// Whether metadata are passed over, which a decode of the first frame alone does not come to.
    var ignoresMetadata = false
    private var budget: MetadataBudget

    init(_ request: DecodingRequest) {
        budget = MetadataBudget(
            limits: request.options.limits, isInspection: request.keepsLittleMetadata, meter: request.meter)
    }

    /// What counts for the image that begins; for the next one it does not any more.
    mutating func consumeControl() -> GraphicControl {
        defer { control = GraphicControl() }
        return control
    }

    mutating func record(_ control: GraphicControl) { self.control = control }

    /// Records what the logical screen says.
    mutating func record(_ screen: LogicalScreen) {
        if screen.globalTableCount > 0 { metadata.background = .paletteIndex(screen.backgroundIndex) }
        // The ratio of a pixel's width to its height is (N + 15) / 64; densities are the other way round.
        if screen.aspectRatio > 0 {
            metadata.density = PixelDensity(x: 64, y: UInt32(screen.aspectRatio) + 15, unit: .aspectRatio)
        }
    }

    /// Records a sub-block of a loop extension.
    mutating func recordLoop(_ subBlock: Span<UInt8>) {
        if let count = ApplicationExtension.loopCount(subBlock) { loopCount = count }
    }

    /// Whether sub-blocks of this size may be kept; `false` if they are longer than the largest item, and are skipped. Throws
    /// if they exceed the metadata limit, however the sub-blocks are cut into runs.
    func admits(_ byteCount: Int) throws(ImageError) -> Bool {
        guard !ignoresMetadata else { return false }
        try budget.admit(leastContent(of: byteCount))
        return byteCount <= MetadataBudget.largestItemByteCount
    }

    /// The least that sub-blocks of this many bytes hold, up to the first number that is refused: however they are cut into
    /// runs, the same is said to be too much.
    private func leastContent(of byteCount: Int) -> Int {
        let content = min(byteCount, MetadataBudget.largestItemByteCount) / 256 * 255
        let refused = (budget.remaining / 255).addingSaturated(1).multipliedSaturated(by: 255)
        return min(content, refused)
    }

    mutating func recordComment(_ run: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) {
        var counter = TextTranscoder(.utf8)
        try SubBlocks.forEach(run, &work) { counter.count($0) }
        counter.finishCount()
        let count = counter.byteCount
        guard count > 0 else { return }
        guard try budget.charge(count) else { return }
        var text = try ScratchBuffer(byteCount: count, meter: budget.meter)
        var writer = TextTranscoder(.utf8)
        try SubBlocks.forEach(run, &work) { piece in text.withMutableBytes { writer.write(piece, into: &$0) } }
        text.withMutableBytes { writer.finishWrite(into: &$0) }
        metadata.comments.append(text.withBytes { $0.decodedUTF8() })
    }

    /// Takes an XMP packet, which stands in the file as it is: lengths of sub-blocks are bytes of the packet, and the last
    /// of them belong to a trailer that leads every reader of sub-blocks to the terminator.
    mutating func recordXMP(_ run: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) {
        guard !hasXMP, !ignoresMetadata else { return }
        hasXMP = true
        if let count = Self.countBeforeTrailer(run) {
            if try budget.charge(count) { metadata.xmp = Array(run.extracting(first: count)) }
        } else {
            // In sub-blocks after all, as some encoders have it.
            let count = try SubBlocks.byteCount(of: run, &work)
            if try budget.charge(count) { metadata.xmp = try SubBlocks.joined(run, byteCount: count, &work) }
        }
    }

    /// Bytes of the trailer that counts down: 1, 255, 254, ... 0.
    static let trailerByteCount = 257

    private static func countBeforeTrailer(_ run: Span<UInt8>) -> Int? {
        let start = run.count - trailerByteCount
        guard start >= 0, run[start] == 1 else { return nil }
        for index in 0..<256 where run[start + 1 + index] != 255 - index { return nil }
        return start
    }

    mutating func recordProfile(_ run: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) {
        guard !hasProfile, !ignoresMetadata else { return }
        hasProfile = true
        let count = try SubBlocks.byteCount(of: run, &work)
        if try budget.charge(count) { metadata.iccProfile = try SubBlocks.joined(run, byteCount: count, &work) }
    }
}
