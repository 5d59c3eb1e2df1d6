// Turning and mirroring pictures pixel by pixel, as definition of what `OrientationKernels` computes.

/// The safe twin of `OrientationKernels`.
package enum OrientationKernelsReference {
    /// See `OrientationKernels.orient`; what lies between rows is left alone.
    package static func orient(
        _ source: RawSpan, bytesPerRow: Int, size: PixelSize, bytesPerPixel: Int, orientation: Orientation,
        into target: inout MutableRawSpan, targetBytesPerRow: Int
    ) {
        let seen = orientation.size(ofStored: size)
        for y in 0..<seen.height {
            for x in 0..<seen.width {
                let along = orientation.swapsAxes ? y : x
                let across = orientation.swapsAxes ? x : y
                let column = orientation.mirrorsColumns ? size.width - 1 - along : along
                let row = orientation.mirrorsRows ? size.height - 1 - across : across
                let (from, to) = (row * bytesPerRow + column * bytesPerPixel, y * targetBytesPerRow + x * bytesPerPixel)
                for byte in 0..<bytesPerPixel { target.setByte(source.byte(at: from + byte), at: to + byte) }
            }
        }
    }
}

#if ReferenceKernels
package typealias OrientationKernels = OrientationKernelsReference
#endif
