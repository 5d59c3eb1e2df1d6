// Bytes of any image in, bytes of a thumbnail out: what a server does with the codecs, without the server.

import ImageCodecs
import ImagePipeline

/// Makes thumbnails for all requests, within one memory budget.
package struct ThumbnailService: Sendable {
    /// An image file and its format.
    package struct Thumbnail: Sendable {
        package let format: ImageFormat
        package let bytes: [UInt8]
    }

    let limits: ServerLimits
    /// Shared by every decode and encode of a thumbnail.
    package let budget: DecodingBudget

    init(limits: ServerLimits) {
        self.limits = limits
        budget = DecodingBudget(byteCount: limits.budgetByteCount)
    }

    /// Whether so many requests wait that another one had better come later.
    var isBusy: Bool { budget.waitingCount >= limits.maxWaitingCount }

    /// Decodes an upload to a box of `side` x `side` pixels, and encodes it.
    ///
    /// Both happen on threads of `ImagePipeline`, when the budget has room. Cancelling the task ends the waiting at once and the
    /// work within a row.
    package func thumbnail(
        of upload: ImageData, side: Int, as formats: ThumbnailFormats
    ) async throws(ImageError) -> Thumbnail {
        let image = try await RasterImage.decoded(
            from: upload, options: limits.decodingOptions(side: side), budget: budget)
        let format = image.bitmap.format.hasAlpha ? formats.transparent : formats.opaque
        var options = EncodingOptions()
        options.metadata = .colors  // no camera, no place
        return Thumbnail(format: format, bytes: try await image.encoded(as: format, options: options, budget: budget))
    }
}
