// One lossy picture with its macroblocks drawn over it: what imagetool inspect --picture does.

import ArgumentParser
import ImageCodecs
import WebPLossyCodec

/// Reads a file, decodes one frame of it, and writes the picture.
struct MacroblockPictureJob {
    let file: InputFile
    let output: String
    let format: OutputFormat
    let arguments: MacroblockArguments
    let protection: InputProtection
    let limits: DecodingLimits

    private static let gap = 12
    /// The largest side of a picture that is magnified, and how much it is at most.
    private static let (magnifiedSide, largestScale) = (1600, 8)

    /// Writes the picture, also where the frame is damaged: as far as it can be decoded.
    ///
    /// - Throws: `ExitCode.failure`, when what is wrong was told.
    func run() throws {
        let advice = Advice.reading
        let (bytes, damage) = try advice.reporting(about: file.path) { () throws(ImageError) in
            let (sheet, damage) = try draw()
            return (try format.encode(RasterImage(bitmap: sheet), pixelFormat: .rgba, options: .default), damage)
        }
        try advice.reporting(about: output) { () throws(ImageError) in
            try protection.write(bytes, to: output, of: nil, in: FilePath.folder(of: output))
        }
        if let damage { try advice.reporting(about: file.path) { () throws(ImageError) in throw damage } }
    }

    /// The sheet, and what is wrong with the frame.
    private func draw() throws(ImageError) -> (sheet: Bitmap, damage: ImageError?) {
        var reader = try FileReader(picture: file, limits: limits)
        let header = try reader.peek(ImageFormat.sniffingByteCount)
        let format = header.withSpan { ImageFormat(sniffing: $0) }
        guard format == .webP else { throw .unsupported(format ?? .webP, feature: "drawing its macroblocks") }
        let data = try reader.readToEnd()
        let frame = try LossyFrame(data, arguments.frame, limits: limits)
        let (decoder, damage) = try data.withBytes { (bytes) throws(ImageError) in try decode(frame, bytes) }
        let scale = arguments.scale ?? Self.scale(decoder.macroblockGrid)
        let map = MacroblockMap(decoder, arguments.chosenLayers, scale: scale)
        let width = max(map.size.width, MacroblockLegend.leastWidth)
        let legend = MacroblockLegend(
            decoder, arguments.chosenLayers, frame: frame.isAnimated ? frame.index : nil,
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
        let picture = try data.withBytes { (bytes) throws(ImageError) in try pixels(of: frame, decoder, bytes) }
        put(picture, rowCount: decoder.rowCount, scale, map.size, on: &sheet)
        map.draw(on: &sheet, at: (Self.gap, Self.gap))
        legend.draw(on: &sheet, at: (Self.gap, map.size.height + 2 * Self.gap))
        return (sheet, damage)
    }

    /// As large as it may be, in whole steps.
    private static func scale(_ grid: PixelSize) -> Int {
        max(1, min(largestScale, magnifiedSide / (16 * max(grid.width, grid.height, 1))))
    }

    /// Decodes a frame as far as it goes.
    private func decode(
        _ frame: LossyFrame, _ bytes: Span<UInt8>
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
    private func pixels(
        of frame: LossyFrame, _ decoder: VP8Decoder, _ bytes: Span<UInt8>
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
    private func put(
        _ picture: Bitmap, rowCount: Int, _ scale: Int, _ area: PixelSize, on sheet: inout Bitmap
    ) {
        let (gap, channels) = (Self.gap, picture.format == .rgb ? 3 : 4)
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
