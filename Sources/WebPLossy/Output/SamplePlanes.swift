// The samples of a picture as they are coded, for those who want Y, U and V.

package import ImageCore

/// Y, U and V of a picture: filtered, neither upsampled nor converted.
package struct SamplePlanes: Sendable {
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

    /// Calls `body` with each plane: Y, U, V.
    package func forEachPlane(_ body: (_ samples: RawSpan, _ size: PixelSize) -> Void) {
        y.withBytes { body($0, size) }
        u.withBytes { body($0, chromaSize) }
        v.withBytes { body($0, chromaSize) }
    }
}
