// What each animated format implements: how one frame is coded, and a function that decodes its rows.

/// How one frame is coded. Small: every frame of a file has one.
package protocol CodedFrame: Sendable {
    /// How its rows come.
    var rows: SubFrameRows { get }

    /// Bytes that it holds besides itself: tables of its own.
    var heldByteCount: Int { get }

    /// Decodes the frame from its bytes, as far as they go.
    ///
    /// - Parameters:
    ///   - bytes: the frame's bytes, as they stand in the file or as they were kept.
    ///   - offset: where the first of them stands in the file.
    ///   - areKept: whether they were kept while the file came in pieces.
    ///   - rows: takes the rows.
    ///   - meter: counts the memory.
    /// - Returns: the damage of a frame of which every row could be decoded all the same; `nil` if there is none.
    /// - Throws: what ends the rows early; those before it were handed out.
    func decode(
        _ bytes: Span<UInt8>, offset: Int, areKept: Bool, into rows: inout FramePainter, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) -> ImageError?
}
