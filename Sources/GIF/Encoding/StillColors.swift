// The colours of one picture: counted, chosen, looked up.

import ImageCodecsCore

/// Which colours a picture has, and which of its table each pixel gets.
struct StillColors: Sendable {
    /// The table, straight RGBA with red in the lowest byte; a transparent colour is 0. Known once it is chosen.
    private(set) var table: [UInt32] = []
    private var distinct = DistinctColors()
    private let request: EncodingRequest
    private let width: Int
    /// A row without translucent pixels.
    private var row: ScratchBuffer
    private var indices: ScratchBuffer

    /// - Throws: `limitExceeded(.memory)`.
    init(width: Int, _ request: EncodingRequest) throws(ImageError) {
        self.request = request
        self.width = width
        row = try ScratchBuffer(byteCount: width.multipliedSaturated(by: 4), meter: request.meter)
        indices = try ScratchBuffer(byteCount: width, meter: request.meter)
    }

    /// Bytes that it holds at most. Saturates.
    static func byteCount(_ size: PixelSize) -> Int {
        size.width.multipliedSaturated(by: 5)
    }

    /// Looks at a row of straight RGBA.
    mutating func look(at pixels: RawSpan, _ work: inout WorkGuard) throws(ImageError) {
        cutOut(pixels)
        let (row, width) = (row, width)
        let fits = row.withBytes { row in
            indices.withMutableBytes { distinct.insert(rgba: row, width: width, indices: &$0) }
        }
        guard fits else { throw .unsupported(.gif, feature: "more than 256 colours") }
    }

    /// Chooses the table, after the last row was looked at.
    mutating func choose(_ work: inout WorkGuard) throws(ImageError) {
        table = distinct.colors
    }

    /// Writes the index of each pixel of a row of straight RGBA.
    mutating func index(_ pixels: RawSpan, into indices: inout MutableRawSpan) {
        cutOut(pixels)
        row.withBytes { row in distinct.look(up: row, width: width, into: &indices) }
    }

    private mutating func cutOut(_ pixels: RawSpan) {
        let width = width
        if row.withMutableBytes({ ChangeKernels.cutOut(pixels, into: &$0, count: width) }) {
            request.options.losses?.record(.translucency)
        }
    }
}
