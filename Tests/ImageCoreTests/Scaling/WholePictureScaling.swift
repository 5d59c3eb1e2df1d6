import ImageCodecsCore
import Testing

/// The whole of a picture through a scaler; also checks that rows come in order and all of them.
///
/// - Parameters:
///   - source: The picture's size.
///   - target: Size wanted.
///   - opaque: The fourth byte of a pixel means nothing.
///   - row: The rows of the picture, at least `source.width` pixels each.
func scaled(_ source: PixelSize, to target: PixelSize, opaque: Bool, row: (_ y: Int) -> [UInt8]) throws -> [UInt8] {
    var scaler = try RowScaler(source: source, target: target, alpha: opaque ? .opaque : .premultiplied)
    var pixels: [UInt8] = []
    var rowCount = 0
    for y in 0..<source.height {
        row(y).withRawSpan(first: source.width * 4) { row in
            scaler.push(row) { y, scaledRow in
                #expect(y == rowCount)
                #expect(scaledRow.byteCount == target.width * 4)
                rowCount += 1
                pixels.append(scaledRow)
            }
        }
    }
    #expect(rowCount == target.height)
    #expect(scaler.isComplete)
    return pixels
}

/// The same for pixels in memory, rows without padding.
func scaled(_ pixels: [UInt8], _ source: PixelSize, to target: PixelSize, opaque: Bool) throws -> [UInt8] {
    try scaled(source, to: target, opaque: opaque) { y in
        Array(pixels[y * source.width * 4..<(y + 1) * source.width * 4])
    }
}
