// What a frame's components mean: the markers decide, then the components' names.

import ImageCodecsCore

extension JPEGColorModel {
    /// The model of a frame, decided as libjpeg does.
    ///
    /// Three components: a JFIF marker means Y'CbCr; else the transform of an Adobe marker decides; else components
    /// named "R", "G", "B" are those, and all others Y'CbCr, but red, green and blue in a lossless frame. Four components: CMYK, unless an Adobe marker says YCCK.
    ///
    /// - Source: ITU-T T.871 (2011) §7 "Conversion to and from RGB"; Adobe Technical Note 5116 §18 "Adobe marker".
    package init(_ frame: JPEGFrameHeader, segments: ApplicationSegments) {
        switch frame.components.count {
        case 1: self = .grayscale
        case 4: self = (segments.adobeTransform ?? 0) == 0 ? .cmyk : .ycck
        default:
            if segments.hasJFIF {
                self = .yCbCr
            } else if let transform = segments.adobeTransform {
                self = transform == 0 ? .rgb : .yCbCr
            } else {
                self = frame.isNamedRGB || frame.isLossless ? .rgb : .yCbCr
            }
        }
    }
}

extension JPEGFrameHeader {
    /// Whether the three components are named "R", "G" and "B".
    fileprivate var isNamedRGB: Bool {
        components.map(\.identifier).elementsEqual("RGB".utf8)
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
        let components = geometry.components
        guard components.count > 1 else { return name }
        func has(_ index: Int, _ horizontal: Int, _ vertical: Int) -> Bool {
            components[index].horizontalSampling == horizontal && components[index].verticalSampling == vertical
        }
        let first = components[0]
        guard components.count == 3, has(1, 1, 1), has(2, 1, 1) else {
            let isUniform = components.indices.allSatisfy {
                has($0, first.horizontalSampling, first.verticalSampling)
            }
            let factors = components.map { "\($0.horizontalSampling)x\($0.verticalSampling)" }
            return isUniform ? name : name + " " + factors.joined(separator: ",")
        }
        return switch (first.horizontalSampling, first.verticalSampling) {
        case (1, 1): name + " 4:4:4"
        case (2, 1): name + " 4:2:2"
        case (2, 2): name + " 4:2:0"
        case (1, 2): name + " 4:4:0"
        case (4, 1): name + " 4:1:1"
        case (4, 2): name + " 4:1:0"
        case (let across, let down): name + " \(across)x\(down),1x1,1x1"
        }
    }
}
