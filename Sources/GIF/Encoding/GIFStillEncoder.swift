// From the rows of one picture to the bytes of a GIF file.
//
//   1. survey      which colours are there, and how often?           StillColors
//   2. choose      all of them, or those that stand for them         StillColors
//   3. index       row -> indices, held                              StillColors
//   4. describe    header, table, comments, ... as blocks            GIFBlockWriter, MetadataBlocks
//   5. code        indices -> LZW codes -> sub-blocks                ImageWriter

package import ImageCodecsCore
package import ImageEncoding

/// Writes one picture as a GIF file.
///
/// Exact if there are at most 256 colours, a transparent one included; other pixels get colours that stand for theirs. Translucent
/// pixels become opaque or transparent. Version 87a if nothing of the file needs the later one.
package struct GIFStillEncoder: RowEncoder {
    private enum State: Sendable {
        case ready
        case surveying(StillColors)
        case indexing(StillColors, ScratchBuffer, rowCount: Int)
        case collecting(StillColors, Bitmap, rowCount: Int)
        case ended
    }

    private let picture: EncodedPicture
    private let request: EncodingRequest
    private let metadata: MetadataBlocks
    private var state = State.ready
    private var file = GIFBlockWriter()
    package private(set) var fixedByteCount = 0

    /// - Throws: `limitExceeded(.dimension)` for a side of more than 65,535 pixels, `invalidArgument` for a number of colours that no
    ///   table has.
    package init(_ picture: EncodedPicture, _ request: EncodingRequest) throws(ImageError) {
        try request.options.gif.check(picture.size)
        self.picture = picture
        self.request = request
        metadata = MetadataBlocks(picture.metadata)
    }

    package var rowFormat: PixelFormat { .rgba }
    package var surveysRows: Bool { true }

    package var estimatedByteCount: Int {
        let (size, options) = (picture.size, request.options)
        return max(
            StillColors.choosingByteCount(size, effort: options.effort),
            StillColors.indexingByteCount(size, options)
                .addingSaturated(ImageWriter.byteCount(size, effort: options.effort)))
    }

    package mutating func survey(_ row: RawSpan, work: inout WorkGuard) throws(ImageError) -> Bool {
        if case .ready = state {
            state = .surveying(try StillColors(width: picture.size.width, request))
        }
        guard case .surveying(var colors) = taken() else { return false }
        try colors.look(at: row, &work)
        state = .surveying(colors)
        return true
    }

    package mutating func write(
        _ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        if case .surveying = state, case .surveying(var colors) = taken() {
            try colors.choose(&work)
            try begin(colors)
        }
        switch taken() {
        case .indexing(var colors, var indices, let rowCount):
            let width = picture.size.width
            let place =
                isInterlaced ? RowInterlacing(height: picture.size.height).index(ofRow: rowCount) : rowCount
            try indices.withMutableBytes(place * width..<(place + 1) * width) { (indices) throws(ImageError) in
                try colors.index(row, into: &indices, &work)
            }
            state = .indexing(colors, indices, rowCount: rowCount + 1)
        case .collecting(var colors, var rows, let rowCount):
            try work.spend(picture.size.width)
            rows.withMutableRowBytes(rowCount) { colors.copy(row, into: &$0) }
            state = .collecting(colors, rows, rowCount: rowCount + 1)
        case .ready, .surveying, .ended: break
        }
    }

    /// The state, which is ``State/ended`` afterwards: what is taken out can be changed without being copied.
    private mutating func taken() -> State {
        var current = State.ended
        swap(&current, &state)
        return current
    }

    private mutating func begin(_ colors: consuming StillColors) throws(ImageError) {
        if colors.indexesAtOnce {
            let rows = try Bitmap(uninitialized: picture.size, format: .rgba, meter: request.meter)
            state = .collecting(colors, rows, rowCount: 0)
        } else {
            let indices = try ScratchBuffer(
                byteCount: picture.size.pixelCount ?? .max, meter: request.meter)
            state = .indexing(colors, indices, rowCount: 0)
        }
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        var writer = ImageWriter(effort: request.options.effort, meter: request.meter)
        let image: IndexedImage
        let table: [UInt32]
        switch taken() {
        case .indexing(let colors, let indices, _):
            table = colors.table
            image = IndexedImage(
                PixelRect(picture.size), transparentIndex: table.transparentIndex,
                minimumCodeSize: IndexedImage.minimumCodeSize(indexCount: table.count), isInterlaced: isInterlaced,
                indices: indices)
        case .collecting(var colors, let rows, _):
            table = colors.table
            guard let found = try writer.shortest(colors.images(of: rows, &work), &work) else { return }
            image = found
        case .ready, .surveying, .ended: return
        }
        file.appendScreen(
            picture.size, table, isPlain: metadata.isEmpty && image.transparentIndex == nil,
            aspectRatio: metadata.aspectRatio)
        try metadata.write(to: &file, loopCount: 1, &work)
        if let index = image.transparentIndex {
            var control = GraphicControl()
            control.transparentIndex = index
            file.append(control)
        }
        fixedByteCount = file.pending.totalCount
        try writer.write(image, to: &file, sink, &work)
        file.appendTrailer()
        try file.pending.send(to: sink)
    }

    private var isInterlaced: Bool { request.options.gif.isInterlaced }
}

extension GIFEncodingOptions {
    /// Refuses to lose colours without leave.
    func checkReduction() throws(ImageError) {
        guard !mayReduceColors else { return }
        throw .unsupported(.gif, feature: "more than \(colorCount) colours without loss")
    }

    /// Refuses to make translucent pixels opaque or transparent without leave.
    func checkTranslucencyLoss() throws(ImageError) {
        guard !mayReduceColors else { return }
        throw .unsupported(.gif, feature: "translucent pixels without loss")
    }

    /// Refuses what no file can have.
    func check(_ size: PixelSize) throws(ImageError) {
        let (side, largest) = (max(size.width, size.height), Int(UInt16.max))
        guard side <= largest else { throw .limitExceeded(.dimension, requested: side, allowed: largest) }
        guard (2...256).contains(colorCount) else {
            throw .invalidArgument("a color table of \(colorCount) colours; it has 2 to 256")
        }
    }
}
