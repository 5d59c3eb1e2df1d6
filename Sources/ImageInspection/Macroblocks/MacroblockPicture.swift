// One lossy picture with its macroblocks drawn over it, and a legend below.

import ImageCodecs
public import ImageCodecsCore
import WebPLossyCodec

/// A lossy WebP picture, darkened and magnified, with what its macroblocks say drawn over it.
///
/// For study: prediction modes as signs, segments as colours, filter levels as the colours of edges, and a legend that counts
/// them.
public struct MacroblockPicture: Sendable {
    /// The drawing, in `PixelFormat.rgb`.
    public let bitmap: Bitmap
    /// What is wrong with the frame, which is drawn as far as it can be decoded; `nil` if it is not damaged.
    public let damage: ImageError?

    /// Pixels that a pixel of the picture may be drawn with.
    package static let scales = 1...16

    private static let gap = 12
    /// The largest side of a picture that is magnified, and how much it is at most.
    private static let (magnifiedSide, largestScale) = (1600, 8)

    /// Refuses a file of another format, from its first bytes.
    ///
    /// - Throws: `unknownFormat`, `unsupported`.
    public static func check(_ header: Span<UInt8>) throws(ImageError) {
        _ = try ImageFormat(sniffing: header, for: "drawing its macroblocks", of: [.webP])
    }

    /// Draws one frame of a file.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - index: The frame of an animation, from 0; `nil` for the first lossy one.
    ///   - layers: What is drawn.
    ///   - scale: Pixels for each pixel of the picture, 1 to 16; `nil` for as many as fit into 1600, at most 8.
    ///   - limits: Those of the decode, and of the drawing's size.
    /// - Throws: `invalidArgument` if the frame does not exist or is lossless, or for another scale; `unknownFormat` or
    ///   `unsupported` for another file; what decoding throws if no row of macroblocks can be decoded.
    public init(
        _ data: ImageData, frame index: Int? = nil, layers: Set<MacroblockLayer> = MacroblockLayer.all,
        scale: Int? = nil, limits: DecodingLimits = .default
    ) throws(ImageError) {
        if let scale, !Self.scales.contains(scale) { throw .invalidArgument("a scale of \(scale): it is 1 to 16") }
        try data.withBytes { (bytes) throws(ImageError) in
            try Self.check(bytes.extracting(first: ImageFormat.sniffingByteCount))
        }
        let frame = try LossyFrame(data, index, limits: limits)
        let (decoder, damage) = try data.withBytes { (bytes) throws(ImageError) in
            try Self.decode(frame, bytes, limits)
        }
        let scale = scale ?? Self.scale(decoder.macroblockGrid)
        let map = MacroblockMap(decoder, layers, scale: scale)
        let width = max(map.size.width, MacroblockLegend.leastWidth)
        let legend = MacroblockLegend(
            decoder, layers, frame: frame.isAnimated ? frame.index : nil,
            isDetailed: map.isDetailed, width: width)
        let size = PixelSize(
            width: width + 2 * Self.gap, height: map.size.height + legend.height + 3 * Self.gap)
        try limits.check(size: size)
        let byteCount = size.width.multipliedSaturated(by: size.height).multipliedSaturated(by: 3)
        guard byteCount <= limits.maxMemoryByteCount else {
            throw .limitExceeded(.memory, requested: byteCount, allowed: limits.maxMemoryByteCount)
        }
        var sheet = try Bitmap(size: size, format: .rgb)
        sheet.fill(PixelRect(size), with: MacroblockColors.background)
        let picture = try data.withBytes { (bytes) throws(ImageError) in
            try Self.pixels(of: frame, decoder, bytes, limits)
        }
        Self.put(picture, rowCount: decoder.rowCount, scale, map.size, on: &sheet)
        map.draw(on: &sheet, at: (Self.gap, Self.gap))
        legend.draw(on: &sheet, at: (Self.gap, map.size.height + 2 * Self.gap))
        (bitmap, self.damage) = (sheet, damage)
    }

    /// As large as it may be, in whole steps.
    private static func scale(_ grid: PixelSize) -> Int {
        max(1, min(largestScale, magnifiedSide / (16 * max(grid.width, grid.height, 1))))
    }

    /// Decodes a frame as far as it goes.
    private static func decode(
        _ frame: LossyFrame, _ bytes: Span<UInt8>, _ limits: DecodingLimits
    ) throws(ImageError) -> (decoder: VP8Decoder, damage: ImageError?) {
        var decoder = VP8Decoder(byteCount: frame.byteCount, keepsMacroblocks: true, limits: limits)
        do throws(ImageError) {
            try decoder.append(bytes.extracting(frame.payload))
            try decoder.finish()
        } catch {
            // Without a row of macroblocks there is nothing to draw.
            guard error.isDamage, decoder.macroblockRowCount > 0 else {
                throw error.moved(by: frame.payload.lowerBound)
            }
            return (decoder, error.moved(by: frame.payload.lowerBound))
        }
        return (decoder, nil)
    }

    /// The frame's pixels, opaque: where it has alpha, over a checkerboard.
    private static func pixels(
        of frame: LossyFrame, _ decoder: VP8Decoder, _ bytes: Span<UInt8>, _ limits: DecodingLimits
    ) throws(ImageError) -> Bitmap {
        let opaque = try decoder.picture.converted(to: .rgb)
        guard frame.alpha != nil else { return opaque }
        var options = DecodingOptions()
        (options.strictness, options.pixelFormat, options.limits) = (.tolerant, .rgbaPremultiplied, limits)
        let file = frame.file(bytes, size: decoder.picture.size)
        // Damaged alpha is left out.
        guard let image = try? RasterImage(ImageData(file), options: options) else { return opaque }
        return image.bitmap
    }

    /// Puts the picture on the sheet, magnified and darkened so that what is drawn over it can be seen.
    private static func put(
        _ picture: Bitmap, rowCount: Int, _ scale: Int, _ area: PixelSize, on sheet: inout Bitmap
    ) {
        let channels = picture.format == .rgb ? 3 : 4
        sheet.fill(PixelRect(x: gap, y: gap, width: area.width, height: area.height), with: MacroblockColors.outside)
        for y in 0..<scale * rowCount {
            picture.withRow(y / scale) { source in
                sheet.withSheetRow(gap + y) { row in
                    for x in 0..<scale * picture.width {
                        let pixel = channels * (x / scale)
                        let clear = channels == 3 ? 0 : 255 - Int(source[pixel + 3])
                        let board = Checkerboard.color(x: x, y: y)
                        for channel in 0..<3 {
                            let color = Int(source[pixel + channel]) + (Int(board[channel]) * clear + 127) / 255
                            row[3 * (gap + x) + channel] = UInt8(clamping: color * 11 / 16)
                        }
                    }
                }
            }
        }
    }
}

extension ImageError {
    /// The same in a file in which the data begin at `offset`.
    fileprivate func moved(by offset: Int) -> ImageError {
        switch self {
        case .corrupt(let format, let code, let place, let reason):
            .corrupt(format, code, offset: place + offset, reason: reason)
        case .truncated(let format, let place): .truncated(format, offset: place + offset)
        default: self
        }
    }
}
