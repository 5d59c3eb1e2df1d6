// One colour type for all frames, and what is transparent in it.

import ImageCodecsCore
import ImagePalettes
import PNGCodec

/// How the pixels of all frames are written.
///
/// All have one colour type, depth and palette, those of IHDR, PLTE and tRNS. A frame that is laid over the one before needs
/// transparent pixels even if nothing in the animation is transparent: a palette entry, or a colour that no pixel has.
struct FrameColors: Sendable {
    let encoding: PixelEncoding
    /// What transparent pixels are, three bytes with red in the lowest and alpha 0.
    let clear: UInt32
    /// Whether frames can be laid over others, transparent where nothing changes.
    let laysOver: Bool

    private init(_ encoding: PixelEncoding, clear: UInt32 = 0, laysOver: Bool) {
        self.encoding = encoding
        self.clear = clear
        self.laysOver = laysOver
    }

    /// What frames in `format` are written with if nothing is known of their pixels.
    init(unknown format: PixelFormat, grayUse: PixelEncoding.GrayUse) {
        let isGray = format.layout == .gray || format.layout == .grayAlpha
        let eightBits: PixelFormat =
            switch (isGray, format.hasAlpha) {
            case (true, true): .grayAlpha
            case (true, false): .gray
            case (false, true): .rgba
            case (false, false): .rgb
            }
        self.init(
            PixelEncoding(unchanged: eightBits, grayUse: grayUse), laysOver: format.hasAlpha)
    }

    /// The smallest that lose nothing.
    ///
    /// - Parameters:
    ///   - survey: what the pixels of all frames make use of.
    ///   - grayUse: whether equal red, green and blue become one sample.
    ///   - isAnimated: whether there may be frames that do not cover the canvas.
    init(_ survey: FrameColorSurvey, grayUse: PixelEncoding.GrayUse, isAnimated: Bool) {
        let direct = Self.samples(survey, grayUse, isAnimated: isAnimated)
        let isGray = survey.traits.isGray
        guard let colors = survey.counted.colors, !(isGray && grayUse == .required) else {
            self = direct
            return
        }
        let indexed = Self.indices(colors.colors, survey.counted.counts, isAnimated: isAnimated)
        let saved = direct.encoding.bitsPerPixel - indexed.encoding.bitsPerPixel
        if saved == 0, isAnimated, !direct.laysOver, colors.colors.count <= Self.drawingColorCount {
            self = indexed
            return
        }
        // Scanlines are compressed to a quarter or so; PLTE and tRNS not at all.
        let isWorthIt = survey.pixelCount / 32 * saved > 3 * colors.colors.count + 24
        self = saved > 0 && isWorthIt ? indexed : direct
    }

    /// Gray frames of more levels are rather photographs: they gain more by filters than by being laid over others.
    private static let drawingColorCount = 128

    /// A palette, with an entry that is transparent if there is room for it.
    private static func indices(
        _ colors: [UInt32], _ popularity: [Int], isAnimated: Bool
    ) -> FrameColors {
        let takesEntry = isAnimated && !colors.contains(0) && colors.count < DistinctColors.limit
        // Deviation: the standard allows frames whose pixels share bytes, but FFmpeg (9.0) draws them in the wrong place.
        let encoding = PixelEncoding(
            palette: DistinctColors(takesEntry ? colors + [0] : colors), .popularity, popularity, isPacked: !isAnimated)
        return FrameColors(encoding, laysOver: takesEntry || colors.contains(0))
    }

    private static func samples(
        _ survey: FrameColorSurvey, _ grayUse: PixelEncoding.GrayUse, isAnimated: Bool
    ) -> FrameColors {
        let isGray = survey.traits.isGray && grayUse != .refused
        let wantsKey = isAnimated || !survey.traits.isOpaque
        if !survey.isTranslucent, wantsKey, let key = survey.unusedColor, !isGray {
            return FrameColors(
                PixelEncoding(.rgb, bitDepth: 8, colorKey: key), clear: key, laysOver: true)
        }
        // Deviation: the standard allows to lay gray frames with a transparent level over others, but Pillow (13.0) takes that level
        // for opaque then.
        if !survey.isTranslucent, !survey.traits.isOpaque, isGray, let level = survey.unusedLevel {
            return FrameColors(
                PixelEncoding(.gray, bitDepth: 8, colorKey: level), clear: level * 0x01_0101, laysOver: false)
        }
        if survey.traits.isOpaque {
            return FrameColors(PixelEncoding(isGray ? .gray : .rgb, bitDepth: 8), laysOver: false)
        }
        return FrameColors(PixelEncoding(isGray ? .grayAlpha : .rgba, bitDepth: 8), laysOver: true)
    }
}

extension FrameColorSurvey {
    /// The smallest gray that no pixel of gray frames has.
    fileprivate var unusedLevel: UInt32? {
        guard let colors = counted.colors else { return nil }
        let known = Set(colors.colors.filter { $0 >> 24 == 255 }.map { $0 & 0xFF })
        return (0...255).first { !known.contains($0) }
    }
}
