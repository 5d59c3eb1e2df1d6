// One entropy-coded image: the picture itself, or one of the small images that transforms and meta prefix codes are kept in.
//
//   color cache? ──▶ (the picture: entropy image) ──▶ prefix codes, five for each group ──▶ pixels
//
// Each step stops and goes on between any two units: code lengths, pixels, copies.

import ImageCodecsCore

/// An image while it is decoded.
///
/// Source: RFC 9649 section 3.6.2 "Encoding of Image Data", section 3.8.3 "Structure of the Image Data".
struct CodedImage: Sendable {
    let size: PixelSize
    /// 1...11, or 0 if there is no cache.
    private(set) var cacheBits = 0
    /// The groups that blocks use; `nil` if there is one group.
    private(set) var blocks: MetaPrefixCodes?
    private(set) var codes: PrefixCodeStore?
    /// Four bytes for each pixel that is held, and a margin after them; if only green is kept one byte, first in as many bytes
    /// or, with a color cache, in four times as many.
    private(set) var pixels: ScratchBuffer?
    /// Which pixels are held.
    private var window: PixelWindow
    /// Whether only green is kept; with a color cache, up to a pixel that no index stands for.
    private(set) var keepsOnlyGreen = false
    /// Pixels that are decoded.
    var position: Int { window.firstPixel + state.position }
    /// The row that ``pixels`` begin with.
    var firstHeldRow: Int { window.firstRow }

    /// Counts from the first pixel that is held.
    private var state = PixelState()
    /// The code that is being read, and of which group of the bitstream it is.
    private var lengthReader: CodeLengthReader?
    private var (group, code) = (0, 0)
    /// Bits of that code that were read.
    private var codeBitCount = 0
    private let meter: MemoryMeter?

    /// Pixels after the image that kernels read or write.
    static let margin = 16

    /// - Parameters:
    ///   - size: of the image.
    ///   - windowSlack: see ``PixelWindow``; `nil` if all of the image is held.
    ///   - meter: counts what is held.
    init(size: PixelSize, windowSlack: Int? = nil, meter: MemoryMeter?) {
        self.size = size
        self.meter = meter
        window = PixelWindow(size, slack: windowSlack)
    }

    /// At most 2^28, for sides have 14 bits.
    var pixelCount: Int { size.width * size.height }
    /// Groups that the bitstream has.
    var declaredGroupCount: Int { blocks?.declaredCount ?? 1 }

    mutating func makeUnique() throws(ImageError) {
        try blocks?.makeUnique()
        try codes?.makeUnique()
        try pixels?.makeUnique()
    }

    // MARK: Color cache

    /// Reads the size of the color cache.
    ///
    /// - Returns: whether it is there.
    mutating func readColorCache(_ reader: inout VP8LBitReader, _ bytes: RawSpan) throws(ImageError) -> Bool {
        let start = reader
        guard let hasCache = reader.read(1, bytes) else { return false }
        guard hasCache == 1 else { return true }
        guard let bitCount = reader.read(4, bytes) else {
            reader = start
            return false
        }
        guard (1...ColorCache.largestBitCount).contains(bitCount) else {
            throw start.damage(.vp8lColorCache, "a color cache of \(bitCount) bits")
        }
        cacheBits = bitCount
        return true
    }

    // MARK: Prefix codes

    /// Makes room for groups.
    ///
    /// - Parameters:
    ///   - blocks: which group the pixels of each block are decoded with; `nil` if there is one group.
    mutating func beginPrefixCodes(_ blocks: MetaPrefixCodes?) throws(ImageError) {
        self.blocks = blocks
        codes = try PrefixCodeStore(groupCount: blocks?.usedCount ?? 1, pixelCount: pixelCount, meter: meter)
    }

    /// Reads prefix codes.
    ///
    /// - Returns: whether all are there.
    mutating func readPrefixCodes(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ workspace: inout VP8LWorkspace, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        while group < declaredGroupCount {
            let alphabet = PrefixAlphabet.count(code, cacheBits: cacheBits)
            var lengths = lengthReader ?? CodeLengthReader(alphabet: alphabet)
            lengthReader = nil
            let start = reader.position
            let isWhole = try lengths.read(&reader, bytes, &workspace)
            codeBitCount += reader.position - start
            guard isWhole else {
                lengthReader = lengths
                return false
            }
            try endCode(lengths, reader, &workspace, &work)
        }
        return true
    }

