// What may be wrong with a JPEG file.

public import ImageCodecsCore

extension DamageCode {
    /// A marker that the standard does not define.
    ///
    /// - Source: ITU-T T.81 §B.1.1.3 "Marker assignments"
    @inlinable public static var jpegMarkerUnknown: DamageCode { DamageCode(rawValue: "jpeg.marker-unknown") }

    /// A segment with a length below 2.
    ///
    /// - Source: ITU-T T.81 §B.1.1.4 "Marker segments"
    @inlinable public static var jpegSegmentLength: DamageCode { DamageCode(rawValue: "jpeg.segment-length") }

    /// A second SOI marker.
    ///
    /// - Source: ITU-T T.81 §B.2.1 "High-level syntax"
    @inlinable public static var jpegImageRepeated: DamageCode { DamageCode(rawValue: "jpeg.image-repeated") }

    /// The frame header's length is not what its components need.
    ///
    /// - Source: ITU-T T.81 §B.2.2 "Frame header syntax"
    @inlinable public static var jpegFrameLength: DamageCode { DamageCode(rawValue: "jpeg.frame-length") }

    /// A picture without width.
    ///
    /// - Source: ITU-T T.81 §B.2.2 "Frame header syntax"
    @inlinable public static var jpegFrameSize: DamageCode { DamageCode(rawValue: "jpeg.frame-size") }

    /// A frame without components.
    ///
    /// - Source: ITU-T T.81 §B.2.2 "Frame header syntax"
    @inlinable public static var jpegFrameComponents: DamageCode { DamageCode(rawValue: "jpeg.frame-components") }

    /// A sampling factor outside 1...4, or an MCU of too many blocks.
    ///
    /// - Source: ITU-T T.81 §B.2.2 "Frame header syntax", §B.2.3 "Scan header syntax"
    @inlinable public static var jpegFrameSampling: DamageCode { DamageCode(rawValue: "jpeg.frame-sampling") }

    /// A second frame header.
    ///
    /// - Source: ITU-T T.81 §B.2.2 "Frame header syntax"
    @inlinable public static var jpegFrameRepeated: DamageCode { DamageCode(rawValue: "jpeg.frame-repeated") }

    /// Neither the frame header nor a DNL segment has the height.
    ///
    /// - Source: ITU-T T.81 §B.2.5 "Define number of lines syntax"
    @inlinable public static var jpegLinesMissing: DamageCode { DamageCode(rawValue: "jpeg.lines-missing") }

    /// A quantization table that is cut off or outside 0...3.
    ///
    /// - Source: ITU-T T.81 §B.2.4.1 "Quantization table-specification syntax"
    @inlinable public static var jpegQuantizationTable: DamageCode { DamageCode(rawValue: "jpeg.quantization-table") }

    /// A scan without its quantization table.
    ///
    /// - Source: ITU-T T.81 §B.2.4.1 "Quantization table-specification syntax"
    @inlinable public static var jpegQuantizationMissing: DamageCode {
        DamageCode(rawValue: "jpeg.quantization-missing")
    }

    /// A Huffman table that is cut off, of an unknown class or outside 0...3, or a DC table with a size above 15.
    ///
    /// - Source: ITU-T T.81 §B.2.4.2 "Huffman table-specification syntax"
    @inlinable public static var jpegHuffmanTable: DamageCode { DamageCode(rawValue: "jpeg.huffman-table") }

    /// A Huffman table with more codes than its lengths have room for.
    ///
    /// - Source: ITU-T T.81 Annex C "Huffman table specification"
    @inlinable public static var jpegHuffmanOverfull: DamageCode { DamageCode(rawValue: "jpeg.huffman-overfull") }

    /// A scan without its Huffman table.
    ///
    /// - Source: ITU-T T.81 §B.2.4.2 "Huffman table-specification syntax"
    @inlinable public static var jpegHuffmanMissing: DamageCode { DamageCode(rawValue: "jpeg.huffman-missing") }

