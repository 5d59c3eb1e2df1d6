// What a decode does with the colours of a picture: leave its numbers as they are stored, or convert them for showing.
//
//   decoder ──bitmap──▶ ColorTreatment ──▶ RasterImage, frames         after scaling, row by row
//
// This module knows no profiles: whoever makes a registry gives it a `ColorConverter` (`ImageColor` has one).

extension DecodingOptions {
    /// A space that pictures can be converted to.
    public enum ColorSpace: String, Hashable, Sendable, CaseIterable {
        /// What everything takes a picture for that says nothing.
        case sRGB
        /// The primaries of SMPTE RP 431-2 with the curve of sRGB.
        case displayP3
        /// Adobe RGB (1998).
        case adobeRGB
        /// Numbers in proportion to light, with the primaries of sRGB.
        case linearSRGB
    }

    /// What happens to the colours of a picture.
    public enum Color: Hashable, Sendable {
        /// Nothing: samples are those of the file, and what it says about their meaning is in ``ImageMetadata``.
        case asStored
        /// They become those of a space, after scaling. The metadata of the result have no profile and nothing else of that kind any
        /// more; if the space is another than sRGB, the profile of that space.
        ///
        /// What the file says counts in this order: code points (cICP), ICC profile, sRGB, gamma and chromaticities, EXIF's mark of Adobe
        /// RGB; if it says nothing it is in sRGB. CMYK pictures with a profile are converted from their inks, unless
        /// ``PixelFormat/cmyk`` is asked for, which leaves them as stored.
        ///
        /// A profile that cannot be read is ignored, as browsers do, and ``RasterImage/colorReport`` says so; if `strictness` is
        /// ``Strictness/strict`` it is an error.
        case converted(to: ColorSpace, strictness: Strictness = .tolerant)
    }

    /// Whether there is something that converts, and it is wanted.
    package var convertsColors: Bool { color != .asStored && colorConverter != nil && pixelFormat != .cmyk }

    /// The options with which a decoder makes a picture of four inks: as inks, if the colours are converted from those afterwards.
    package func forInks(_ metadata: ImageMetadata) -> DecodingOptions {
        guard convertsColors, colorConverter?.tableByteCount(metadata, true) != nil else { return self }
        var options = self
        options.pixelFormat = .cmyk
        // A picture is held for the conversion.
        options.rowReceiver = nil
        return options
    }

    /// What happens to the colours of a file's pictures; `nil` if nothing does.
    ///
    /// - Throws: `corrupt` if the profile cannot be used and that is an error.
    func colors(
        _ metadata: ImageMetadata, isCMYK: Bool, _ format: ImageFormat
    ) throws(ImageError) -> ColorTreatment? {
        guard convertsColors, case .converted(let space, let strictness) = color, let colorConverter else { return nil }
        do throws(ImageError) {
            let conversion = try colorConverter.makeConversion(metadata, isCMYK, space, format)
            let report = conversion.map {
                ColorReport.converted(from: $0.sourceName, isToneMapped: $0.isToneMapped)
            }
            return ColorTreatment(
                conversion: conversion, report: report, inkFormat: inkFormat, converter: colorConverter)
        } catch {
            guard strictness == .tolerant else { throw error }
            return ColorTreatment(
                conversion: nil, report: .ignored(error), inkFormat: inkFormat, converter: colorConverter)
        }
    }

    /// What inks become when they are converted.
    private var inkFormat: PixelFormat { pixelFormat.map { $0 == .bgraPremultiplied ? .bgrx : $0 } ?? .rgb }

    /// Bytes of a conversion without the tables of a profile and its row, as an estimate counts them: most are tables for sixteen bits.
    private static let conversionByteCount = 1 << 20

