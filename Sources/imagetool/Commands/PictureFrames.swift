// Pictures in files as the frames of an animation.

import ImageCodecs
import Synchronization

/// Decodes a picture when its frame is asked for.
final class PictureFrames: AnimatedImageProvider {
    private let inputs: [InputFile]
    private let duration: Duration
    private let options: DecodingOptions
    private let firstData: ImageData
    private let failed = Mutex<String?>(nil)
    let info: ImageInfo

    /// - Parameters:
    ///   - inputs: the files, at least one.
    ///   - duration: how long each is shown.
    ///   - options: limits and strictness.
    /// - Throws: what reading the first picture's headers throws.
    init(_ inputs: [InputFile], duration: Duration, options: DecodingOptions) throws(ImageError) {
        var options = options
        options.pixelFormat = .rgba
        options.firstFrameOnly = true
        self.inputs = inputs
        self.duration = duration
        self.options = options
        var reader = try FileReader(picture: inputs[0], limits: options.limits)
        // Standard input can be read only once.
        firstData = try reader.readToEnd()
        var inspection = options
        inspection.inspectsAllMetadata = true
        var info = try ImageInfo(firstData, options: inspection)
        info.animation = ImageInfo.Animation(frameCount: inputs.count, loopCount: 0)
        self.info = info
    }

    var frameCount: Int { inputs.count }

    /// The picture that could not be a frame, if one could not.
    var failedPath: String? { failed.withLock { $0 } }

    func duration(at index: Int) throws(ImageError) -> Duration { duration }

    func frame(at index: Int) throws(ImageError) -> ImageFrame {
        do throws(ImageError) {
            let bitmap = try RasterImage(data(at: index), options: options).bitmap
            guard bitmap.size == info.decodedSize else {
                throw .invalidArgument(
                    "\(bitmap.size) pixels; all pictures have to be \(info.decodedSize) as \(inputs[0].path)")
            }
            return ImageFrame(bitmap: bitmap, duration: duration)
        } catch {
            failed.withLock { $0 = inputs[index].path }
            throw error
        }
    }

    private func data(at index: Int) throws(ImageError) -> ImageData {
        guard index > 0 else { return firstData }
        var reader = try FileReader(picture: inputs[index], limits: options.limits)
        return try reader.readToEnd()
    }
}
