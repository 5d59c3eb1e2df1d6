// Turning and mirroring whole pictures, for pixels of 1, 2, 3, 4 and 8 bytes.
//
// If axes are swapped, rows become columns: the picture is done in tiles, so that the cache lines of a tile's
// columns are used up while they are in the first cache. `OrientationKernelsReference` says the same pixel by pixel.

#if !ReferenceKernels
/// Copies of a picture in another orientation.
package enum OrientationKernels {
    /// Pixels of a tile's side.
    private static let tileSide = 16

    /// Copies a picture as it is to be seen.
    ///
    /// - Parameters:
    ///   - source: The stored picture, rows `bytesPerRow` apart.
    ///   - bytesPerRow: At least a row's pixels.
    ///   - size: Size of the stored picture.
    ///   - bytesPerPixel: 1, 2, 3, 4 or 8.
    ///   - orientation: How it is to be turned.
    ///   - target: Receives the rows of the picture seen, `targetBytesPerRow` apart; bytes between them are left alone.
    ///   - targetBytesPerRow: At least a row's pixels.
    /// - Precondition: both spans hold as many rows as they should; the last may end with its last pixel.
    package static func orient(
        _ source: RawSpan, bytesPerRow: Int, size: PixelSize, bytesPerPixel: Int, orientation: Orientation,
        into target: inout MutableRawSpan, targetBytesPerRow: Int
    ) {
        guard !size.isEmpty else { return }
        let seen = orientation.size(ofStored: size)
        let isSourceLongEnough = holds(size, bytesPerPixel, bytesPerRow, in: source.byteCount)
        let isTargetLongEnough = holds(seen, bytesPerPixel, targetBytesPerRow, in: target.byteCount)
        precondition(isSourceLongEnough && isTargetLongEnough, "rows do not fit their buffer")
        let columnStep = orientation.mirrorsColumns ? -bytesPerPixel : bytesPerPixel
        let rowStep = orientation.mirrorsRows ? -bytesPerRow : bytesPerRow
        let origin =
            (orientation.mirrorsColumns ? (size.width - 1) * bytesPerPixel : 0)
            + (orientation.mirrorsRows ? (size.height - 1) * bytesPerRow : 0)
        unsafe source.withUnsafeBytes { source in
            unsafe target.withUnsafeMutableBytes { target in
                guard let sourceBase = source.baseAddress, let targetBase = target.baseAddress else { return }
                // SAFETY: both buffers hold their pictures (precondition). `origin` is a corner pixel of the source, and
                // the steps lead from it to the others: `columnStep` width - 1 times, `rowStep` height - 1 times.
                let picture = unsafe OrientedPicture(
                    source: sourceBase + origin,
                    stepAlongRow: orientation.swapsAxes ? rowStep : columnStep,
                    stepAlongColumn: orientation.swapsAxes ? columnStep : rowStep,
                    target: targetBase, targetBytesPerRow: targetBytesPerRow, size: seen)
                if orientation.swapsAxes {
                    transpose(picture, bytesPerPixel: bytesPerPixel)
                } else {
                    mirror(picture, bytesPerPixel: bytesPerPixel)
                }
            }
        }
    }

    private static func mirror(_ picture: OrientedPicture, bytesPerPixel: Int) {
        switch bytesPerPixel {
        case 1: picture.copyRows(UInt8.self)
        case 2: picture.copyRows(UInt16.self)
        case 3: picture.copyRowsOfTriples()
        case 4: picture.copyRows(UInt32.self)
        case 8: picture.copyRows(UInt64.self)
        // Not for a file to choose: no `PixelFormat` has another size.
        default: preconditionFailure("\(bytesPerPixel) bytes per pixel")
        }
    }

    private static func transpose(_ picture: OrientedPicture, bytesPerPixel: Int) {
        let size = picture.size
        for top in stride(from: 0, to: size.height, by: tileSide) {
            let rows = top..<min(top + tileSide, size.height)
            for left in stride(from: 0, to: size.width, by: tileSide) {
                let columns = left..<min(left + tileSide, size.width)
                switch bytesPerPixel {
                case 1: picture.copyTile(UInt8.self, columns: columns, rows: rows)
                case 2: picture.copyTile(UInt16.self, columns: columns, rows: rows)
                case 3: picture.copyTripleTile(columns: columns, rows: rows)
                case 4: transposeQuads(of: picture, columns: columns, rows: rows)
                case 8: picture.copyTile(UInt64.self, columns: columns, rows: rows)
                // As above.
                default: preconditionFailure("\(bytesPerPixel) bytes per pixel")
                }
            }
        }
    }

    /// A tile of 4-byte pixels: blocks of 4x4, then what is left over at the right and at the bottom.
    private static func transposeQuads(of picture: OrientedPicture, columns: Range<Int>, rows: Range<Int>) {
        let wholeRows = rows.lowerBound..<rows.lowerBound + rows.count / 4 * 4
        let wholeColumns = columns.lowerBound..<columns.lowerBound + columns.count / 4 * 4
        for y in stride(from: wholeRows.lowerBound, to: wholeRows.upperBound, by: 4) {
            for x in stride(from: wholeColumns.lowerBound, to: wholeColumns.upperBound, by: 4) {
                picture.transposeQuads(x: x, y: y)
            }
        }
        picture.copyTile(UInt32.self, columns: wholeColumns.upperBound..<columns.upperBound, rows: wholeRows)
        picture.copyTile(UInt32.self, columns: columns, rows: wholeRows.upperBound..<rows.upperBound)
    }

    /// Whether rows of `size` fit into `byteCount` bytes.
    private static func holds(_ size: PixelSize, _ bytesPerPixel: Int, _ bytesPerRow: Int, in byteCount: Int) -> Bool {
        let pixels = size.width * bytesPerPixel
        return bytesPerRow >= pixels && (size.height - 1) * bytesPerRow + pixels <= byteCount
    }
}
#endif
