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

    /// The orientation that undoes this one.
    public var inverse: Orientation {
        switch self {
        case .right: .left
        case .left: .right
        default: self
        }
    }

    /// This orientation, then `next` on what is seen.
    ///
    /// `Orientation.right.followed(by: .right)` is `.down`: two quarters are a half.
    public func followed(by next: Orientation) -> Orientation {
        // A row of `next`'s source is a column of this one's if this one swaps axes.
        Orientation(
            swapsAxes: swapsAxes != next.swapsAxes,
            mirrorsColumns: mirrorsColumns != (swapsAxes ? next.mirrorsRows : next.mirrorsColumns),
            mirrorsRows: mirrorsRows != (swapsAxes ? next.mirrorsColumns : next.mirrorsRows))
    }

    /// The size seen of a picture stored in `size`.
    package func size(ofStored size: PixelSize) -> PixelSize { swapsAxes ? size.transposed : size }

    /// Where some rows of a picture stored in `size` are seen.
    package func rect(ofRows rows: Range<Int>, ofStored size: PixelSize) -> PixelRect {
        let start = mirrorsRows ? size.height - rows.upperBound : rows.lowerBound
        return swapsAxes
            ? PixelRect(x: start, y: 0, width: rows.count, height: size.width)
            : PixelRect(x: 0, y: start, width: size.width, height: rows.count)
    }

    /// Whether the stored columns are seen in descending order: from left to right, or from top to bottom if axes
    /// are swapped.
    package var mirrorsColumns: Bool {
        switch self {
        case .upMirrored, .down, .rightMirrored, .left: true
        case .up, .downMirrored, .leftMirrored, .right: false
        }
    }

    /// Whether the stored rows are seen in descending order: from top to bottom, or from left to right if axes are
    /// swapped.
    package var mirrorsRows: Bool {
        switch self {
        case .down, .downMirrored, .right, .rightMirrored: true
        case .up, .upMirrored, .leftMirrored, .left: false
        }
    }

    private init(swapsAxes: Bool, mirrorsColumns: Bool, mirrorsRows: Bool) {
        self =
            switch (swapsAxes, mirrorsColumns, mirrorsRows) {
            case (false, false, false): .up
            case (false, true, false): .upMirrored
            case (false, true, true): .down
            case (false, false, true): .downMirrored
            case (true, false, false): .leftMirrored
            case (true, false, true): .right
            case (true, true, true): .rightMirrored
            case (true, true, false): .left
            }
    }
}
