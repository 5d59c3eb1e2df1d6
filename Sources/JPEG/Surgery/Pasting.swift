// Parts of a picture replaced by other JPEG pictures, block by block.

public import ImageCodecsCore
import JPEGBaselineCodec

/// A JPEG picture that takes the place of a part of another one without loss; see `JPEGCoder.transformed`.
///
/// Blocks are replaced by blocks, so both pictures need the same sampling and, for each component, the same quantisation table: files of one
/// encoder at one quality have that. A gray picture can be pasted into one with colours, and gets none; of one with colours a gray picture
/// takes the luma.
public struct JPEGPatch: Sendable {
    /// A JPEG file.
    public var file: ImageData
    /// Pixels of the result to the left of its picture: a multiple of an MCU's width.
    public var x: Int
    /// Pixels of the result above it: a multiple of an MCU's height.
    public var y: Int

    /// A patch; coordinates are those of the new picture, after it was turned and cut.
    public init(_ file: ImageData, x: Int, y: Int) {
        (self.file, self.x, self.y) = (file, x, y)
    }
}

extension Surgery {
    /// Replaces a part of a picture whose coefficients are its own.
    ///
    /// - Parameter transformation: what was done with the picture: the patch is turned as its own EXIF data say if the picture was.
    /// - Throws: what reading the patch throws; `invalidArgument` if it does not fit.
    func paste(
        _ patch: JPEGPatch, into picture: inout CoefficientPicture, of transformation: JPEGTransformation,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        // Before its coefficients are read.
        let size = try JPEGCoder().inspect(patch.file, options: decoding).size
        guard (size.pixelCount ?? .max) <= (picture.geometry.size.pixelCount ?? .max) else {
            throw .invalidArgument("\(size) pixels are not within the picture of \(picture.geometry.size) pixels")
        }
        var (part, orientation) = try patch.file.withBytes { (bytes) throws(ImageError) in
            let stored = try read(bytes, &work)
            if let damage = stored.damage { throw damage }
            return (stored.picture, stored.metadata.orientation)
        }
        if transformation.appliesOrientation, orientation != .up {
            var upright = JPEGTransformation()
            upright.edges = transformation.edges
            (part, orientation) = try upright.apply(to: part, orientation: orientation, meter: meter, &work)
        }
        let place = try picture.place(of: part, x: patch.x, y: patch.y, transformation.edges)
        for index in picture.geometry.components.indices {
            try picture.replaceBlocks(ofComponent: index, at: place, with: part, &work)
        }
    }
}

extension CoefficientPicture {
    /// Where a part goes.
    ///
    /// - Throws: `invalidArgument` if it does not fit.
    fileprivate func place(
        of part: CoefficientPicture, x: Int, y: Int, _ edges: JPEGTransformation.Edges
    ) throws(ImageError) -> PixelRect {
        let (size, mcu, patch) = (geometry.size, geometry.mcuSize, part.geometry.size)
        try checkFormat(of: part)
        guard x >= 0, y >= 0, x < size.width, y < size.height, patch.width <= size.width - x,
            patch.height <= size.height - y
        else {
            throw .invalidArgument("\(patch) pixels at \(x),\(y) are not within the picture of \(size) pixels")
        }
        guard x % mcu.width == 0, y % mcu.height == 0 else {
            let near = (x / mcu.width * mcu.width, y / mcu.height * mcu.height)
            throw .invalidArgument(
                "not without loss: MCUs of \(mcu) pixels begin at \(near.0),\(near.1), not at \(x),\(y)")
        }
        return PixelRect(
            x: x / mcu.width, y: y / mcu.height,
            width: try edges.wholeMCUs(of: patch.width, mcu.width, reachesEdge: x + patch.width == size.width),
            height: try edges.wholeMCUs(of: patch.height, mcu.height, reachesEdge: y + patch.height == size.height))
    }

    /// - Throws: `invalidArgument` if blocks of a part do not mean what blocks of this picture mean.
    private func checkFormat(of part: CoefficientPicture) throws(ImageError) {
        let models: Set = [colorModel, part.colorModel]
        guard models.count == 1 || models == [.grayscale, .yCbCr] else {
            throw .invalidArgument("not without loss: the components of the pictures have different meanings")
        }
        for (own, other) in zip(geometry.components, part.geometry.components) {
            guard
                own.horizontalSampling * part.geometry.maximumHorizontalSampling
                    == other.horizontalSampling * geometry.maximumHorizontalSampling,
                own.verticalSampling * part.geometry.maximumVerticalSampling
                    == other.verticalSampling * geometry.maximumVerticalSampling
            else { throw .invalidArgument("not without loss: the pictures have different sampling") }
            guard
                quantizationTables[own.quantizationTable] == part.quantizationTables[other.quantizationTable]
            else { throw .invalidArgument("not without loss: the pictures have different quantization tables") }
        }
    }

    /// Replaces blocks of one component.
    ///
    /// - Parameter place: MCUs.
    fileprivate mutating func replaceBlocks(
        ofComponent index: Int, at place: PixelRect, with part: CoefficientPicture, _ work: inout WorkGuard
    ) throws(ImageError) {
        let component = geometry.components[index]
        let (column, row) = (place.x * component.horizontalSampling, place.y * component.verticalSampling)
        // Blocks beyond the picture are not kept.
        let width = min(place.width * component.horizontalSampling, component.widthInBlocks - column)
        let height = min(place.height * component.verticalSampling, component.heightInBlocks - row)
        for line in 0..<height {
            try work.check()
            let start = coefficients[index].byteOffset(column: column, row: row + line)
            let range = start..<start + width * QuantizedCoefficients.bytesPerBlock
            guard index < part.coefficients.count else {
                // No colours.
                coefficients[index].values.fill(range, with: 0)
                continue
            }
            let source = part.coefficients[index]
            let first = source.byteOffset(column: 0, row: line)
            source.withBytes(first..<first + range.count) { blocks in
                coefficients[index].values.withMutableBytes(range) { $0.copy(blocks) }
            }
        }
        DummyBlocks.fill(&coefficients[index], component)
    }
}

extension JPEGTransformation.Edges {
    /// The MCUs of a side that are pasted: an incomplete one only where the picture has the same.
    fileprivate func wholeMCUs(of length: Int, _ mcu: Int, reachesEdge: Bool) throws(ImageError) -> Int {
        if reachesEdge { return (length + mcu - 1) / mcu }
        guard length % mcu == 0 || self != .perfect else {
            throw .invalidArgument(
                "not without loss: a side of \(length) pixels is no multiple of \(mcu) and does not reach the edge; "
                    + "its last \(length % mcu) can be left out")
        }
        guard length >= mcu else { throw .invalidArgument("a side of \(length) pixels has no whole MCU of \(mcu)") }
        return length / mcu
    }
}
