// A transform as it is coded: its kind, and the small image with its modes, factors or palette.

import ImageCodecsCore

/// What is read of a transform before its image.
///
/// Source: RFC 9649 section 3.5 "Transforms".
struct TransformHeader: Hashable, Sendable {
    /// The transforms, in the order of their numbers.
    enum Kind: Int, Hashable, Sendable { case predictor, color, subtractGreen, colorIndexing }

    let kind: Kind
    /// The exponent of the side of blocks, 2...9; for color indexing of the indices in a byte, 0...3.
    let sizeBits: Int
    /// For color indexing, 1...256.
    let colorCount: Int
    /// The size of the image that comes out when the transform is undone.
    let size: PixelSize

    /// The size of the transform's own image; `nil` if it has none.
    var imageSize: PixelSize? {
        switch kind {
        case .predictor, .color: size.reduced(by: 1 << sizeBits)
        case .subtractGreen: nil
        case .colorIndexing: PixelSize(width: colorCount, height: 1)
        }
    }

    /// The size of the image that goes in when the transform is undone.
    var codedSize: PixelSize {
        guard kind == .colorIndexing else { return size }
        return PixelSize(width: (size.width + (1 << sizeBits) - 1) >> sizeBits, height: size.height)
    }

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - size: of the image that comes out.
    ///   - seen: transforms that were there.
    /// - Returns: `nil` if it is not all there; nothing is read then.
    static func read(
        _ reader: inout VP8LBitReader, _ bytes: RawSpan, size: PixelSize, seen: [TransformHeader]
    ) throws(ImageError) -> TransformHeader? {
        let start = reader
        guard let number = reader.read(2, bytes), let kind = Kind(rawValue: number) else { return nil }
        guard !seen.contains(where: { $0.kind == kind }) else {
            throw start.damage(.vp8lTransformRepeated, "a transform for the second time")
        }
        var (sizeBits, colorCount) = (0, 0)
        switch kind {
        case .predictor, .color:
            guard let bits = reader.read(3, bytes) else {
                reader = start
                return nil
            }
            sizeBits = bits + 2
        case .subtractGreen: break
        case .colorIndexing:
            guard let bits = reader.read(8, bytes) else {
                reader = start
                return nil
            }
            colorCount = bits + 1
            sizeBits = colorCount > 16 ? 0 : colorCount > 4 ? 1 : colorCount > 2 ? 2 : 3
        }
        return TransformHeader(kind: kind, sizeBits: sizeBits, colorCount: colorCount, size: size)
    }

    /// Its description.
    var info: VP8LImageInfo.Transform {
        switch kind {
        case .predictor: .predictor(blockSize: 1 << sizeBits)
        case .color: .color(blockSize: 1 << sizeBits)
        case .subtractGreen: .subtractGreen
        case .colorIndexing: .colorIndexing(colorCount: colorCount, pixelsPerByte: 1 << sizeBits)
        }
    }
}

/// A transform with what it takes to undo it.
struct Transform: Sendable {
    /// What blocks or indices stand for.
    enum Content: Sendable {
        /// The mode of each block.
        case predictor(modes: NumberBuffer<UInt8>)
        /// The factors of each block, as pixels.
        case color(factors: ScratchBuffer)
        case subtractGreen
        /// The pixels of each byte.
        case colorIndexing(table: NumberBuffer<UInt32>)
    }

    let header: TransformHeader
    let content: Content

    /// - Parameter image: the transform's own image, if it has one.
    init(
        _ header: TransformHeader, image: CodedImage?, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        self.header = header
        guard let image, let pixels = image.pixels else {
            content = .subtractGreen
            return
        }
        switch header.kind {
        case .predictor: content = .predictor(modes: try Self.modes(image, pixels, meter, work: &work))
        case .color: content = .color(factors: pixels)
        case .subtractGreen: content = .subtractGreen
        case .colorIndexing:
            content = .colorIndexing(table: try Self.table(pixels, header, meter))
        }
    }

    /// The modes, which are in green: of eight bits the low four, for fourteen modes.
    private static func modes(
        _ image: CodedImage, _ pixels: ScratchBuffer, _ meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) -> NumberBuffer<UInt8> {
        var modes = try NumberBuffer<UInt8>(count: image.pixelCount, meter: meter)
        let width = image.size.width
        for row in 0..<image.size.height {
            pixels.withBytes { pixels in
                modes.withMutableSpan { modes in
                    for block in row * width..<(row + 1) * width { modes[block] = pixels.byte(at: 4 * block + 1) & 15 }
                }
            }
            try work.spend(width)
        }
        return modes
    }

    /// The palette, whose colors are coded as differences to the color before, and from it the pixels of each byte.
    private static func table(
        _ pixels: ScratchBuffer, _ header: TransformHeader, _ meter: MemoryMeter?
    ) throws(ImageError) -> NumberBuffer<UInt32> {
        var colors = pixels.withBytes { pixels in
            let numbers = Span<UInt32>(_bytes: pixels)
            return (0..<header.colorCount).map { numbers[$0] }
        }
        for index in 1..<max(1, colors.count) {
            colors[index] = PredictorKernel.addPixels(colors[index], colors[index - 1])
        }
        var table = try NumberBuffer<UInt32>(count: 256 << header.sizeBits, meter: meter)
        table.withMutableSpan { table in
            colors.withSpan { colors in
                IndexingKernel.fillTable(&table, colors: colors, bundleBits: header.sizeBits)
            }
        }
        return table
    }

    /// The most memory that the contents of all transforms take, for pictures of `blockCount` blocks of the smallest size.
    static func byteCount(blockCount: Int) -> Int { blockCount + 4 * (blockCount + CodedImage.margin) + 4 * 256 * 8 }
}
