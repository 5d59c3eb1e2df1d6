// The frames of a file as the compositor wants them: each to be decoded by itself.

package import ImageCore
import PNG

/// Whole frames of a file; a snapshot.
package struct APNGFrames: SubFrameSource {
    package private(set) var plan: CompositionPlan
    /// In the file, the chunks with a frame's data and what stands between them; kept ones are the data alone.
    private var bytes = PagedArray<FrameBytes>()
    private let header: ImageHeader
    private let layout: SampleLayout
    /// Entries of the palette that indices are held against; `nil` where they are not.
    private let paletteCount: Int?
    private let checksChecksums: Bool
    private var store: FrameByteStore
    private let meter: MemoryMeter

    /// What a place in memory takes besides itself.
    private static let blockByteCount = 96

    init(_ header: ImageHeader, _ layout: SampleLayout, paletteCount: Int?, request: DecodingRequest) {
        plan = CompositionPlan(canvasSize: header.size)
        self.header = header
        self.layout = layout
        self.paletteCount = paletteCount
        checksChecksums = request.options.strictness == .strict
        store = FrameByteStore(data: request.data, meter: request.meter)
        meter = request.meter
    }

    /// The same frames of a file in memory.
    func reading(_ data: ImageData?) -> APNGFrames {
        var frames = self
        frames.store = store.reading(data)
        return frames
    }

    /// The most memory that what is known of so many frames takes. Saturates.
    static func byteCount(_ count: Int) -> Int {
        CompositionPlan.byteCount(count).addingSaturated(
            PagedArray<FrameBytes>.byteCount(count, elementByteCount: blockByteCount))
    }

    /// Takes the bytes of a frame that ended.
    mutating func take(_ keeper: inout FrameByteKeeper, work: WorkGuard) throws(ImageError) -> FrameBytes {
        try keeper.end(in: &store, work: work)
    }

    /// Adds a frame.
    ///
    /// - Returns: the frame as it was added.
    mutating func append(
        _ planned: CompositionPlan.Frame, _ bytes: FrameBytes
    ) throws(ImageError) -> CompositionPlan.Frame {
        try self.bytes.append(bytes, elementByteCount: Self.blockByteCount, meter: meter)
        return try plan.append(planned, meter: meter)
    }

    /// What decodes the data of a frame.
    func assembly(size: PixelSize) throws(ImageError) -> FrameAssembly {
        try FrameAssembly(header, size: size, paletteCount: paletteCount, meter: meter)
    }

    /// How the rows of every frame come.
    var rows: SubFrameRows {
        SubFrameRows(layout: layout, order: header.isInterlaced ? .passes : .topToBottom)
    }

    package func rows(of index: Int) -> SubFrameRows { rows }

    package func decode(
        _ index: Int, into painter: inout FramePainter, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        var assembly = try assembly(size: plan[index].info.rect.size)
        let place = bytes[index]
        try store.withBytes(of: place) { (bytes, offset) throws(ImageError) in
            if place.isKept {
                try assembly.decode(bytes, offset: offset, into: &painter, work: &work)
            } else {
                try walk(bytes, offset: offset, &assembly, &painter, &work)
            }
            try assembly.finishRows(into: &painter, work: &work)
            try assembly.end(offset: offset + bytes.count)
        }
    }

    /// Decodes what the chunks of a frame hold.
    private func walk(
        _ bytes: Span<UInt8>, offset: Int, _ assembly: inout FrameAssembly, _ painter: inout FramePainter,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        var reader = ChunkReader.atChunk
        var (position, numberLeft) = (0, 0)
        // What a frame begins with, it goes on with: an IDAT chunk among others of fdAT is nobody's.
        var dataType: ChunkType?
        while let step = try reader.next(in: bytes, from: &position, offset: offset, work: &work) {
            switch step {
            case .begins(let chunk):
                guard chunk.type == dataType ?? chunk.type, chunk.type == .imageData || chunk.type == .frameData
                else { continue }
                dataType = chunk.type
                numberLeft = chunk.type == .frameData ? FrameDataStream.numberByteCount : 0
                reader.take(chunk, .pieces(leading: numberLeft))
            case .piece(_, let body):
                let data = bytes.extracting(body.lowerBound + min(numberLeft, body.count)..<body.upperBound)
                numberLeft = 0
                try assembly.decode(data, offset: offset + body.lowerBound, into: &painter, work: &work)
            case .ends(let chunk, let checksums):
                guard checksums.agree || !checksChecksums else {
                    try assembly.finishRows(into: &painter, work: &work)
                    throw PNGStream.wrongChecksum(of: chunk)
                }
            case .whole: break
            }
        }
    }
}
