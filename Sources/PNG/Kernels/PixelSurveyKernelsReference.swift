// The traits of a row, one pixel after another, bounds-checked. Tests compare the fast kernels with these.

/// Traits of pixels given as samples: one (gray) or four (red, green, blue, alpha) each.
package func pixelTraitsReference(_ pixels: [[UInt16]], maximum: UInt16) -> PixelTraits {
    PixelTraits(
        isOpaque: pixels.allSatisfy { $0.count < 4 || $0[3] == maximum },
        isGray: pixels.allSatisfy { $0.count < 4 || ($0[0] == $0[1] && $0[1] == $0[2]) },
        fitsEightBits: maximum == 255 || pixels.allSatisfy { $0.allSatisfy { $0 >> 8 == $0 & 0xFF } })
}
