// The samples of a picture as they are coded, for those who want Y, U and V.

package import ImageCodecsCore

/// Y, U and V of a picture: filtered, neither upsampled nor converted.
package struct YUVPlanes: Sendable {
    /// Columns and lines of the U plane, and of the V plane.
    package let chromaSize: PixelSize
    package let size: PixelSize
    private var y: ScratchBuffer
    private var u: ScratchBuffer
    private var v: ScratchBuffer

    init(_ workspace: MacroblockWorkspace, meter: MemoryMeter?) throws(ImageError) {
        size = workspace.size
        chromaSize = PixelSize(width: workspace.chromaWidth, height: workspace.chromaHeight)
        y = try ScratchBuffer(zeroedByteCount: size.width * size.height, meter: meter)
        u = try ScratchBuffer(zeroedByteCount: chromaSize.width * chromaSize.height, meter: meter)
        v = try ScratchBuffer(zeroedByteCount: chromaSize.width * chromaSize.height, meter: meter)
    }

    /// Bytes of the planes of a picture.
    package static func byteCount(_ size: PixelSize) -> Int {
        size.width * size.height + 2 * ((size.width + 1) / 2) * ((size.height + 1) / 2)
    }

    mutating func makeUnique() throws(ImageError) {
        try y.makeUnique()
        try u.makeUnique()
        try v.makeUnique()
    }

    /// Stores a line of luma, and with each even one the line of chroma beside it.
    mutating func add(luma: RawSpan, u uLine: RawSpan, v vLine: RawSpan, y line: Int) {
        let width = size.width
        y.withMutableBytes(line * width..<(line + 1) * width) { $0.copy(luma.extracting(first: width)) }
        guard line % 2 == 0 else { return }
        let range = line / 2 * chromaSize.width..<(line / 2 + 1) * chromaSize.width
        u.withMutableBytes(range) { $0.copy(uLine.extracting(first: range.count)) }
        v.withMutableBytes(range) { $0.copy(vLine.extracting(first: range.count)) }
    }

    /// The size of a plane.
    ///
    /// - Parameter plane: 0 for Y, 1 for U, 2 for V.
    package func size(_ plane: Int) -> PixelSize { plane == 0 ? size : chromaSize }

    /// Calls `body` with a line of a plane.
    ///
    /// - Parameters:
    ///   - plane: 0 for Y, 1 for U, 2 for V.
    ///   - line: below the plane's height.
    package func withLine<R>(_ plane: Int, _ line: Int, _ body: (RawSpan) -> R) -> R {
        let width = size(plane).width
        let range = line * width..<(line + 1) * width
        return plane == 0 ? y.withBytes(range, body) : plane == 1 ? u.withBytes(range, body) : v.withBytes(range, body)
    }
}
