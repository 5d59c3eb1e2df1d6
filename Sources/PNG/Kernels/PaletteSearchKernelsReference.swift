// Looking colours up one after another. Tests compare the fast kernel with this.

/// The position of each pixel's colour in `colors`, up to the first pixel whose colour is not there.
package func paletteSearchReference(_ pixels: [UInt32], in colors: [UInt32]) -> [UInt8] {
    var indices: [UInt8] = []
    for pixel in pixels {
        guard let index = colors.firstIndex(of: pixel) else { break }
        indices.append(UInt8(index))
    }
    return indices
}
