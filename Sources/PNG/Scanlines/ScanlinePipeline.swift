// PNG on two threads: the caller's thread inflates, another makes rows of the unpacked bytes.
//
//   caller   IDAT bytes ──▶ Inflater ──▶ ScanlineBatch                 (assembler)
//   second                                  └──▶ ScanlineReconstruction ──▶ RowSink
//
// Inflating takes two thirds of the time of a photo, so the other third can run at the same time. Whole lines are copied to
// batches of some tens of rows, because the inflater moves its own bytes as it goes on.

import DeflateCodec
import ImageCodecsCore

/// Unpacked bytes of whole lines on their way to another thread.
struct ScanlineBatch: PipelinedRow {
    var bytes: ScratchBuffer
    var byteCount = 0
    /// Where in the file the stream begins that they are of.
    var offset = 0

    /// Bytes of a batch: about 2^18, in whole groups of four lines, at least one group. Four groups if everything
    /// is to pass through the second thread, so that small pictures fill several batches.
    static func capacity(_ form: ScanlineForm) -> Int {
        let four = FilterGroup.largestCount * (form.lineByteCount + 1)
        return SecondThread.isForAll.get() ? 4 * four : max(1, (1 << 18) / four) * four
    }
}

extension ScanlineBatch {
    func emit(into output: inout ScanlineRenderer) throws(ImageError) { try output.render(self) }
}

/// Makes rows of batches, on whatever thread.
struct ScanlineRenderer: Sendable {
    var reconstruction: ScanlineReconstruction
    var sink: RowSink
    var work: WorkGuard

    mutating func render(_ batch: ScanlineBatch) throws(ImageError) {
        var taken = 0
        try batch.bytes.withBytes(0..<batch.byteCount) { (unpacked) throws(ImageError) in
            try reconstruction.reconstruct(
                unpacked, isPressed: true, taken: &taken, offset: batch.offset, into: &sink, &work)
        }
    }
}

/// A decode on two threads, from the first image data of a piece of the file to the last.
///
/// Not a value: it begins and ends while one piece is decoded.
final class ScanlinePipeline: Sendable {
    private let pipeline: RowPipeline<ScanlineBatch>

    /// Batches besides the one that is being filled.
    private static let spareCount = 3
    /// Pictures of fewer pixels stay on one thread: where the other core is busy, what it costs to find that out would be a
    /// tenth of the time of a picture of 2^21 pixels.
    static let secondThread = SecondThread(smallestPixelCount: 1 << 22, smallestByteCount: 1 << 17)

    /// Whether the rows of a picture may be made on a second thread.
    static func isPossible(_ header: ImageHeader, threads: Int) -> Bool {
        secondThread.isPossible(header.size, threads: threads) && !header.isInterlaced
            && !ScanlineForm(header).collectsLines
    }

    /// Bytes of all batches, if the rows may be made on a second thread. Saturates.
    static func byteCount(_ header: ImageHeader, threads: Int) -> Int {
        guard isPossible(header, threads: threads) else { return 0 }
        return ScanlineBatch.capacity(ScanlineForm(header)).multipliedSaturated(by: spareCount + 1)
    }

    /// All batches, the first of which the caller begins with.
    static func makeBatches(_ header: ImageHeader, meter: MemoryMeter?) throws(ImageError) -> [ScanlineBatch] {
        let capacity = ScanlineBatch.capacity(ScanlineForm(header))
        var batches: [ScanlineBatch] = []
        for _ in 0...spareCount {
            batches.append(ScanlineBatch(bytes: try ScratchBuffer(byteCount: capacity, meter: meter)))
        }
        return batches
    }

    /// Starts the second thread.
    init(_ renderer: consuming ScanlineRenderer, spare: consuming [ScanlineBatch], policy: HelperPolicy) {
        var renderers: [ScanlineRenderer] = []
        renderers.append(renderer)
        var spare = spare
        pipeline = RowPipeline(&renderers, spare: &spare, policy: policy)
    }

    /// Hands over a batch for an empty one.
    ///
    /// - Throws: what was wrong with earlier rows.
    func exchange(_ batch: inout ScanlineBatch) throws(ImageError) {
        try pipeline.exchange(&batch)
        batch.byteCount = 0
    }

    /// Waits until all rows are made, ends the second thread and gives back what made them.
    ///
    /// - Throws: what was wrong with a row; `renderer` is given back all the same.
    func finish(_ renderer: inout ScanlineRenderer?, policy: inout HelperPolicy) throws(ImageError) {
        var (renderers, batches): ([ScanlineRenderer], [ScanlineBatch]) = ([], [])
        defer { renderer = renderers.popLast() }
        try pipeline.finish(&renderers, spare: &batches, policy: &policy)
    }
}
