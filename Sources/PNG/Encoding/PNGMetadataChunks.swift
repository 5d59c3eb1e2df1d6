// Metadata written back: which ancillary chunks go before the palette, which after it.

import DeflateCodec
package import ImageCodecsCore
package import ImageEncoding
package import ImagePhotoMetadata

extension MetadataPlaces {
    /// What PNG files have chunks for: all but IPTC data and further pictures. Comments are texts.
    package static let png = MetadataPlaces(Set(ImageMetadata.Kind.allCases).subtracting([.iptc, .furtherPictures]))
}

/// The ancillary chunks of one picture.
///
/// Order (PNG 3rd ed. §5.6 "Chunk ordering"): colour space and sBIT, then PLTE and tRNS, then bKGD, then what only has
/// to precede IDAT. Not written: hIST, which belongs to a palette that is not ours, IPTC, for which there is no chunk,
/// and whatever does not fit the colour type the pixels are written with.
package struct PNGMetadataChunks: Sendable {
    private let metadata: ImageMetadata
    private let orientation: Orientation
    private let meter: MemoryMeter?

    /// - Parameters:
    ///   - picture: says what is to be written; orientation always is, as it belongs to the picture.
    ///   - meter: counts what compressing takes.
    package init(_ picture: EncodedPicture, meter: MemoryMeter? = nil) {
        metadata = picture.metadata
        orientation = picture.orientation
        self.meter = meter
    }

    /// Bytes that compressing the profile and texts holds at most, one after the other. Saturates.
    package var compressingByteCount: Int {
        let texts = (metadata.texts.map(\.text) + metadata.comments).map(\.utf8.count)
            .filter { $0 >= KeywordText.compressionThreshold }
        guard let longest = (texts + [metadata.iccProfile?.count ?? 0]).max(), longest > 0 else { return 0 }
        return Deflater.compressingByteCount(effort: .default, byteCount: longest)
    }

    /// How a gray picture is written, so that its profile can go with it: an RGB profile asks for RGB samples, a
    /// gray one for gray samples.
    package var grayUse: PixelEncoding.GrayUse {
        switch profileColorSpace {
        case .rgb: .refused
        case .gray: .required
        case .cmyk, .other, nil: .allowed
        }
    }

    /// Chunks that come before PLTE.
    package func writeBeforePalette(
        to file: inout ChunkWriter, _ encoding: PixelEncoding, _ work: inout WorkGuard
    ) throws(ImageError) {
        // If several describe the colour space, readers go by the first: cICP, iCCP, sRGB, gAMA and cHRM.
        if let points = metadata.codePoints, points.matrix == 0 {
            file.append(
                .codePoints, [points.primaries, points.transfer, points.matrix, points.isFullRange ? 1 : 0])
        }
        if let profile = metadata.iccProfile, fits(profileColorSpace, encoding) {
            let name = KeywordText.keyword(metadata.iccProfileName ?? "") ?? KeywordText.latin1("ICC profile") ?? []
            let compressed = try profile.withSpan { (profile) throws(ImageError) in
                try Deflater.compress(profile, effort: .default, meter: meter, work: &work)
            }
            file.append(.iccProfile, name + [0, 0] + compressed)
        } else if let intent = metadata.renderingIntent {
            file.append(.standardRGB, [intent.rawValue])
        }
        if let display = metadata.masteringDisplay, let body = display.chunkBody {
            file.append(.masteringDisplay, body)
        }
        if let level = metadata.contentLight, max(level.maximum, level.maximumFrameAverage) <= 0x7FFF_FFFF {
            file.append(.contentLight, bigEndian([level.maximum, level.maximumFrameAverage]))
        }
        if let gamma = metadata.gamma, (1...0x7FFF_FFFF).contains(gamma) {
            file.append(.gamma, bigEndian([gamma]))
        }
        if let points = metadata.chromaticities {
            let values = [points.white, points.red, points.green, points.blue].flatMap { [$0.x, $0.y] }
            if values.allSatisfy({ $0 <= 0x7FFF_FFFF }) { file.append(.chromaticities, bigEndian(values)) }
        }
        if let bits = significantBits(encoding) { file.append(.significantBits, bits) }
    }

    /// Chunks that come after PLTE and tRNS and before IDAT.
    package func writeAfterPalette(
        to file: inout ChunkWriter, _ encoding: PixelEncoding, _ work: inout WorkGuard
    ) throws(ImageError) {
        if let background = background(encoding) { file.append(.background, background) }
        if let density = metadata.density { file.append(.physicalPixelDimensions, density.physicalPixelDimensions) }
        if let placement = metadata.placement {
            let values = [UInt32(bitPattern: placement.x), UInt32(bitPattern: placement.y)]
            file.append(.placement, bigEndian(values) + [placement.unit.rawValue])
        }
        if let layout = metadata.stereoLayout { file.append(.stereoLayout, [layout.rawValue]) }
        if let body = metadata.physicalScale, body.count <= ChunkWriter.largestBody,
            body.withSpan({ MeasureChunks.isScale($0) })
        {
            file.append(.physicalScale, body)
        }
        if let body = metadata.calibration, body.count <= ChunkWriter.largestBody,
            body.withSpan({ MeasureChunks.isCalibration($0) })
        {
            file.append(.calibration, body)
        }
        if let exif = ExifBlock.bytes(metadata.exif, orientation: orientation) { file.append(.exif, exif) }
        for palette in distinctSuggestedPalettes {
            if let body = palette.chunkBody { file.append(.suggestedPalette, body) }
        }
        if let time = metadata.modificationTime, time.isValid {
            var body: [UInt8] = []
            body.appendBigEndian(time.year)
            file.append(.time, body + [time.month, time.day, time.hour, time.minute, time.second])
        }
        for chunk in try KeywordText.chunks(metadata, meter, &work) { file.append(chunk.type, chunk.body) }
    }

    /// Records what does not go with pixels of this encoding: a profile, a background.
    package func recordLosses(_ encoding: PixelEncoding, in losses: LossLog?) {
        if let space = profileColorSpace, !fits(space, encoding) { losses?.record([.iccProfile]) }
        switch metadata.background {
        case nil, .paletteIndex: break
        case .gray, .rgb: if background(encoding) == nil { losses?.record([.background]) }
        }
    }

    private func bigEndian(_ values: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values { bytes.appendBigEndian(value) }
        return bytes
    }

    // MARK: Colour space

    /// What the samples of the profile's pictures are, `nil` without a profile.
    private var profileColorSpace: ICCColorSpace? { metadata.iccProfile.map { ICCColorSpace(ofProfile: $0) } }

    /// Whether a profile may go with this colour type.
    ///
    /// Source: PNG 3rd ed. §11.3.2.3 "iCCP Embedded ICC profile".
    private func fits(_ space: ICCColorSpace?, _ encoding: PixelEncoding) -> Bool {
        switch encoding.colorType {
        case .gray, .grayAlpha: space == .gray
        case .rgb, .rgba, .indexed: space == .rgb
        }
    }

    /// The body of sBIT, if what is known fits this encoding.
    ///
    /// Source: PNG 3rd ed. §11.3.2.4 "sBIT Significant bits".
    private func significantBits(_ encoding: PixelEncoding) -> [UInt8]? {
        guard let bits = metadata.significantBits, (1...4).contains(bits.count) else { return nil }
        let colors = bits.count >= 3 ? Array(bits[..<3]) : [bits[0], bits[0], bits[0]]
        let alpha = bits.count % 2 == 0 ? bits[bits.count - 1] : nil
        let isSameInAll = colors[0] == colors[1] && colors[1] == colors[2]
        let depth = encoding.colorType == .indexed ? 8 : encoding.bitDepth
        let body: [UInt8]?
        switch encoding.colorType {
        case .gray: body = isSameInAll ? [colors[0]] : nil
        case .grayAlpha: body = isSameInAll ? alpha.map { [colors[0], $0] } : nil
        case .rgb, .indexed: body = colors
        case .rgba: body = alpha.map { colors + [$0] }
        }
        return body.flatMap { body in body.allSatisfy { (1...depth).contains(Int($0)) } ? body : nil }
    }

    // MARK: Background and palettes

    /// The body of bKGD, if the suggested colour is a colour of this encoding.
    ///
    /// Source: PNG 3rd ed. §11.3.4.1 "bKGD Background colour".
    private func background(_ encoding: PixelEncoding) -> [UInt8]? {
        let largest = UInt16(truncatingIfNeeded: 1 << encoding.bitDepth - 1)
        let samples: [UInt16]
        switch (encoding.colorType, metadata.background) {
        case (.gray, .gray(let gray)), (.grayAlpha, .gray(let gray)):
            samples = [gray]
        case (.rgb, .rgb(let red, let green, let blue)), (.rgba, .rgb(let red, let green, let blue)):
            samples = [red, green, blue]
        default:
            return nil
        }
        guard samples.allSatisfy({ $0 <= largest }) else { return nil }
        var body: [UInt8] = []
        for sample in samples { body.appendBigEndian(sample) }
        return body
    }

    /// Suggested palettes with names of their own.
    private var distinctSuggestedPalettes: [SuggestedPalette] {
        var names: Set<String> = []
        return metadata.suggestedPalettes.filter { names.insert($0.name).inserted }
    }
}

