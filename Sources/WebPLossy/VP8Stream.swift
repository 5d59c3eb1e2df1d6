// A VP8 key frame, from bytes to rows of pixels. The pipeline:
//
//   bytes ──▶ header, frame header, partitions (Headers/) ──▶ modes and coefficients of a row of macroblocks (Entropy/)
//         ──▶ prediction, residue (Reconstruction/), loop filter (LoopFilter/) ──▶ upsampling, colour, rows (Output/)

package import ImageCodecsCore

/// Decodes one key frame piece by piece.
///
/// A value: a copy is a checkpoint. Memory: work rows, some 100 bytes for each column of pixels, and the first partition,
/// unless the whole frame comes at once; see ``byteCount(_:firstPartitionByteCount:threads:)``. Of the input, bytes are held
/// back as long as a row of macroblocks may need them: a few kilobytes, one macroblock, if there is one token partition.
/// If there are more, up to the whole frame, for rows take turns among partitions that stand one after the other.
///
/// - Source: RFC 6386 section 5 "Overview of the Decoding Process"
package struct VP8Stream: Sendable {
    /// How much of it is wanted.
    package enum Extent: Hashable, Sendable {
        case rows
        /// What ``VP8Stream/frameInfo`` says: the frame is complete after its frame header, and nothing is made ready for rows.
        case headers
    }

    /// The steps and what they hold, behind one reference: a copy of the stream is a copy of that, and the state is copied
    /// when one of the two goes on.
    private var state: [VP8StreamState]

    /// - Parameters:
    ///   - extent: how much of it is wanted.
    ///   - meter: counts the memory.
    ///   - threads: that may work on the frame, the caller's included; more than two are not used.
    ///   - keepsSamples: whether ``samples`` are wanted besides the rows.
    ///   - keepsMacroblocks: whether ``macroblocks`` are.
    package init(
        extent: Extent = .rows, meter: MemoryMeter?, threads: Int = 1, keepsSamples: Bool = false,
        keepsMacroblocks: Bool = false
    ) {
        state = [
            VP8StreamState(
                extent: extent, meter: meter, threads: threads, keepsSamples: keepsSamples,
                keepsMacroblocks: keepsMacroblocks)
        ]
    }

    /// The most memory that a frame of `size` pixels takes.
    ///
    /// - Parameters:
    ///   - firstPartitionByteCount: as the header says.
    ///   - threads: that may work on it.
    package static func byteCount(_ size: PixelSize, firstPartitionByteCount: Int, threads: Int = 1) -> Int {
        let workspace = MacroblockWorkspace(size)
        return firstPartitionByteCount + RowParser.byteCount(workspace)
            + ParsedRow.byteCount(workspace) * (1 + VP8StreamState.spareRowCount(workspace, threads: threads))
            + PictureRows.byteCount(workspace)
    }

    /// The first ten bytes, once they are there. Nothing but small values is held until the next call.
    package var header: VP8Header? { state[0].header }

    /// What the frame header says, as far as it was read.
    package var frameInfo: VP8FrameInfo? { state[0].frameInfo }

    /// Whether everything that is wanted was read, and every row handed over.
    package var isComplete: Bool { state[0].isComplete }

    /// Rows handed over.
    package var rowCount: Int { state[0].rowCount }

    /// Y, U and V, if they are kept.
    package var samples: YUVPlanes? { state[0].samples }

    /// What is known of the macroblocks, if that is kept.
    package var macroblocks: MacroblockRecords? { state[0].macroblocks }

    /// Makes every buffer this value's own, so that decoding on does not copy it.
    package mutating func makeUnique() throws(ImageError) { try state[0].makeUnique() }

    /// Reads as far as there are bytes.
    ///
    /// The call that finds the first ten bytes reads no more than those, so that sizes can be looked at before memory is
    /// taken: call again with the rest.
    ///
    /// - Parameters:
    ///   - bytes: unread bytes of the frame.
    ///   - offset: where they begin in the file.
    ///   - isFinal: whether no more come.
    ///   - byteCount: bytes of the whole frame, `.max` if that is not known.
    ///   - work: asked for each row of macroblocks, and within those that are wide.
    ///   - place: asked for each row, from top to bottom: B, G, R and 255 for each pixel.
    ///   - take: gets each row for which there is no place.
    /// - Returns: how many bytes are not needed again. The rest comes again, with more after it.
    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, byteCount: Int, work: inout WorkGuard,
        place: RowPlacing = { _, _ in false }, take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) -> Int {
        try state[0].consume(
            bytes, offset: offset, isFinal: isFinal, byteCount: byteCount, work: &work, place: place, take: take)
    }
}
