// How many colour samples a JPEG file has for each sample of luma.

/// The ratio of luma to chroma samples, as people write it.
///
/// - Source: ITU-T T.81 (1992) §A.1.1 "Dimensions and sampling factors".
public enum JPEGSubsampling: String, Hashable, Sendable, CaseIterable {
    /// As many chroma samples as luma samples.
    case yCbCr444 = "4:4:4"
    /// Half as many across.
    case yCbCr422 = "4:2:2"
    /// Half as many across and down.
    case yCbCr420 = "4:2:0"
    /// Half as many down.
    case yCbCr440 = "4:4:0"
    /// A quarter as many across.
    case yCbCr411 = "4:1:1"

    /// The sampling factors of luma, `Hi` and `Vi`; those of chroma are 1.
    package var lumaSampling: (horizontal: Int, vertical: Int) {
        switch self {
        case .yCbCr444: (1, 1)
        case .yCbCr422: (2, 1)
        case .yCbCr420: (2, 2)
        case .yCbCr440: (1, 2)
        case .yCbCr411: (4, 1)
        }
    }
}
