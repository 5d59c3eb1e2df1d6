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
    /// Four bytes for each pixel that is held, or one if only green is kept, and a margin after them.
    private(set) var pixels: ScratchBuffer?
    /// Which pixels are held.
    private var window: PixelWindow
    /// Whether only green is kept.
    private(set) var keepsOnlyGreen = false
    /// Pixels that are decoded.
    var position: Int { window.firstPixel + state.position }
    /// The row that ``pixels`` begin with.
    var firstHeldRow: Int { window.firstRow }

    private var workspace: NumberBuffer<UInt32>?
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
        try workspace?.makeUnique()
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
        codes = try PrefixCodeStore(groupCount: blocks?.usedCount ?? 1, meter: meter)
    }

    /// Reads prefix codes.
    ///
    /// - Returns: whether all are there.
    mutating func readPrefixCodes(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ buffer: inout CodeLengthBuffer, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        while group < declaredGroupCount {
            let alphabet = PrefixAlphabet.count(code, cacheBits: cacheBits)
            var lengths = lengthReader ?? CodeLengthReader(alphabet: alphabet)
            lengthReader = nil
            let start = reader.position
            let isWhole = try lengths.read(&reader, bytes, &buffer)
            codeBitCount += reader.position - start
            guard isWhole else {
                lengthReader = lengths
                return false
            }
            try endCode(lengths, reader, &buffer, &work)
        }
        return true
    }

    /// Builds the table of a code, and keeps it if its group is used.
    private mutating func endCode(
        _ read: CodeLengthReader, _ reader: VP8LBitReader, _ buffer: inout CodeLengthBuffer, _ work: inout WorkGuard
    ) throws(ImageError) {
        let written = buffer.writtenCount
        try work.spend(read.simple == nil ? written : 2)
        let isUsed = blocks?.isUsed(group) ?? true
        switch Self.build(read, written, &buffer) {
        case .failure(let error): throw error.problem.error(reader)
        case .success(var table):
            guard isUsed else { break }
            if let limit = PrefixCodeStore.smallerRoot(for: table, bitCount: codeBitCount) {
                try work.spend(2 * written)
                table = Self.smaller(table, rootLimit: limit, read, written, &buffer)
            }
            try codes?.append(table, bitCount: codeBitCount, buffer)
        }
        codeBitCount = 0
        code += 1
        if code == 5 {
            if isUsed {
                try work.spend(PackedTableKernel.largestEntryCount)
                try codes?.endGroup(&buffer)
            }
            code = 0
            group += 1
        }
    }

    /// Builds the table of a code anew with a smaller root; with the largest again if that is no gain.
    private static func smaller(
        _ table: BuiltPrefixTable, rootLimit: Int, _ read: CodeLengthReader, _ written: Int,
        _ buffer: inout CodeLengthBuffer
    ) -> BuiltPrefixTable {
        if case .success(let other) = build(read, written, &buffer, rootLimit: rootLimit),
            other.entryCount < table.entryCount
        {
            return other
        }
        _ = build(read, written, &buffer)
        return table
    }

    /// Builds the table of a code in the workspace.
    private static func build(
        _ read: CodeLengthReader, _ written: Int, _ buffer: inout CodeLengthBuffer,
        rootLimit: Int = PrefixTableKernel.rootBitLimit
    ) -> Result<BuiltPrefixTable, PrefixTableError> {
        buffer.lengths.withSpan { lengths in
            buffer.workspace.withMutableSpan { workspace in
                if let symbols = read.simple {
                    PrefixTableKernel.build(symbols, alphabet: read.alphabet, workspace: &workspace)
                } else {
                    PrefixTableKernel.build(
                        lengths.extracting(first: written), workspace: &workspace, rootLimit: rootLimit)
                }
            }
        }
    }

    // MARK: Pixels

    /// Makes room for pixels.
    ///
    /// - Parameter wantsOnlyGreen: whether the other channels do not matter. They are not kept then, if that is enough to
    ///   decode green.
    mutating func beginPixels(wantsOnlyGreen: Bool = false) throws(ImageError) {
        keepsOnlyGreen = wantsOnlyGreen && cacheBits == 0 && codes?.codesOnlyGreen == true
        let held = window.capacity
        let byteCount = keepsOnlyGreen ? held + IndexKernel.margin : 4 * (held + Self.margin)
        pixels = try ScratchBuffer(byteCount: byteCount, meter: meter)
        var space = try NumberBuffer<UInt32>(count: PixelKernel.workspaceCount, meter: meter)
        let distances = BackwardReferences.nearDistances(width: size.width)
        space.withMutableSpan { space in
            for code in distances.indices { space[code] = distances[code] }
        }
        workspace = space
    }

    /// Decodes pixels.
    ///
    /// - Parameters:
    ///   - stop: the pixel up to which is decoded, or a little further; the end of a row.
    ///   - finishedRowCount: rows that are not read again. Of a large image all that are decoded have to be.
    /// - Returns: whether it was reached, or why not. What is decoded up to there is the same however the input was cut.
    mutating func decodePixels(
        to stop: Int, finishedRowCount: Int = 0, _ reader: inout VP8LBitReader, _ bytes: RawSpan,
        work: inout WorkGuard
    ) throws(ImageError) -> PixelPause {
        guard var target = pixels?.handedOver(), var space = workspace?.handedOver(), let codes else {
            return .inputUsed
        }
        window.makeRoom(
            &target, bytesPerPixel: keepsOnlyGreen ? 1 : 4, &state, hasCache: cacheBits > 0, stop: stop,
            finishedRowCount: finishedRowCount)
        let before = (position: reader.position, pixel: state.position)
        let first = window.firstPixel
        let stop = stop - first
        let shape = PixelShape(
            width: size.width, pixelCount: pixelCount - first, firstRow: window.firstRow, cacheBits: cacheBits,
            sizeBits: blocks?.sizeBits ?? 0, blocksPerRow: blocks?.blocksPerRow ?? 0)
        let pause =
            keepsOnlyGreen
            ? Self.runGreen(&state, shape, &target, space, codes, blocks, bytes, &reader.position, stop: stop)
            : Self.run(&state, shape, &target, &space, codes, blocks, bytes, &reader.position, stop: stop)
        pixels = target
        workspace = space
        try work.spend((reader.position - before.position) / 8 + state.position - before.pixel + 1)
        return pause
    }

    /// The damage of a copy that reaches before the first pixel, or beyond the last.
    static func copyDamage(_ reader: VP8LBitReader) -> ImageError {
        reader.damage(.vp8lBackwardReference, "a copy from or to outside of the image")
    }

    private static func run(
        _ state: inout PixelState, _ shape: PixelShape, _ pixels: inout ScratchBuffer,
        _ workspace: inout NumberBuffer<UInt32>, _ codes: PrefixCodeStore, _ blocks: MetaPrefixCodes?, _ input: RawSpan,
        _ bitPosition: inout Int, stop: Int
    ) -> PixelPause {
        pixels.withMutableBytes { pixels in
            workspace.withMutableSpan { workspace in
                codes.records.withSpan { records in
                    codes.arena.withBytes { arena in
                        withGroups(blocks) { blocks in
                            PixelKernel.decode(
                                &state, shape, pixels: &pixels, workspace: &workspace, records: records, arena: arena,
                                blocks: blocks, input: input, bitPosition: &bitPosition, stop: stop)
                        }
                    }
                }
            }
        }
    }

    private static func runGreen(
        _ state: inout PixelState, _ shape: PixelShape, _ indices: inout ScratchBuffer,
        _ workspace: NumberBuffer<UInt32>, _ codes: PrefixCodeStore, _ blocks: MetaPrefixCodes?, _ input: RawSpan,
        _ bitPosition: inout Int, stop: Int
    ) -> PixelPause {
        indices.withMutableBytes { indices in
            workspace.withSpan { workspace in
                codes.records.withSpan { records in
                    codes.arena.withBytes { arena in
                        withGroups(blocks) { blocks in
                            IndexKernel.decode(
                                &state, shape, indices: &indices, distances: workspace, records: records, arena: arena,
                                blocks: blocks, input: input, bitPosition: &bitPosition, stop: stop)
                        }
                    }
                }
            }
        }
    }

    /// The group of each block; none if there is one group.
    private static func withGroups<R>(_ blocks: MetaPrefixCodes?, _ body: (Span<UInt16>) -> R) -> R {
        guard let blocks else { return body(Span()) }
        return blocks.groups.withSpan(body)
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
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, _ buffer: inout CodeLengthBuffer, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        while true {
            switch step {
            case .colorCache:
                guard try readColorCache(&reader, bytes) else { return false }
                try beginPrefixCodes(nil)
                step = .prefixCodes
            case .prefixCodes:
                guard try readPrefixCodes(&reader, bytes, &buffer, work: &work) else { return false }
                try beginPixels()
                step = .pixels
            case .pixels:
                let rows = max(1, Self.runPixelCount / size.width)
                let stop = min((position / size.width + rows) * size.width, pixelCount)
                switch try decodePixels(to: stop, &reader, bytes, work: &work) {
                case .reachedStop: if position == pixelCount { step = .ended }
                case .inputUsed: return false
                case .outside: throw Self.copyDamage(reader)
                }
            case .ended: return true
            }
        }
    }
}