    /// Builds the table of a code, and keeps it if its group is used.
    private mutating func endCode(
        _ read: CodeLengthReader, _ reader: VP8LBitReader, _ workspace: inout VP8LWorkspace, _ work: inout WorkGuard
    ) throws(ImageError) {
        let written = workspace.writtenCount
        try work.spend(read.simple == nil ? written : 2)
        let isUsed = blocks?.isUsed(group) ?? true
        switch Self.build(read, written, &workspace) {
        case .failure(let error): throw error.problem.error(reader)
        case .success(var table):
            guard isUsed else { break }
            if let limit = PrefixCodeStore.smallerRoot(for: table, bitCount: codeBitCount) {
                try work.spend(2 * written)
                table = Self.smaller(table, rootLimit: limit, read, written, &workspace)
            }
            try codes?.append(table, bitCount: codeBitCount, workspace)
        }
        codeBitCount = 0
        code += 1
        if code == 5 {
            if isUsed {
                try work.spend(PackedTableKernel.largestEntryCount)
                try codes?.endGroup(&workspace)
            }
            code = 0
            group += 1
        }
    }

    /// Builds the table of a code anew with a smaller root; with the largest again if that is no gain.
    private static func smaller(
        _ table: BuiltPrefixTable, rootLimit: Int, _ read: CodeLengthReader, _ written: Int,
        _ workspace: inout VP8LWorkspace
    ) -> BuiltPrefixTable {
        if case .success(let other) = build(read, written, &workspace, rootLimit: rootLimit),
            other.entryCount < table.entryCount
        {
            return other
        }
        _ = build(read, written, &workspace)
        return table
    }

    /// Builds the table of a code in the workspace.
    private static func build(
        _ read: CodeLengthReader, _ written: Int, _ workspace: inout VP8LWorkspace,
        rootLimit: Int = PrefixTableKernel.rootBitLimit
    ) -> Result<BuiltPrefixTable, PrefixTableError> {
        workspace.withLengths { lengths, codes in
            if let symbols = read.simple {
                PrefixTableKernel.build(symbols, alphabet: read.alphabet, workspace: &codes)
            } else {
                PrefixTableKernel.build(
                    lengths.span.extracting(first: written), workspace: &codes, rootLimit: rootLimit)
            }
        }
    }

    // MARK: Pixels

    /// Makes room for pixels.
    ///
    /// - Parameters:
    ///   - workspace: becomes this image's.
    ///   - wantsOnlyGreen: whether the other channels do not matter. They are not kept then, if that is enough to decode green.
    mutating func beginPixels(
        _ workspace: inout VP8LWorkspace, wantsOnlyGreen: Bool = false
    ) throws(ImageError) {
        let others = cacheBits == 0 ? 0 : codes?.literal
        keepsOnlyGreen = wantsOnlyGreen && codes?.codesOnlyGreen == true && others != nil
        let held = window.capacity
        // With a color cache it may be that all channels are needed after all.
        let byteCount = keepsOnlyGreen && cacheBits == 0 ? held + IndexKernel.margin : 4 * (held + Self.margin)
        pixels = try ScratchBuffer(byteCount: byteCount, meter: meter)
        workspace.beginPixels(width: size.width, cacheBits: cacheBits)
    }

    /// Decodes pixels.
    ///
    /// - Parameters:
    ///   - stop: the pixel up to which is decoded, or a little further; the end of a row.
    ///   - finishedRowCount: rows that are not read again. Of a large image all that are decoded have to be.
    /// - Returns: whether it was reached, or why not. What is decoded up to there is the same however the input was cut.
    mutating func decodePixels(
        to stop: Int, finishedRowCount: Int = 0, _ reader: inout VP8LBitReader, _ bytes: RawSpan,
        _ workspace: inout VP8LWorkspace, work: inout WorkGuard
    ) throws(ImageError) -> PixelPause {
        guard var target = pixels.take() else { return .inputUsed }
        window.makeRoom(
            &target, bytesPerPixel: keepsOnlyGreen ? 1 : 4, &state, stop: stop, finishedRowCount: finishedRowCount)
        let before = (position: reader.position, pixel: state.position)
        var pause = runKernel(&target, to: stop, &reader.position, bytes, &workspace)
        if pause == .unsetColor {
            Self.widen(&target, count: state.position, literal: codes?.literal ?? 0)
            keepsOnlyGreen = false
            pause = runKernel(&target, to: stop, &reader.position, bytes, &workspace)
        }
        pixels = target
        try work.spend((reader.position - before.position) / 8 + state.position - before.pixel + 1)
        return pause
    }

