// The decoder of the VP8L bitstream: bits in, rows out. The pipeline, in order:
//
//   bits ──▶ header ──▶ transforms, each with a small image ──▶ entropy image ──▶ prefix codes (PrefixCodes/)
//        ──▶ pixels: literals, copies, colors of the cache (Pixels/, Kernels/PixelKernel)
//        ──▶ transforms undone, rows (Transforms/, Kernels/)

package import ImageCodecsCore

/// One bitstream from its first byte to its last row.
///
/// A value: a copy is a checkpoint. Decoding stops and goes on at any byte, between two symbols of a code length code or two
/// pixels; what is not whole is read again, which is at most eight bytes.
///
/// Source: RFC 9649 section 3 "Specification for WebP Lossless Bitstream".
package struct VP8LStream: Sendable {
    /// What the bitstream is.
    package enum Role: Hashable, Sendable {
        /// A picture, with a header.
        case picture
        /// The alpha plane of a lossy picture of this size: no header, and the green channel is the plane.
        case alpha(PixelSize)
    }

    /// How much of it is wanted.
    package enum Extent: Hashable, Sendable {
        case rows
        /// What ``VP8LStream/imageInfo`` says: the bitstream is complete after the prefix codes, and pixels are not decoded.
        case headers
    }

    /// The steps and what they hold, behind one reference: a copy of the stream is a copy of that, and the state is copied
    /// when one of the two goes on.
    private var state: [VP8LStreamState]

    /// - Parameters:
    ///   - role: what the bitstream is.
    ///   - extent: how much of it is wanted.
    ///   - meter: counts what is held.
    ///   - windowSlack: pixels that are held of a large picture besides those that a copy can reach; for tests, which have
    ///     smaller pictures.
    package init(_ role: Role, extent: Extent = .rows, meter: MemoryMeter?, windowSlack: Int = largeWindowSlack) {
        state = [VP8LStreamState(role, extent: extent, meter: meter, windowSlack: windowSlack)]
    }

    /// Pixels besides those that a copy can reach, about: as many again.
    package static let largeWindowSlack = PixelWindow.usualSlack

    /// Size and flags, once they are read; for an alpha plane from the start.
    package var header: VP8LHeader? { state[0].header }

    /// Rows that were handed over.
    package var rowCount: Int { state[0].rowCount }

    /// How the bitstream is coded, as far as it was read.
    package var imageInfo: VP8LImageInfo { state[0].imageInfo }

    /// Whether everything that is wanted is decoded.
    package var isComplete: Bool { state[0].isComplete }

    /// Makes every buffer this value's own, so that decoding on does not copy it.
    ///
    /// - Throws: `limitExceeded(.memory)` when there is no memory for copies.
    package mutating func makeUnique() throws(ImageError) { try state[0].makeUnique() }

    /// Decodes as far as the bytes go.
    ///
    /// After the header it returns once before anything is allocated, so that a caller can see whether the size is
    /// within its limits.
    ///
    /// - Parameters:
    ///   - bytes: unread bytes.
    ///   - offset: where they begin in the file.
    ///   - isFinal: whether no more bytes will come; what is missing then is the caller's to report.
    ///   - work: asked in every loop whose length the bytes decide.
    ///   - take: gets each finished row once, from top to bottom: of a picture four bytes a pixel, blue, green, red and
    ///     straight alpha; of an alpha plane one byte a pixel.
    /// - Returns: how many bytes are not needed again. The rest comes again, with more after it.
    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard,
        take: (_ row: RawSpan, _ y: Int) -> Void
    ) throws(ImageError) -> Int {
        try state[0].consume(bytes, offset: offset, work: &work, take: take)
    }
}
