// What a caller may ask of the JPEG encoder alone.

public import ImageCodecsCore

/// Options of JPEG files; `EncodingOptions.jpeg`.
///
/// What is `nil` is chosen by `EncodingOptions.effort`.
public struct JPEGEncodingOptions: FormatEncodingOptions {
    /// Where the quantisation tables come from.
    public enum Tables: String, Hashable, Sendable, CaseIterable {
        /// Those that the standard prints, scaled as libjpeg does, with coefficients rounded to nearest: the file has the
        /// coefficients that libjpeg-turbo's has at the same quality and subsampling.
        ///
        /// - Source: ITU-T T.81 (1992) §K.1 "Quantization tables for luminance and chrominance components".
        case standard
        /// Those of this package, fitted to how much people see, with what belongs to them; see the article "What an encoder
        /// decides".
        case fitted
    }

    /// How many colour samples there are. `nil`: 4:4:4 at quality 1, 4:2:0 with `Effort.fast`, otherwise 4:4:4 or 4:2:0, by
    /// what the picture loses. Gray and CMYK pictures have none to leave out, and are refused with any.
    public var subsampling: JPEGSubsampling?
    /// Whether the picture sharpens while it loads, which also makes most files smaller. `nil`: not with `Effort.fast`, nor
    /// if only a sequential file fits `EncodingOptions.maxFileByteCount`.
    public var isProgressive: Bool?
    /// Whether the Huffman tables are fitted to the picture. `nil`: not with `Effort.fast`. Progressive files always have
    /// fitted ones.
    public var optimizesHuffmanTables: Bool?
    /// The quantisation tables. `nil`: ``Tables/standard`` with `Effort.fast` and for CMYK, otherwise ``Tables/fitted``.
    public var tables: Tables?
    /// MCUs between two restart markers, from which a decoder can go on after damage: 1...65535, 0 for no markers.
    ///
    /// - Source: ITU-T T.81 (1992) §B.2.4.4 "Restart interval definition syntax".
    public var restartInterval = 0

    /// Whether a side may have 65,501 to 65,535 pixels. A JPEG file can say so, but libjpeg and the many programs that
    /// decode with it refuse it, so such pictures are refused unless this is set.
    public var allowsLongSides = false

    /// The longest side that libjpeg reads.
    package static let longestUsualSide = 65500

    /// Everything is chosen by the effort.
    public init() {}
}

extension EncodingOptions {
    /// Options of JPEG files.
    public var jpeg: JPEGEncodingOptions {
        get { self[JPEGEncodingOptions.self] }
        set { self[JPEGEncodingOptions.self] = newValue }
    }
}
