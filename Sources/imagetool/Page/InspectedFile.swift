// A file as pages show it: read once, taken apart, and its picture.

import ImageCodecs
import ImageInspection

/// What pages need of a file.
struct InspectedFile {
    let path: String
    /// What it is called on the page.
    let name: String
    let structure: FileStructure
    /// How it is coded.
    let map: FileMap
    /// Its picture, reduced; `nil` if nothing of it can be decoded.
    let picture: Bitmap?

    /// The pixel of the block that is taken apart.
    let block: PixelPlace?

    /// Cells of each layer.
    static let cellCount = 1 << 17
    /// The largest side of the picture.
    private static let pictureSide = 720

    /// - Parameters:
    ///   - file: read once.
    ///   - limits: those of a decode.
    ///   - block: of a JPEG file, a pixel of the block to take apart.
    init(_ file: InputFile, limits: DecodingLimits, block: PixelPlace?) throws(ImageError) {
        self.block = block
        path = file.path
        name = file.path == "-" ? "standard input" : FilePath.name(file.path)
        structure = try FileStructure(file, limits: limits)
        picture = try Self.picture(structure.data, limits)
        map = try FileMap(
            of: structure.data, limits: limits, maxCellCount: Self.cellCount, block: block?.pixel)
    }

    /// The first picture as far as it can be decoded, reduced; `nil` if nothing of it can.
    private static func picture(_ data: ImageData, _ limits: DecodingLimits) throws(ImageError) -> Bitmap? {
        var options = DecodingOptions()
        (options.limits, options.strictness, options.firstFrameOnly) = (limits, .tolerant, true)
        // Layers are in the file's own directions.
        options.appliesOrientation = false
        options.convertsToSRGB = true
        options.size = .fitting(PixelSize(width: pictureSide, height: pictureSide), .fit)
        options.pixelFormat = .rgba
        do throws(ImageError) {
            let bitmap = try RasterImage(data, options: options).bitmap
            return bitmap.size.isEmpty ? nil : bitmap
        } catch {
            switch error {
            case .cancelled, .limitExceeded(.time, _, _): throw error
            default: return nil
            }
        }
    }
}
