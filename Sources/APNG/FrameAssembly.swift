// One sub-frame: a zlib stream of its own, with the header's colours and depth.
//
//   zlib stream ──▶ PNG's scanline assembler ──▶ rows ──▶ painter

package import ImageCodecsCore
package import PNGCodec

/// Decodes the data of one frame.
///
/// A value: a copy is a checkpoint.
struct FrameAssembly: Sendable {
    private var assembler: ScanlineAssembler

    /// - Parameters:
    ///   - header: IHDR.
    ///   - size: of the frame.
    init(_ header: ImageHeader, size: PixelSize, meter: MemoryMeter?) throws(ImageError) {
        assembler = try ScanlineAssembler.make(header: header.forFrame(of: size), meter: meter)
    }

    /// The most memory that decoding a frame takes. Saturates.
    static func byteCount(_ header: ImageHeader, size: PixelSize) -> Int {
        ScanlineAssembler.byteCount(header.forFrame(of: size))
    }

    mutating func makeUnique() throws(ImageError) { try assembler.makeUnique() }

    /// Decodes the next bytes of the frame's zlib stream; what is after its end is ignored. Some rows may wait, see
    /// ``finishRows(into:work:)``.
    mutating func decode(
        _ data: Span<UInt8>, offset: Int, into rows: inout some ScanlineConsumer, work: inout WorkGuard
    ) throws(ImageError) {
        guard !assembler.isFinished else { return }
        try assembler.consume(data, offset: offset, into: &rows, &work)
    }

    /// Makes the rows that wait for others.
    mutating func finishRows(
        into rows: inout some ScanlineConsumer, work: inout WorkGuard
    ) throws(ImageError) {
        try assembler.finishRows(into: &rows, &work)
    }

    /// Makes the rows that wait, although the data are damaged.
    ///
    /// - Parameter error: what is wrong with the data.
    /// - Returns: what is wrong with the frame, and whether every row came.
    mutating func finishDamaged(
        _ error: ImageError, into rows: inout some ScanlineConsumer, work: inout WorkGuard
    ) throws(ImageError) -> (damage: ImageError, isWhole: Bool) {
        guard error.isDamage else { throw error }
        do throws(ImageError) {
            try finishRows(into: &rows, work: &work)
        } catch let other {
            guard other.isDamage else { throw other }
            return (ImageError.earlier(error, other) ?? error, false)
        }
        return (error, isWhole)
    }

    /// Whether every row came. What follows them may be missing or wrong.
    var isWhole: Bool { assembler.pass == nil }

    /// Ends the data.
    ///
    /// - Throws: `corrupt` if rows are missing, or the checksum after them.
    func end(offset: Int) throws(ImageError) {
        guard !assembler.isFinished else { return }
        throw .corrupt(
            .png, .apngFrameDataShort, offset: offset, reason: "the data of a frame end before its last row")
    }
}

extension ScanlineConsumer where Self: FrameRows {
    package mutating func consume(_ scanline: RawSpan, row: Int, of pass: Adam7.Pass) {
        if pass.number == 0 {
            write(scanline, index: row)
        } else {
            write(scanline, at: pass.place(ofRow: row, height: frameSize.height))
        }
    }
}

extension FramePainter: ScanlineConsumer {}

extension AnimationEngine: ScanlineConsumer {}