    /// What the headers say, with what a conversion of colours changes about it.
    func describingColors(_ info: ImageInfo?) -> ImageInfo? {
        guard var info, convertsColors, let colorConverter else { return info }
        let tables = colorConverter.tableByteCount(info.metadata, info.decodedFormat == .cmyk) ?? 0
        if info.decodedFormat == .cmyk { info.decodedFormat = inkFormat }
        // The decoder goes on holding its own picture; a row has eight bytes a pixel at most.
        info.estimatedPeakByteCount = info.estimatedPeakByteCount
            .addingSaturated(info.decodedByteCount).addingSaturated(Self.conversionByteCount).addingSaturated(tables)
            .addingSaturated(info.decodedSize.width.multipliedSaturated(by: 8))
        return info
    }
}

/// What became of the colours of a picture whose conversion was asked for.
public enum ColorReport: Hashable, Sendable {
    /// They are those of the space asked for.
    ///
    /// - Parameters:
    ///   - from: what they were, for people: `Display P3`.
    ///   - isToneMapped: whether a picture of high dynamic range (PQ, HLG) was brought to that of a display.
    case converted(from: String, isToneMapped: Bool)
    /// What the file says could not be used: its numbers are taken for sRGB.
    case ignored(ImageError)
}

/// Reads what files say about their colours; there is one implementation, so that all values are equal.
package struct ColorConverter: Hashable, Sendable {
    /// Makes the conversion of a picture from its metadata, whether it is of inks, the space wanted and its format; `nil` if nothing has to be
    /// done. Throws `corrupt`.
    package typealias Factory =
        @Sendable (ImageMetadata, Bool, DecodingOptions.ColorSpace, ImageFormat) throws(ImageError)
        -> (any PictureColorConversion)?

    package let makeConversion: Factory
    /// Bytes that are held at most while tables are made of the profile in metadata, for inks or not, and those of the tables; `nil` if
    /// there is no profile, or none that can be used.
    let tableByteCount: @Sendable (ImageMetadata, Bool) -> Int?
    /// Takes out of metadata what they say of the colours that the picture had.
    let removeColors: @Sendable (inout ImageMetadata) -> Void

    package init(
        removingColors removeColors: @escaping @Sendable (inout ImageMetadata) -> Void,
        tableByteCount: @escaping @Sendable (ImageMetadata, Bool) -> Int?, _ makeConversion: @escaping Factory
    ) {
        (self.removeColors, self.tableByteCount, self.makeConversion) = (removeColors, tableByteCount, makeConversion)
    }

    package static func == (a: Self, b: Self) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}

/// The conversion of one file's pictures.
package protocol PictureColorConversion: Sendable {
    /// What the colours were, for people.
    var sourceName: String { get }
    /// Whether they were of high dynamic range.
    var isToneMapped: Bool { get }
    /// The profile that says what they are now; `nil` for sRGB.
    var resultProfile: [UInt8]? { get }

    /// Converts a picture; inks become `inkFormat`, others stay in their format.
    ///
    /// - Parameter work: asked for every row.
    func convert(
        _ bitmap: inout Bitmap, inkFormat: PixelFormat, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError)
}

/// What happens to the colours of the pictures of one file.
package struct ColorTreatment: Sendable {
    /// `nil` if the numbers are right already.
    let conversion: (any PictureColorConversion)?
    let report: ColorReport?
    fileprivate let inkFormat: PixelFormat
    fileprivate let converter: ColorConverter

    func convert(_ bitmap: inout Bitmap, meter: MemoryMeter?, work: WorkGuard) throws(ImageError) {
        try conversion?.convert(&bitmap, inkFormat: inkFormat, meter: meter, work: work)
        // The profile that inks were decoded for turned out to be none.
        if bitmap.format == .cmyk { bitmap = try bitmap.converted(to: inkFormat, meter: meter, work: work) }
    }

    func convert(_ image: inout RasterImage, meter: MemoryMeter, work: WorkGuard) throws(ImageError) {
        try convert(&image.bitmap, meter: meter, work: work)
        describe(&image.metadata)
        image.colorReport = report
    }

    /// Makes metadata say what the colours are now.
    func describe(_ metadata: inout ImageMetadata) {
        converter.removeColors(&metadata)
        metadata.iccProfile = conversion?.resultProfile
    }
}