    /// Decodes pixels, or indices if only green is kept.
    private mutating func runKernel(
        _ target: inout ScratchBuffer, to stop: Int, _ bitPosition: inout Int, _ bytes: RawSpan,
        _ workspace: inout VP8LWorkspace
    ) -> PixelPause {
        let first = window.firstPixel
        let stop = stop - first
        let shape = PixelShape(
            width: size.width, pixelCount: pixelCount - first, firstRow: window.firstRow, cacheBits: cacheBits,
            sizeBits: blocks?.sizeBits ?? 0, blocksPerRow: blocks?.blocksPerRow ?? 0)
        var state = state
        defer { self.state = state }
        let pause = codes?.withTables { records, arena in
            withGroups { groups in
                target.withMutableBytes { pixels in
                    workspace.withPlaces { places in
                        keepsOnlyGreen
                            ? IndexKernel.decode(
                                &state, shape, literal: codes?.literal ?? 0, indices: &pixels, workspace: &places,
                                records: records, arena: arena, blocks: groups, input: bytes,
                                bitPosition: &bitPosition, stop: stop)
                            : PixelKernel.decode(
                                &state, shape, pixels: &pixels, workspace: &places, records: records, arena: arena,
                                blocks: groups, input: bytes, bitPosition: &bitPosition, stop: stop)
                    }
                }
            }
        }
        return pause ?? .inputUsed
    }

    /// Makes pixels of indices, in place: the last comes first, so that none is written over before it is read.
    private static func widen(_ buffer: inout ScratchBuffer, count: Int, literal: UInt32) {
        buffer.withMutableBytes { bytes in
            for place in (0..<count).reversed() {
                let pixel = literal | UInt32(bytes.byte(at: place)) << 8
                bytes.storeBytes(of: pixel, toByteOffset: 4 * place, as: UInt32.self)
            }
        }
    }

    /// The damage of a copy that reaches before the first pixel, or beyond the last.
    static func copyDamage(_ reader: VP8LBitReader) -> ImageError {
        reader.damage(.vp8lBackwardReference, "a copy from or to outside of the image")
    }

    /// The group of each block; none if there is one group.
    private func withGroups<R>(_ body: (Span<UInt16>) -> R) -> R {
        blocks?.groups.withSpan(body) ?? body(Span())
    }

    // MARK: Small images

    private enum Step: Sendable { case colorCache, prefixCodes, pixels, ended }
    private var step = Step.colorCache

    /// Pixels that are decoded between two looks at the clock, about.
    static let runPixelCount = 1 << 14

    /// Reads an image of a single group from its color cache to its last pixel.
    ///
    /// - Returns: whether it is all there.
    mutating func readWhole(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ workspace: inout VP8LWorkspace, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        while true {
            switch step {
            case .colorCache:
                guard try readColorCache(&reader, bytes) else { return false }
                try beginPrefixCodes(nil)
                step = .prefixCodes
            case .prefixCodes:
                guard try readPrefixCodes(&reader, bytes, &workspace, work: &work) else { return false }
                try beginPixels(&workspace)
                step = .pixels
            case .pixels:
                let rows = max(1, Self.runPixelCount / size.width)
                let stop = min((position / size.width + rows) * size.width, pixelCount)
                switch try decodePixels(to: stop, &reader, bytes, &workspace, work: &work) {
                case .reachedStop: if position == pixelCount { step = .ended }
                // Of small images all channels are kept.
                case .inputUsed, .unsetColor: return false
                case .outside: throw Self.copyDamage(reader)
                }
            case .ended: return true
            }
        }
    }
}
