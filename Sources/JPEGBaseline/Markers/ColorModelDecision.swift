// What a frame's components mean: the markers decide, then the components' names.

import ImageCodecsCore

extension JPEGColorModel {
    /// The model of a frame, decided as libjpeg does.
    ///
    /// Three components: a JFIF marker means Y'CbCr; else the transform of an Adobe marker decides; else components
    /// named "R", "G", "B" are those, and all others Y'CbCr. Four components: CMYK, unless an Adobe marker says YCCK.
    ///
    /// - Source: ITU-T T.871 (2011) §7 "Conversion to and from RGB"; Adobe Technical Note 5116 §18 "Adobe marker".
    package init(_ frame: JPEGFrameHeader, segments: ApplicationSegments) {
        switch frame.components.count {
        case 1: self = .grayscale
        case 4: self = (segments.adobeTransform ?? 0) == 0 ? .cmyk : .ycck
        default:
            let names = frame.components.map(\.identifier)
            if segments.hasJFIF {
                self = .yCbCr
            } else if let transform = segments.adobeTransform {
                self = transform == 0 ? .rgb : .yCbCr
            } else {
                self = names == Array("RGB".utf8) ? .rgb : .yCbCr
            }
        }
    }
}

extension JPEGColorModel {
    /// For people: the model, and the sampling if chroma has less of it.
    package func description(_ geometry: FrameGeometry) -> String {
        let name =
            switch self {
            case .grayscale: "gray"
            case .rgb: "RGB"
            case .yCbCr: "Y'CbCr"
            case .cmyk: "CMYK"
            case .ycck: "YCCK"
            }
        let factors = geometry.components.map { ($0.horizontalSampling, $0.verticalSampling) }
        guard geometry.components.count > 1 else { return name }
        guard factors.count == 3, factors[1] == (1, 1), factors[2] == (1, 1) else {
            let isUniform = factors.allSatisfy { $0 == factors[0] }
            return isUniform ? name : name + " " + factors.map { "\($0.0)x\($0.1)" }.joined(separator: ",")
        }
        return switch factors[0] {
        case (1, 1): name + " 4:4:4"
        case (2, 1): name + " 4:2:2"
        case (2, 2): name + " 4:2:0"
        case (1, 2): name + " 4:4:0"
        case (4, 1): name + " 4:1:1"
        case (4, 2): name + " 4:1:0"
        default: name + " \(factors[0].0)x\(factors[0].1),1x1,1x1"
        }
    }
}
