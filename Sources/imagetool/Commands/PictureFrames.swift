// Pictures in files as the frames of an animation.

import ImageCodecs
import Synchronization

/// Decodes a picture when its frame is asked for.
final class PictureFrames: AnimatedImageProvider {
    private let inputs: [InputFile]
    private let duration: Duration
    private let options: DecodingOptions
    private let firstData: ImageData
    private let firstInfo: ImageInfo
    private let state = Mutex(State())

    /// What decoding pictures has shown.
    private struct State {
        /// The picture that could not be a frame, if one could not.
        var failedPath: String?
        var bitDepth = 0
        /// What is not in the animation of a picture, by its path.
        var remarks: [String: [String]] = [:]
    }

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
        firstInfo = info
    }

    /// What the headers of the first picture say, with the most bits that a picture had so far.
    var info: ImageInfo {
        var info = firstInfo
        info.bitDepth = max(info.bitDepth, state.withLock { $0.bitDepth })
        return info
    }

    var frameCount: Int { inputs.count }

    /// The picture that could not be a frame, if one could not.
    var failedPath: String? { state.withLock { $0.failedPath } }

    /// The pictures of which something is not in the animation, each once, and what that is.
    ///
    /// - Parameter policy: what of the metadata was to be written.
    func warnings(_ policy: EncodingOptions.MetadataPolicy) -> [(path: String, warning: String)] {
        state.withLock { $0.remarks }.sorted { $0.key < $1.key }.flatMap { path, remarks in
            remarks.filter { policy != .none || $0 != Self.otherProfile }.map { (path, $0) }
        }
    }

    private static let otherProfile =
        "the colour profile is left out: the animation has that of the first picture, or none"

    func duration(at index: Int) throws(ImageError) -> Duration { duration }

    func frame(at index: Int) throws(ImageError) -> ImageFrame {
        do throws(ImageError) {
            let data = try data(at: index)
            let image = try RasterImage(data, options: options)
            let info = try? CoderRegistry.shared.readFrameCount(of: data, options: .default)
            guard image.size == firstInfo.decodedSize else {
                throw .invalidArgument(
                    "\(image.size) pixels; all pictures have to be \(firstInfo.decodedSize) as \(inputs[0].path)")
            }
            state.withLock { state in
                state.bitDepth = max(state.bitDepth, info?.bitDepth ?? 0)
                let profile = image.metadata.iccProfile
                let hasOtherProfile = profile != nil && profile != firstInfo.metadata.iccProfile
                let remarks = [
                    image.partial?.summary, info?.firstFrameWords, hasOtherProfile ? Self.otherProfile : nil,
                ].compactMap { $0 }
                if !remarks.isEmpty { state.remarks[inputs[index].path] = remarks }
            }
            return ImageFrame(bitmap: image.bitmap, duration: duration, partial: image.partial)
        } catch {
            state.withLock { $0.failedPath = inputs[index].path }
            throw error
        }
    }

    private func data(at index: Int) throws(ImageError) -> ImageData {
        guard index > 0 else { return firstData }
        var reader = try FileReader(picture: inputs[index], limits: options.limits)
        return try reader.readToEnd()
    }
}
