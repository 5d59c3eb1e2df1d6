// What a decode gets of a budget: its estimate, the input, and the frames that it will hold.

import ImageCodecs
package import ImageCodecsCore

extension ImageInfo {
    /// Bytes to reserve for a decode of a file in memory that holds every frame of an animation.
    ///
    /// - Parameters:
    ///   - inputByteCount: bytes of the file.
    ///   - options: those of the decode, with which this description was made.
    package func reservedByteCount(inputByteCount: Int, options: DecodingOptions) -> Int {
        let frameCount = options.firstFrameOnly ? 0 : animation?.frameCount ?? 0
        let reserved = estimatedPeakByteCount.addingSaturated(inputByteCount)
            .addingSaturated(frameByteCount(options).multipliedSaturated(by: frameCount))
        return min(reserved, options.limits.maxMemoryByteCount)
    }

    /// Bytes of one frame of an animation. In the format nearest to the file's all of them are RGBA, whatever the first picture
    /// is.
    private func frameByteCount(_ options: DecodingOptions) -> Int {
        guard options.pixelFormat == nil else { return decodedByteCount }
        return Bitmap.byteCount(size: decodedSize, format: .rgba) ?? .max
    }
}

extension DecodingOptions {
    /// Bytes to reserve for a decode whose inspection was refused, which may succeed all the same: a tolerant one may end at
    /// damage before what was refused. As nobody knows how much it takes, all that it may take.
    ///
    /// - Throws: `cancelled` and `limitExceeded(.time)`, which end the decode too.
    package func reservedByteCount(refusedWith error: ImageError) throws(ImageError) -> Int {
        switch error {
        case .cancelled, .limitExceeded(.time, _, _): throw error
        default: return limits.maxMemoryByteCount
        }
    }
}

extension CoderRegistry {
    /// Bytes to reserve for a decode of a file in memory: what it takes, the input, and the frames that it will hold.
    ///
    /// - Throws: `cancelled`, `limitExceeded(.time)`.
    package func reservedByteCount(for data: ImageData, options: DecodingOptions) throws(ImageError) -> Int {
        do throws(ImageError) {
            let info = try readFrameCount(of: data, options: options)
            return info.reservedByteCount(inputByteCount: data.count, options: options)
        } catch {
            return try options.reservedByteCount(refusedWith: error)
        }
    }
}

extension FileReader {
    /// Bytes to reserve for a decode of the file, its own included; as `CoderRegistry.reservedByteCount(for:options:)`.
    ///
    /// - Parameter options: those of the decode; afterwards with the time that is left for it, of which reading the file
    ///   takes none.
    /// - Throws: `cancelled`, `limitExceeded(.time)`.
    package mutating func reservedByteCount(
        fileByteCount: Int, options: inout DecodingOptions
    ) throws(ImageError) -> Int {
        var inspector = makeInspector(options)
        defer { options = inspector.remainingOptions }
        let info: ImageInfo
        do throws(ImageError) {
            info = try inspect(with: &inspector)
        } catch {
            return try options.reservedByteCount(refusedWith: error)
        }
        return info.reservedByteCount(inputByteCount: fileByteCount, options: options)
    }
}
