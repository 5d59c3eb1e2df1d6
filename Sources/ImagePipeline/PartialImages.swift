// Pictures while they load: a sequence of pieces becomes a sequence of ever more complete images.

import ImageCodecs
public import ImageCodecsCore

extension AsyncSequence where Element: Sequence<UInt8> & Sendable {
    /// The picture as it can be shown after each piece, for bytes that are still arriving.
    ///
    ///     for try await image in download.partialImages() { show(image) }
    ///
    /// An element comes whenever a piece changed the picture; the last one is the whole picture, or with
    /// tolerant options what could be had of it. Pieces are decoded as they are asked for, so a slow consumer
    /// slows the source.
    ///
    /// Decoding happens on threads of this package's own, and the task is suspended meanwhile. Once the headers have come, it
    /// waits until there is room in the budget for the decode (`ImageInfo.estimatedPeakByteCount`) and two pictures; no piece is
    /// asked for while it waits, which suspends the source. The share is kept until the last picture is delivered, or until the
    /// iterator is gone. Cancelling the task ends waiting at once and decoding within a row.
    ///
    /// A piece is any sequence of bytes: `[UInt8]`, `ArraySlice<UInt8>`, `Data`, the view of a network buffer. Those that
    /// are one after the other in memory are not copied.
    ///
    /// - Parameters:
    ///   - options: size, pixel format, strictness and limits of the decode.
    ///   - budget: Memory that decodes share; ``DecodingBudget/shared``, 1 GiB, if nothing is said. As each upload keeps its share
    ///     while its bytes arrive, bound the time of an upload.
    public func partialImages(
        options: DecodingOptions = .default, budget: DecodingBudget = .shared
    ) -> PartialImages<Self> {
        PartialImages(base: self, options: options, budget: budget)
    }
}

/// The pictures that ``_Concurrency/AsyncSequence/partialImages(options:budget:)`` delivers.
///
/// Iterating throws `ImageError` for damaged data and whatever the source throws.
public struct PartialImages<Base: AsyncSequence>: AsyncSequence where Base.Element: Sequence<UInt8> & Sendable {
    /// The picture so far.
    public typealias Element = RasterImage

    let base: Base
    let options: DecodingOptions
    let budget: DecodingBudget

    /// Starts with the first piece of the source.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), decode: GradualDecode(options: options, budget: budget))
    }

    /// Feeds one decoder.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        /// `nil` after the last picture.
        private var decode: GradualDecode<Base.Element>?

        init(base: Base.AsyncIterator, decode: GradualDecode<Base.Element>) {
            self.base = base
            self.decode = decode
        }

        /// The next picture, or `nil` after the last.
        public mutating func next() async throws -> RasterImage? {
            while let decode {
                do {
                    guard let piece = try await base.next() else {
                        self.decode = nil
                        return try await decode.finish()
                    }
                    if let image = try await decode.append(piece) { return image }
                } catch {
                    self.decode = nil
                    throw error
                }
            }
            return nil
        }
    }
}

extension PartialImages: Sendable where Base: Sendable {}
