// What is done with a picture between decoding and writing: a frame, a part of it, a turn, a size.

import ImageCodecs

/// Changes in the order in which they are made.
struct PictureChange: Sendable, Hashable {
    /// The part that is kept, in pixels of the decoded picture.
    var crop: PixelRect?
    var rotation: RasterImage.Rotation?
    var flip: RasterImage.Flip?
    /// The frame of an animation that is written, from 0; `nil` for all of them, or the first.
    var frame: Int?

    /// Whether pixels have to be held.
    var changesPixels: Bool { crop != nil || rotation != nil || flip != nil }

    /// - Throws: `invalidArgument` for a part that is not within the picture.
    func apply(to image: inout RasterImage) throws(ImageError) {
        if let crop { image = try image.cropped(to: crop) }
        if let rotation { image = try image.rotated(rotation) }
        if let flip { image = try image.flipped(flip) }
    }
}