extension SuggestedPalette {
    /// The body of sPLT; `nil` when the name or the depth is not allowed.
    ///
    /// Source: PNG 3rd ed. §11.3.4.4 "sPLT Suggested palette".
    fileprivate var chunkBody: [UInt8]? {
        guard let name = KeywordText.keyword(name), sampleDepth == 8 || sampleDepth == 16 else { return nil }
        var body = name + [0, UInt8(sampleDepth)]
        guard entries.count <= (ChunkWriter.largestBody - body.count) / 10 else { return nil }
        for entry in entries {
            for sample in [entry.red, entry.green, entry.blue, entry.alpha] {
                if sampleDepth == 16 {
                    body.appendBigEndian(sample)
                } else {
                    body.append(UInt8(truncatingIfNeeded: sample))
                }
            }
            body.appendBigEndian(entry.frequency)
        }
        return body
    }
}

extension MasteringDisplay {
    /// The body of mDCV; `nil` for numbers that it has no room for.
    ///
    /// Source: PNG 3rd ed. §11.3.2.7 "mDCV Mastering Display Color Volume".
    fileprivate var chunkBody: [UInt8]? {
        guard max(maxLuminance, minLuminance) <= 0x7FFF_FFFF else { return nil }
        var body: [UInt8] = []
        for point in [chromaticities.red, chromaticities.green, chromaticities.blue, chromaticities.white] {
            for value in [point.x, point.y] {
                // Of 100000 in an ImageMetadata, of 50000 in the file.
                guard let value = UInt16(exactly: UInt64(value) / 2) else { return nil }
                body.appendBigEndian(value)
            }
        }
        for value in [maxLuminance, minLuminance] { body.appendBigEndian(value) }
        return body
    }
}

extension PixelDensity {
    /// The body of pHYs, in pixels per metre or as a ratio.
    ///
    /// Source: PNG 3rd ed. §11.3.4.3 "pHYs Physical pixel dimensions".
    fileprivate var physicalPixelDimensions: [UInt8] {
        var body: [UInt8] = []
        for value in [x, y] {
            let perMeter: UInt64 =
                switch unit {
                case .aspectRatio, .meter: UInt64(value)
                case .centimeter: UInt64(value) * 100
                case .inch: (UInt64(value) * 10000 + 127) / 254
                }
            body.appendBigEndian(UInt32(min(perMeter, 0x7FFF_FFFF)))
        }
        return body + [unit == .aspectRatio ? 0 : 1]
    }
}

extension ModificationTime {
    /// Whether the numbers are a date and a time of day.
    fileprivate var isValid: Bool {
        (1...12).contains(month) && (1...31).contains(day) && hour <= 23 && minute <= 59 && second <= 60
    }
}