    /// A conditioning table of arithmetic coding that is cut off, of an unknown class or outside 0...3, a value out of range,
    /// or a scan that names a table outside 0...3.
    ///
    /// - Source: ITU-T T.81 §B.2.4.3 "Arithmetic conditioning table-specification syntax"
    @inlinable public static var jpegConditioning: DamageCode { DamageCode(rawValue: "jpeg.conditioning") }

    /// A DRI segment of a wrong length.
    ///
    /// - Source: ITU-T T.81 §B.2.4.4 "Restart interval definition syntax"
    @inlinable public static var jpegRestartInterval: DamageCode { DamageCode(rawValue: "jpeg.restart-interval") }

    /// A restart marker is missing.
    ///
    /// - Source: ITU-T T.81 §E.2.4 "Control procedure for decoding a restart interval"
    @inlinable public static var jpegRestartMissing: DamageCode { DamageCode(rawValue: "jpeg.restart-missing") }

    /// A restart marker with another number than its turn.
    ///
    /// - Source: ITU-T T.81 §E.2.4 "Control procedure for decoding a restart interval"
    @inlinable public static var jpegRestartNumber: DamageCode { DamageCode(rawValue: "jpeg.restart-number") }

    /// A scan header of a wrong length, or of a component that the frame has not.
    ///
    /// - Source: ITU-T T.81 §B.2.3 "Scan header syntax"
    @inlinable public static var jpegScanHeader: DamageCode { DamageCode(rawValue: "jpeg.scan-header") }

    /// A scan before the frame header, or one that does not follow from those before it.
    ///
    /// - Source: ITU-T T.81 §B.2.1 "High-level syntax", §G.1.1.1 "Progressive encoding model"
    @inlinable public static var jpegScanOrder: DamageCode { DamageCode(rawValue: "jpeg.scan-order") }

    /// Spectral selection or successive approximation outside of what is allowed.
    ///
    /// - Source: ITU-T T.81 §B.2.3 "Scan header syntax", table B.3
    @inlinable public static var jpegScanProgression: DamageCode { DamageCode(rawValue: "jpeg.scan-progression") }

    /// The picture ends without a scan, or its scans leave out a part.
    ///
    /// - Source: ITU-T T.81 §B.2.1 "High-level syntax"
    @inlinable public static var jpegScanMissing: DamageCode { DamageCode(rawValue: "jpeg.scan-missing") }

    /// The entropy-coded data end before the last MCU.
    ///
    /// - Source: ITU-T T.81 §F.2.2 "Baseline Huffman decoding procedures"
    @inlinable public static var jpegCodedDataShort: DamageCode { DamageCode(rawValue: "jpeg.coded-data-short") }

    /// A bit pattern that is no code, or coefficients beyond the block's last.
    ///
    /// - Source: ITU-T T.81 §F.2.2 "Baseline Huffman decoding procedures"
    @inlinable public static var jpegCodedDataInvalid: DamageCode { DamageCode(rawValue: "jpeg.coded-data-invalid") }

    /// Every code of JPEG.
    public static let allJPEG: [DamageCode] = [
        .jpegMarkerUnknown, .jpegSegmentLength, .jpegImageRepeated, .jpegFrameLength, .jpegFrameSize,
        .jpegFrameComponents, .jpegFrameSampling, .jpegFrameRepeated, .jpegLinesMissing, .jpegQuantizationTable,
        .jpegQuantizationMissing, .jpegHuffmanTable, .jpegHuffmanOverfull, .jpegHuffmanMissing, .jpegConditioning,
        .jpegRestartInterval,
        .jpegRestartMissing, .jpegRestartNumber, .jpegScanHeader, .jpegScanOrder, .jpegScanProgression,
        .jpegScanMissing, .jpegCodedDataShort, .jpegCodedDataInvalid,
    ]
}
