// SOFn: the frame header, with the size of the picture and its components.

package import ImageCodecsCore

/// A frame header of a process this package decodes.
///
/// - Source: ITU-T T.81 (1992) §B.2.2 "Frame header syntax".
package struct JPEGFrameHeader: Hashable, Sendable {
    /// SOF0, SOF1, SOF2, SOF3, SOF9 or SOF10.
    package let marker: Marker
    /// `P`: bits of a sample; 8 or 12, or 2...16 in a lossless frame; of a baseline frame 8.
    package let precision: Int
    /// `X` and `Y`. If the height is 0, a DNL segment after the first scan states it; one may also replace it.
    package var size: PixelSize
    /// In the order of the header; one, three or four.
    package let components: PerComponent<FrameGeometry.ComponentSpecification>

    /// Whether scans carry parts of the coefficients.
    package var isProgressive: Bool { marker == .sof2 || marker == .sof10 }

    /// Whether scans are coded arithmetically, instead of by Huffman codes.
    package var isArithmetic: Bool { marker == .sof9 || marker == .sof10 }

    /// Whether samples are predicted from their neighbours, and not transformed.
    package var isLossless: Bool { marker == .sof3 }

    private static let decodedProcesses: [Marker] = [.sof0, .sof1, .sof2, .sof3, .sof9, .sof10]

    /// - Parameters:
    ///   - body: The segment after its length.
    ///   - offset: Where the marker was found, for errors.
    /// - Throws: `unsupported` for hierarchical processes and lossless ones with arithmetic coding, for precisions that are not decoded,
    ///   two components and sampling ratios that are not whole; `corrupt` for everything the standard rules out.
    package init(marker: Marker, body: Span<UInt8>, offset: Int) throws(ImageError) {
        guard Self.decodedProcesses.contains(marker) else {
            throw .unsupported(.jpeg, feature: Self.processName(of: marker))
        }
        guard body.count >= 6 else { throw .corruptJPEG(.jpegFrameLength, offset, "frame header is too short") }
        let count = Int(body[5])
        guard body.count == 6 + 3 * count else {
            throw .corruptJPEG(.jpegFrameLength, offset, "frame header has a wrong length")
        }
        precision = Int(body[0])
        guard
            marker == .sof3
                ? (2...16).contains(precision) : precision == 8 || (precision == 12 && marker != .sof0)
        else {
            throw .unsupported(.jpeg, feature: "\(body[0])-bit samples (\(marker.startOfFrameName))")
        }
        let size = PixelSize(width: Int(body.bigEndianUInt16(at: 3)), height: Int(body.bigEndianUInt16(at: 1)))
        guard size.width > 0 else { throw .corruptJPEG(.jpegFrameSize, offset, "picture without width") }
        guard count >= 1 else { throw .corruptJPEG(.jpegFrameComponents, offset, "frame without components") }
        guard count == 1 || count == 3 || count == 4 else {
            throw .unsupported(.jpeg, feature: "\(count) components")
        }
        components = try PerComponent(count: count) { index throws(ImageError) in
            let at = 6 + 3 * index
            let sampling = (horizontal: Int(body[at + 1] >> 4), vertical: Int(body[at + 1] & 15))
            guard (1...4).contains(sampling.horizontal), (1...4).contains(sampling.vertical) else {
                throw .corruptJPEG(.jpegFrameSampling, offset, "sampling factor outside 1...4")
            }
            guard body[at + 2] <= 3 else {
                throw .corruptJPEG(.jpegQuantizationTable, offset, "quantization table outside 0...3")
            }
            return FrameGeometry.ComponentSpecification(
                identifier: body[at], horizontalSampling: sampling.horizontal,
                verticalSampling: sampling.vertical, quantizationTable: Int(body[at + 2]))
        }
        self.marker = marker
        self.size = size
    }

    /// The geometry at a scale.
    ///
    /// - Precondition: The height is known.
    /// - Throws: `unsupported` if a sampling factor does not divide the largest.
    package func geometry(scale: DCTScale) throws(ImageError) -> FrameGeometry {
        guard
            let geometry = FrameGeometry(
                size: size, components: components, scale: scale, unitSide: isLossless ? 1 : 8)
        else {
            throw .unsupported(.jpeg, feature: "sampling factors with a fractional ratio")
        }
        return geometry
    }

    /// What an `unsupported` error calls the process of `marker`.
    private static func processName(of marker: Marker) -> String {
        let name = marker.startOfFrameName
        return switch marker.rawValue {
        case 0xC5, 0xC6: "hierarchical process (\(name))"
        case 0xC7: "hierarchical lossless process (\(name))"
        case 0xCB: "lossless process with arithmetic coding (\(name))"
        default: "hierarchical process with arithmetic coding (\(name))"
        }
    }
}

extension ImageError {
    /// A `corrupt` error of this format.
    @inline(never)
    package static func corruptJPEG(_ code: DamageCode, _ offset: Int, _ reason: String) -> ImageError {
        .corrupt(.jpeg, code, offset: offset, reason: reason)
    }
}
