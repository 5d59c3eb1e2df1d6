// What can be done with a picture without decoding its samples: parts, turns and components of whole blocks.

public import ImageCodecsCore
import JPEGBaselineCodec

/// Changes of a JPEG picture that leave every coefficient as exact as it was; see `JPEGCoder.transformed`.
///
/// They are made in this order: colour left out, turned as EXIF says, turned as asked, cut; other pictures (``JPEGPatch``) are pasted last. MCUs
/// move as wholes: 8x8 pixels in gray
/// pictures and those of 4:4:4, 16x8 of 4:2:2, 16x16 of 4:2:0. So a part begins where one does, and the pixels of an
/// incomplete last column or row cannot come first.
///
/// ```swift
/// var transformation = JPEGTransformation(orientation: .right)
/// transformation.edges = .trim
/// let turned = try JPEGCoder().transformed(file, by: transformation)
/// ```
public struct JPEGTransformation: Hashable, Sendable {
    /// What is done with an incomplete column or row of MCUs that would come first.
    public enum Edges: String, Hashable, Sendable, CaseIterable {
        /// It is refused.
        case perfect
        /// It is left out: the picture loses up to 15 (of 4:1:1: 31) columns or rows.
        case trim
        /// It stays where it is, not mirrored, at the other side of the picture: nothing is lost, and turning back gives the same picture.
        case keep
    }

    /// Whether the picture is turned as its EXIF orientation says, which then is upright; otherwise the tag stays.
    public var appliesOrientation = true
    /// How it is turned or mirrored after that.
    public var orientation = Orientation.up
    /// The part of the turned picture that is kept. It gets larger to the left and to the top, so that it begins where an MCU does.
    public var crop: PixelRect?
    /// Whether luma alone is kept, of pictures of luma and colour differences.
    public var isGray = false
    /// What is done with incomplete MCUs.
    public var edges = Edges.perfect

    /// A transformation.
    ///
    /// - Parameters:
    ///   - orientation: how the picture is turned, after its EXIF orientation was applied.
    ///   - crop: the part of the turned picture that is kept; `nil` for all of it.
    public init(orientation: Orientation = .up, crop: PixelRect? = nil) {
        self.orientation = orientation
        self.crop = crop
    }

    /// The part of a picture that is kept, and where it comes from.
    struct Plan {
        /// How the stored picture is turned.
        let orientation: Orientation
        /// Of the new frame.
        let geometry: FrameGeometry
        /// MCUs of the turned picture before the first one that is kept.
        let firstColumn: Int
        let firstRow: Int
        /// Columns and rows of MCUs that change places among each other; 0 if they are not mirrored. What follows them stays.
        let mirroredColumns: Int
        let mirroredRows: Int
    }

    /// - Parameters:
    ///   - source: of the frame with all components that are kept.
    ///   - stored: what EXIF says.
    /// - Throws: `invalidArgument` for a part outside the picture, and for incomplete MCUs that would come first.
    func plan(_ source: FrameGeometry, stored: Orientation) throws(ImageError) -> Plan {
        let orientation = appliesOrientation ? stored.followed(by: orientation) : orientation
        let isSwapped = orientation.swapsAxes
        let specifications = source.components.map { component in
            var result = FrameGeometry.ComponentSpecification(component, quantizationTable: component.quantizationTable)
            if isSwapped { swap(&result.horizontalSampling, &result.verticalSampling) }
            return result
        }
        let size = orientation.size(ofStored: source.size)
        guard let turned = FrameGeometry(size: size, components: specifications) else {
            throw .invalidArgument("a picture of \(size) pixels cannot be written")
        }
        let mcu = turned.mcuSize
        let mirrored = (
            columns: isSwapped ? orientation.mirrorsRows : orientation.mirrorsColumns,
            rows: isSwapped ? orientation.mirrorsColumns : orientation.mirrorsRows
        )
        var part = try crop.map { (crop) throws(ImageError) in try mcu.extended(crop, in: size) } ?? PixelRect(size)
        part.width = try edges.length(of: part.x..<part.x + part.width, all: size.width, mcu.width, mirrored.columns)
        part.height = try edges.length(of: part.y..<part.y + part.height, all: size.height, mcu.height, mirrored.rows)
        guard let geometry = FrameGeometry(size: part.size, components: specifications) else {
            throw .invalidArgument("a picture of \(part.size) pixels cannot be written")
        }
        return Plan(
            orientation: orientation, geometry: geometry, firstColumn: part.x / mcu.width,
            firstRow: part.y / mcu.height, mirroredColumns: mirrored.columns ? size.width / mcu.width : 0,
            mirroredRows: mirrored.rows ? size.height / mcu.height : 0)
    }
}

extension FrameGeometry {
    /// Pixels of an MCU across and down.
    var mcuSize: PixelSize {
        PixelSize(width: 8 * maximumHorizontalSampling, height: 8 * maximumVerticalSampling)
    }
}

extension PixelSize {
    /// The part, begun where an MCU of this size does.
    fileprivate func extended(_ part: PixelRect, in size: PixelSize) throws(ImageError) -> PixelRect {
        guard part.x >= 0, part.y >= 0, part.width > 0, part.height > 0, part.x < size.width, part.y < size.height,
            part.width <= size.width - part.x, part.height <= size.height - part.y
        else { throw .invalidArgument("the part \(part) is not within the picture of \(size) pixels") }
        let (left, top) = (part.x % width, part.y % height)
        return PixelRect(x: part.x - left, y: part.y - top, width: part.width + left, height: part.height + top)
    }
}

extension JPEGTransformation.Edges {
    /// The pixels of a part along one side.
    ///
    /// - Parameters:
    ///   - all: those of the whole picture.
    ///   - mcu: those of an MCU.
    fileprivate func length(of part: Range<Int>, all: Int, _ mcu: Int, _ isMirrored: Bool) throws(ImageError) -> Int {
        let whole = all / mcu * mcu
        guard isMirrored, part.upperBound > whole else { return part.count }
        switch self {
        case .keep: return part.count
        // What is within one incomplete MCU is all there is.
        case .trim: return part.lowerBound < whole ? whole - part.lowerBound : part.count
        case .perfect:
            throw .invalidArgument(
                "not without loss: a side of \(all) pixels is no multiple of \(mcu), and its last \(all - whole) would come first; "
                    + "they can be left out or left where they are")
        }
    }
}
