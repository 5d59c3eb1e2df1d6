// How one frame of a file is coded: everything its data need to become rows.

package import ImageCodecsCore

/// One image of a file, without its data.
package struct GIFFrame: CodedFrame {
    /// 1...8.
    let minimumCodeSize: UInt8
    let isInterlaced: Bool
    let transparentIndex: UInt8?
    /// Whether there are no data, so that nothing is drawn.
    let isEmpty: Bool
    /// Whether the image has a color table of its own.
    let hasLocalTable: Bool
    /// Rows of the image.
    let height: UInt16
    let colors: ColorTable

    /// - Parameters:
    ///   - image: what stands before its data.
    ///   - colors: its color table, or that of the file.
    ///   - control: the graphic control extension before it.
    init(_ image: BlockReader.Image, colors: ColorTable, control: GraphicControl) {
        minimumCodeSize = UInt8(clamping: image.minimumCodeSize)
        isInterlaced = image.descriptor.isInterlaced
        isEmpty = image.isEmpty
        // Deviation: an image without data is an error by the standard. The smallest files there are have one, and browsers show nothing.
        transparentIndex = control.transparentIndex ?? (image.isEmpty ? 0 : nil)
        hasLocalTable = !image.localTable.isEmpty
        height = UInt16(clamping: image.descriptor.rect.height)
        self.colors = colors
    }

    package var rows: SubFrameRows {
        SubFrameRows(
            layout: .indexed(bits: 8, palette: colors.palette(transparentIndex: transparentIndex)),
            passes: isInterlaced ? RowInterlacing(height: Int(height)) : nil)
    }

    package var heldByteCount: Int { hasLocalTable ? 4 * colors.rgba.count + 64 : 0 }

    /// What turns the data into rows.
    func makeDecoder(size: PixelSize, meter: MemoryMeter?) throws(ImageError) -> GIFFrameDecoder {
        try GIFFrameDecoder(minimumCodeSize: Int(minimumCodeSize), size: size, meter: meter)
    }

    package func decode(
        _ bytes: Span<UInt8>, offset: Int, areKept: Bool, into rows: inout FramePainter, meter: MemoryMeter?,
        work: inout WorkGuard
    ) throws(ImageError) -> ImageError? {
        guard !isEmpty, !rows.frameSize.isEmpty else { return nil }
        var decoder = try makeDecoder(size: rows.frameSize, meter: meter)
        var reader = BlockReader.inSubBlocks
        var position = 0
        while !decoder.isWhole,
            case .subBlocks(let run) = try reader.next(in: bytes, from: &position, offset: offset, work: &work)
        {
            try decoder.decode(bytes.extracting(run), offset: offset + run.lowerBound, work: &work) {
                rows.write($0, bytesPerRow: $1, from: $2)
            }
        }
        // Of a file that is cut off here. If it is not tolerated, nobody comes this far.
        let rest = reader.cutSubBlock(bytes.extracting(droppingFirst: position))
        try rest.withSpan { (rest) throws(ImageError) in
            try decoder.decode(rest, offset: offset + position, work: &work) {
                rows.write($0, bytesPerRow: $1, from: $2)
            }
        }
        try decoder.end(offset: offset + bytes.count)
        return nil
    }
}
