// Which scale of the inverse DCT a thumbnail is made from.
//
// In: the frame and the size wanted. Out: the frame at one of the four scales; the row scaler does what is left.

package import ImageCodecsCore

extension FrameGeometry {
    /// The frame at the smallest scale from which the picture is reduced to `target` in the quality wanted.
    ///
    /// A scaled transform gives means of squares. They are softer than what the row scaler makes of all pixels, and
    /// alias; both fade when the row scaler has pixels to spare. The most textured of the photographs that were measured
    /// comes out at 31 dB from the whole picture scaled with little more than one for each of the result, either way, at 42
    /// with two, at 46 with two and a half.
    ///
    /// Chroma that is still to be upsampled has fewer samples than the picture has pixels, and all that is said of pixels
    /// holds for them, though they matter less. 4:2:0 never is: its chroma blocks stay twice as large as those of luma.
    /// 4:2:2 is, and 4:1:1 by four.
    ///
    /// - Parameter quality: `.fast` accepts a picture not smaller than `target`, `.best` one with at least five pixels for
    ///   two of the target across and down, and at least three samples of each component for two.
    package func reduced(to target: PixelSize, _ quality: DecodingOptions.ThumbnailQuality) -> FrameGeometry {
        for scale in DCTScale.allCases {
            let geometry = scaled(to: scale)
            guard geometry.hasWholeBlocks else { continue }
            let isEnough =
                switch quality {
                case .fast: geometry.outputSize.width >= target.width && geometry.outputSize.height >= target.height
                case .best: geometry.hasPixelsToSpare(for: target)
                }
            if isEnough { return geometry }
        }
        return scaled(to: .full)
    }

    /// Whether components of one sample a block have a whole block across and down: it stands in for one that reaches beyond
    /// the picture, see `PictureEdges`.
    private var hasWholeBlocks: Bool {
        components.allSatisfy {
            $0.keepsAC
                || size.width * $0.horizontalSampling >= 8 * maximumHorizontalSampling
                    && size.height * $0.verticalSampling >= 8 * maximumVerticalSampling
        }
    }

    /// Whether there are five pixels, and three samples of each component, for two of the target.
    private func hasPixelsToSpare(for target: PixelSize) -> Bool {
        // What the whole picture has to have for one. No product exceeds 5 * 65535 * 8 * 4.
        let across = scale.reduction * target.width
        let down = scale.reduction * target.height
        return 2 * size.width >= 5 * across && 2 * size.height >= 5 * down
            && components.allSatisfy {
                2 * size.width >= 3 * across * $0.horizontalExpansion
                    && 2 * size.height >= 3 * down * $0.verticalExpansion
            }
    }
}
