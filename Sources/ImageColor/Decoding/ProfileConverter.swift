// What decoders call to convert the colours of a picture: from what its metadata say to a transform, made once.

package import ImageCodecsCore

extension ColorConverter {
    /// Conversions by what files say: profiles, code points, gamma.
    package static let profiles = ColorConverter(
        removingColors: { $0.removeColors() },
        tableByteCount: { (metadata, isCMYK) in
            let profile = try? ColorProfile(of: metadata, channels: isCMYK ? .cmyk : .rgb)
            return profile.map { ColorTransform.peakByteCount(from: $0) }
        }
    ) { (metadata, isCMYK, space, format) throws(ImageError) -> (any PictureColorConversion)? in
        let channels: ColorProfile.Channels = isCMYK ? .cmyk : .rgb
        do throws(ICCProfileError) {
            return try TransformCache.shared.conversion(metadata, channels: channels, to: space)
        } catch {
            throw .corrupt(
                format, DamageCode(rawValue: "icc.\(error.code.rawValue)"), offset: error.offset, reason: "\(error)")
        }
    }
}

/// A transform as decoders use it.
struct ProfileConversion: PictureColorConversion {
    let transform: ColorTransform
    var sourceName: String { transform.mapping.source.name }
    var isToneMapped: Bool { transform.mapping.source.isHighDynamicRange }

    var resultProfile: [UInt8]? { transform.destination == .sRGB ? nil : transform.destination.iccProfile }

    func convert(
        _ bitmap: inout Bitmap, inkFormat: PixelFormat, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        try transform.convert(&bitmap, inkFormat: inkFormat, meter: meter, work: work)
    }
}

extension StandardColorSpace {
    init(_ space: DecodingOptions.ColorSpace) {
        self =
            switch space {
            case .sRGB: .sRGB
            case .displayP3: .displayP3
            case .adobeRGB: .adobeRGB
            case .linearSRGB: .linearSRGB
            }
    }
}
