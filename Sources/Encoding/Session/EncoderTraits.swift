// What an encoder does, said once: sessions and tools ask this, and no format's name.

package import ImageCodecsCore
package import ImagePhotoMetadata

/// What an encoder of a format does with certain options: what it keeps, and what it may lose.
package struct EncoderTraits: Sendable {
    /// What `EncodingOptions.quality` is to an encoder.
    package enum Quality: Sendable {
        /// Nothing: with these options it loses nothing that a quality could say.
        case meaningless
        /// How much may be lost of what could be kept whole.
        case limitsLoss
        /// How much is lost, as something always is.
        case setsLoss
    }

    /// Ways to write a picture with ever more loss, to meet `EncodingOptions.maxFileByteCount` before it is scaled down.
    package enum LossLadder: Sendable {
        /// Lower qualities of these options, from theirs (1 if they name none) on.
        case qualities(EncodingOptions)
        /// Other options, those with the least loss first. Either colours are taken away or samples become rougher.
        case steps(losesColors: Bool, @Sendable () -> [EncodingOptions])

        /// Whether it is colours that are taken away.
        package var losesColors: Bool {
            if case .steps(let losesColors, _) = self { losesColors } else { false }
        }

        /// Those that may need most memory, besides the options that were given.
        var ends: [EncodingOptions] {
            guard case .qualities(var options) = self else { return steps }
            options.quality = 0
            return [options]
        }

        /// The options of all ways, that with the least loss first; of qualities some.
        package var steps: [EncodingOptions] {
            switch self {
            case .qualities(let options): options.withLowerQualities
            case .steps(_, let make): make()
            }
        }
    }

    /// Whether files have alpha; pictures are laid over a colour if they have not.
    package let keepsAlpha: Bool
    /// Whether pixels of files may be translucent. If not, those of animations are made opaque or transparent before frames are compared.
    package let keepsTranslucency: Bool
    /// What files can say about a picture; encoders get nothing else.
    package let metadataPlaces: MetadataPlaces
    package let quality: Quality
    /// `nil` if nothing may be lost.
    package let lossLadder: LossLadder?

    package init(
        keepsAlpha: Bool = true, keepsTranslucency: Bool = true, metadataPlaces: MetadataPlaces,
        quality: Quality = .meaningless, lossLadder: LossLadder? = nil
    ) {
        self.keepsAlpha = keepsAlpha
        self.keepsTranslucency = keepsTranslucency
        self.metadataPlaces = metadataPlaces
        self.quality = quality
        self.lossLadder = lossLadder
    }

    /// Refuses options that the encoder could not follow: who asks for a quality wants a smaller file than comes out.
    ///
    /// - Throws: `invalidArgument` for a quality that means nothing, `unsupported` if something is lost that has to be kept.
    func check(_ options: EncodingOptions, writing format: ImageFormat) throws(ImageError) {
        if options.quality != nil, quality == .meaningless {
            throw .losesNothing(format)
        }
        if options.keepsPixels, quality == .setsLoss {
            throw .unsupported(format, feature: "writing it without loss")
        }
    }
}

extension EncodingOptions {
    /// The quality, or a usual one.
    ///
    /// - Throws: `invalidArgument` for one that is not 0...1.
    package func checkedQuality(usually usual: Double) throws(ImageError) -> Double {
        let quality = quality ?? usual
        guard (0...1).contains(quality) else { throw .invalidArgument("a quality of \(quality); it is 0 to 1") }
        return quality
    }
}

extension ImageError {
    /// The error for a quality that is asked of a format that loses nothing.
    static func losesNothing(_ format: ImageFormat) -> ImageError {
        .invalidArgument(
            "\(format.name) written with these options loses nothing, so a quality means nothing for it")
    }
}

extension RowEncodingCoder {
    /// Options for other attempts to meet `EncodingOptions.maxFileByteCount`: with more effort if nothing may be lost, else with more loss.
    func otherOptions(than options: EncodingOptions, writing format: ImageFormat) -> [EncodingOptions] {
        if options.keepsPixels { return options.withMoreEffort }
        return traits(writing: format, options).lossLadder?.steps ?? []
    }
}
