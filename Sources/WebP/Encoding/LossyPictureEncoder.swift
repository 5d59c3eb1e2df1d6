// One picture with loss: its colours, and its alpha beside them if some pixel is not opaque.
//
//   rows ──┬─▶ VP8Encoder ──────────────────────▶ payload of VP8
//          └─▶ a plane of alpha ──▶ AlphaEncoder ──▶ payload of ALPH

import ImageCodecsCore
import WebPLosslessCodec
import WebPLossyCodec

/// Codes a still picture, or a frame, with loss.
struct LossyPictureEncoder: Sendable {
    /// The payloads of the chunks of a picture.
    struct Picture: Sendable {
        let colors: [UInt8]
        /// `nil` if every pixel is opaque.
        let alpha: [UInt8]?
        /// What it says: one byte a pixel.
        var plane: ScratchBuffer?
        /// Whether each macroblock was left out; empty if none might be.
        var leftOut: [Bool] = []

        /// Whether nothing of it is seen.
        var isLeftOut: Bool { !leftOut.isEmpty && !leftOut.contains(false) }
    }

    private let size: PixelSize
    let settings: VP8Encoder.Settings
    private let alphaEffort: EncodingOptions.Effort
    private let alphaLevelCount: Int
    private let meter: MemoryMeter
    private var encoder: VP8Encoder
    /// One byte a pixel, from the first row on that has one that is not 255.
    private var alpha: ScratchBuffer?
    private var rowCount = 0

    /// Allocates nothing.
    ///
    /// - Parameters:
    ///   - alphaEffort: for alpha; `nil` for that of `settings`.
    ///   - alphaLevelCount: the most levels of alpha, 2...256.
    /// - Throws: `limitExceeded(.dimension)` for a side of more than 16,383 pixels.
    init(
        _ size: PixelSize, _ settings: VP8Encoder.Settings, alphaEffort: EncodingOptions.Effort? = nil,
        alphaLevelCount: Int = 256, meter: MemoryMeter
    ) throws(ImageError) {
        self.alphaLevelCount = alphaLevelCount
        try Self.check(size)
        self.alphaEffort = alphaEffort ?? settings.effort
        self.size = size
        self.settings = settings
        self.meter = meter
        encoder = VP8Encoder(size, settings, meter: meter)
    }

    /// Refuses a picture that no lossy bitstream can hold.
    static func check(_ size: PixelSize) throws(ImageError) {
        let side = max(size.width, size.height)
        guard side <= VP8Encoder.largestSide else {
            throw .limitExceeded(.dimension, requested: side, allowed: VP8Encoder.largestSide)
        }
    }

    /// Bytes that encoding holds at most. Saturates.
    static func byteCount(_ size: PixelSize, _ settings: VP8Encoder.Settings, hasAlpha: Bool) -> Int {
        let colors = VP8Encoder.byteCount(size, settings)
        guard hasAlpha else { return colors }
        // The plane beside the one, then beside the other with the colours' bytes.
        let plane = size.pixelCount ?? .max
        return plane.addingSaturated(
            max(colors, AlphaEncoder.byteCount(size, settings.effort).addingSaturated(plane.multipliedSaturated(by: 2)))
        )
    }

    /// Takes the next row.
    ///
    /// - Parameter row: straight red, green, blue and alpha.
    mutating func add(_ row: RawSpan, _ work: inout WorkGuard) throws(ImageError) {
        try encoder.add(row, &work)
        if alpha != nil || !Self.isOpaque(row, size.width) {
            if alpha == nil {
                alpha = try ScratchBuffer(byteCount: size.width * size.height, meter: meter)
                alpha?.fill(0..<rowCount * size.width, with: 255)
            }
            let (start, width) = (rowCount * size.width, size.width)
            alpha?.withMutableBytes(start..<start + width) { plane in
                for x in 0..<width { plane.setByte(row.byte(at: 4 * x + 3), at: x) }
            }
        }
        rowCount += 1
    }

    private static func isOpaque(_ row: RawSpan, _ width: Int) -> Bool {
        for x in 0..<width where row.byte(at: 4 * x + 3) != 255 { return false }
        return true
    }

    /// Codes the picture, after the last row.
    ///
    /// - Parameter shownErrors: as of `VP8Encoder.finish`; what is left out becomes transparent.
    mutating func finish(shownErrors: [UInt32] = [], _ work: inout WorkGuard) throws(ImageError) -> Picture {
        var plane = alpha.take()
        let isReduced = try reduceLevels(&plane, &work)
        let colors =
            if let plane {
                try plane.withBytes { (plane) throws(ImageError) in
                    try encoder.finish(alpha: plane, shownErrors: shownErrors, &work)
                }
            } else {
                try encoder.finish(shownErrors: shownErrors, &work)
            }
        let leftOut = encoder.leftOut
        let bare = Picture(colors: colors, alpha: nil, leftOut: leftOut)
        if bare.isLeftOut { return bare }
        if leftOut.contains(true) { try hide(leftOut, &plane, &work) }
        guard let plane else { return bare }
        let payload = try plane.withBytes { (plane) throws(ImageError) in
            try AlphaEncoder(size, effort: alphaEffort, meter: meter).payload(
                of: plane, hasReducedLevels: isReduced, work: &work)
        }
        return Picture(colors: colors, alpha: payload, plane: plane, leftOut: leftOut)
    }

    /// Makes alpha have fewer levels, if it has too many.
    ///
    /// - Returns: whether it had.
    private func reduceLevels(_ plane: inout ScratchBuffer?, _ work: inout WorkGuard) throws(ImageError) -> Bool {
        guard alphaLevelCount < 256, let alpha = plane else { return false }
        var counts = [Int](repeating: 0, count: 256)
        try work.spend(alpha.byteCount)
        alpha.withBytes { bytes in for x in 0..<bytes.byteCount { counts[Int(bytes.byte(at: x))] += 1 } }
        let levels = AlphaLevels(counts, levelCount: alphaLevelCount)
        guard levels.areReduced else { return false }
        for y in 0..<size.height {
            try work.spend(size.width)
            plane?.withMutableBytes(y * size.width..<(y + 1) * size.width) { row in
                for x in 0..<row.byteCount { row.setByte(levels.table[Int(row.byte(at: x))], at: x) }
            }
        }
        return true
    }

    /// Makes macroblocks transparent.
    private func hide(_ macroblocks: [Bool], _ plane: inout ScratchBuffer?, _ work: inout WorkGuard) throws(ImageError)
    {
        if plane == nil {
            plane = try ScratchBuffer(byteCount: size.width * size.height, filledWith: 255, meter: meter)
        }
        let columnCount = (size.width + 15) / 16
        for y in 0..<size.height {
            try work.spend(columnCount)
            for column in 0..<columnCount where macroblocks[y / 16 * columnCount + column] {
                let row = y * size.width
                plane?.fill(row + 16 * column..<row + min(16 * column + 16, size.width), with: 0)
            }
        }
    }
}

extension RIFFWriter {
    /// Appends the chunks of a picture.
    mutating func append(_ picture: LossyPictureEncoder.Picture) {
        if let alpha = picture.alpha { append(.alpha, alpha) }
        append(.lossy, picture.colors)
    }
}
