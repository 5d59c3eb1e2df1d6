// Which share of the chroma samples a file keeps: the choice of a caller, and what it means for sampling factors.

/// How many samples of chroma a JPEG file keeps: the smaller the share, the smaller the file and the softer its colours.
///
/// Names are those of video engineering: of four luma samples across, how many chroma samples there are in the first
/// row and in the second. Pictures of one component (gray) and of four inks (CMYK) have no chroma and are never
/// subsampled.
///
/// - Source: ITU-T T.81 (1992) §A.1.1 "Dimensions and sampling factors".
public enum JPEGSubsampling: String, Hashable, Sendable, CaseIterable {
    /// All of them: for text, drawings and saturated edges.
    case yCbCr444 = "4:4:4"
    /// Half of them, across.
    case yCbCr422 = "4:2:2"
    /// A quarter of them: half across, half down. What most photographs use.
    case yCbCr420 = "4:2:0"
    /// Half of them, down: 4:2:2 of a picture that was turned.
    case yCbCr440 = "4:4:0"
    /// A quarter of them, across.
    case yCbCr411 = "4:1:1"

    /// Luma samples across for each chroma sample: `Hi` of luma, that of chroma being 1.
    package var horizontalFactor: Int {
        switch self {
        case .yCbCr444, .yCbCr440: 1
        case .yCbCr422, .yCbCr420: 2
        case .yCbCr411: 4
        }
    }

    /// Luma samples down for each chroma sample: `Vi` of luma, that of chroma being 1.
    package var verticalFactor: Int {
        switch self {
        case .yCbCr444, .yCbCr422, .yCbCr411: 1
        case .yCbCr420, .yCbCr440: 2
        }
    }
}
