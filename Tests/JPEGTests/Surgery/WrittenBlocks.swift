import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec

/// What a file says of its picture, as the plain reader of these tests finds it.
struct WrittenBlocks: Equatable {
    let size: PixelSize
    /// Of each component its sampling factors.
    let sampling: [[Int]]
    /// Of each component the blocks that touch the picture, row by row, 64 coefficients each in natural order.
    let blocks: [[[Int16]]]
    /// `SOFn`.
    let marker: Marker?
    let scanCount: Int
    let restartMarkerCount: Int

    init(_ file: [UInt8]) throws {
        let read = try CoefficientFileByTheBook(file)
        let components = read.geometry?.components ?? []
        size = read.geometry?.size ?? PixelSize(width: 0, height: 0)
        sampling = components.map { [$0.horizontalSampling, $0.verticalSampling] }
        blocks = zip(components, read.blocks).map { component, blocks in
            (0..<component.heightInBlocks).flatMap { row in
                let start = row * component.paddedWidthInBlocks
                return blocks[start..<start + component.widthInBlocks]
            }
        }
        (marker, scanCount, restartMarkerCount) = (read.frameMarker, read.scans.count, read.restartMarkerCount)
    }

    /// Whether both have the same picture, however it is coded.
    func hasPicture(of other: WrittenBlocks) -> Bool {
        size == other.size && sampling == other.sampling && blocks == other.blocks
    }
}

extension ImageData {
    var array: [UInt8] { withBytes { Array($0) } }

    /// A fixture.
    static func fixture(_ name: String) throws -> ImageData { ImageData(try FixtureBytes.read("jpeg/\(name)")) }
}

extension CoefficientPicture {
    /// A file with these coefficients.
    func file(_ process: CoefficientFileWriter.Process, segments: [UInt8] = []) throws -> [UInt8] {
        var work = WorkGuard.unlimited
        var writer = try CoefficientFileWriter(self, process: process, segments: segments, meter: nil, work: &work)
        var file: [UInt8] = []
        try writer.write(work: &work) { (bytes) throws(ImageError) in file.append(bytes) }
        return file
    }

    /// What says how the components are meant.
    var segments: [UInt8] {
        get throws { try MetadataSegments(ImageMetadata(), orientation: .up, colorModel: colorModel).bytes() }
    }
}
