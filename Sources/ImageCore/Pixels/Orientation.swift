// The eight ways a stored picture may have to be turned for viewing.

/// How a stored picture has to be turned and mirrored for viewing.
///
/// The names say where the stored picture's top edge is seen; raw values are those of EXIF.
/// Source: JEITA CP-3451 (Exif 2.32) §4.6.4, tag 274 "Orientation".
public enum Orientation: Int, CaseIterable, Sendable {
    /// Row 0 is the top, column 0 the left side: nothing to do.
    case up = 1
    /// Row 0 is the top, column 0 the right side: mirror left to right.
    case upMirrored
    /// Row 0 is the bottom, column 0 the right side: turn by half.
    case down
    /// Row 0 is the bottom, column 0 the left side: mirror top to bottom.
    case downMirrored
    /// Row 0 is the left side, column 0 the top: transpose.
    case leftMirrored
    /// Row 0 is the right side, column 0 the top: turn clockwise by a quarter.
    case right
    /// Row 0 is the right side, column 0 the bottom: transpose along the other diagonal.
    case rightMirrored
    /// Row 0 is the left side, column 0 the bottom: turn counterclockwise by a quarter.
    case left

    /// Whether width and height change places.
    public var swapsAxes: Bool { rawValue >= 5 }
}
