// Pictures while they load: a sequence of pieces becomes a sequence of ever more complete images.

import ImageCodecs
public import ImageCodecsCore

extension AsyncSequence where Element: Sequence<UInt8> {
    /// The picture as it can be shown after each piece, for bytes that are still arriving.
    ///
    ///     for try await image in download.partialImages() { show(image) }
    ///
    /// An element comes whenever a piece changed the picture; the last one is the whole picture, or with
    /// tolerant options what could be had of it. Pieces are decoded as they are asked for, so a slow consumer
    /// slows the source; each is decoded in the task that iterates the sequence.
    ///
    /// A piece is any sequence of bytes: `[UInt8]`, `ArraySlice<UInt8>`, `Data`, the view of a network buffer. Those that
    /// are one after the other in memory are not copied.
    ///
    /// - Parameter options: size, pixel format, strictness and limits of the decode.
    public func partialImages(options: DecodingOptions = .default) -> PartialImages<Self> {
        PartialImages(base: self, options: options)
    }
}

/// The pictures that ``_Concurrency/AsyncSequence/partialImages(options:)`` delivers.
///
/// Iterating throws `ImageError` for damaged data and whatever the source throws.
public struct PartialImages<Base: AsyncSequence>: AsyncSequence where Base.Element: Sequence<UInt8> {
    /// The picture so far.
    public typealias Element = RasterImage

    let base: Base
    let options: DecodingOptions

    /// Starts with the first piece of the source.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), options: options)
    }

    /// Feeds one decoder.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private var decoder: any IncrementalImageDecoder
        private var isDone = false
        /// Whether the last picture delivered was a whole one.
        private var isWhole = false

        init(base: Base.AsyncIterator, options: DecodingOptions) {
            self.base = base
            decoder = CoderRegistry.shared.makeIncrementalDecoder(options: options)
        }

        /// The next picture, or `nil` after the last.
        public mutating func next() async throws -> RasterImage? {
            while !isDone {
                guard let piece = try await base.next() else {
                    isDone = true
                    _ = try decoder.finish()
                    return isWhole ? nil : try decoder.image()
                }
                let progress = try decoder.append(contentsOf: piece)
                if progress.changedRect != nil, let image = try decoder.image() {
                    isWhole = !image.isPartial
                    return image
                }
            }
            return nil
        }
    }
}

extension PartialImages: Sendable where Base: Sendable {}
