// What one format's encoder has to be, for `EncodingSession` to drive it.
//
//   rows ──▶ RowPreparation (scaling, background, conversion) ──▶ RowEncoder ──▶ bytes

public import ImageCodecsCore

/// Takes the bytes of a file as an encoder makes them, in pieces of any size.
public typealias EncodedBytesSink = (_ bytes: Span<UInt8>) throws(ImageError) -> Void

/// A picture whose rows are going to be encoded: prepared, so in the size in which it is written.
public struct EncodedPicture: Sendable {
    /// Width and height in pixels, as stored.
    public package(set) var size: PixelSize
    /// What rows hold, unless the encoder asks for another format.
    public package(set) var format: PixelFormat
    /// How the stored picture has to be turned for viewing.
    public package(set) var orientation: Orientation
    /// What is to be written about it.
    public package(set) var metadata: ImageMetadata
    /// Whether it comes from a file that stores samples with loss.
    public package(set) var isLossy = false

    package init(size: PixelSize, format: PixelFormat, orientation: Orientation, metadata: ImageMetadata) {
        self.size = size
        self.format = format
        self.orientation = orientation
        self.metadata = metadata
    }
}

/// What an encoder may use.
package struct EncodingRequest: Sendable {
    package let options: EncodingOptions
    /// Counts everything that encoding holds.
    package let meter: MemoryMeter

    package init(options: EncodingOptions) {
        self.options = options
        meter = options.memoryMeter ?? MemoryMeter(limit: options.limits.maxMemoryByteCount)
    }
}

/// The state machine of one format: rows in, the bytes of a file out.
///
/// Calls come in this order: ``survey(_:work:)`` for every row from the top if ``surveysRows``, then ``write(_:to:work:)`` for
/// every row from the top, then ``finish(to:work:)``. What comes out does not depend on how the sink takes it. No memory is
/// allocated before the first call, so that an estimate costs nothing.
package protocol RowEncoder: Sendable {
    /// What rows have to hold; the session converts them.
    var rowFormat: PixelFormat { get }

    /// Bytes that the encoder holds at most, the file's bytes that wait for the sink included. Saturates.
    var estimatedByteCount: Int { get }

    /// Whether every row is wanted twice: first to be looked at, then to be written. The session then holds the picture,
    /// unless it is a bitmap of the caller's.
    var surveysRows: Bool { get }

    /// Bytes of the file that do not depend on the number of pixels, as far as they are written: all of them once the file is complete, with
    /// most formats with the first row.
    var fixedByteCount: Int { get }

    /// Looks at a row.
    ///
    /// - Returns: whether the next row is wanted as well.
    mutating func survey(_ row: RawSpan, work: inout WorkGuard) throws(ImageError) -> Bool

    /// Encodes a row.
    mutating func write(_ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError)

    /// Ends the file, after the last row.
    mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError)
}

extension RowEncoder {
    /// No rows are looked at before they are written.
    package var surveysRows: Bool { false }

    /// Nothing needs to be known about the rows.
    package mutating func survey(_ row: RawSpan, work: inout WorkGuard) throws(ImageError) -> Bool { false }
}

/// A coder that encodes rows as they come.
package protocol RowEncodingCoder: ImageCoder {
    /// What encoders of `format` do with these options.
    func traits(writing format: ImageFormat, _ options: EncodingOptions) -> EncoderTraits

    /// Makes the encoder of one picture.
    ///
    /// - Throws: `invalidArgument` for options that make no sense, `limitExceeded(.dimension)` if the format cannot hold the
    ///   picture, `unsupported` for what else it cannot hold.
    func makeRowEncoder(
        _ picture: EncodedPicture, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any RowEncoder
}

extension RowEncodingCoder {
    /// Writes `image` as a file of `format`; see `ImageCoder`.
    public func encode(
        _ image: RasterImage, to format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try EncodingSession.encode(image, to: format, by: self, options: options) { bytes.append(contentsOf: $0) }
        return bytes
    }
}

/// Bytes of a file that an encoder has made and that wait for the sink, which gets them in pieces worth a call.
package struct PendingBytes: Sendable {
    /// The bytes; whoever encodes appends to them.
    package var bytes: [UInt8] = []
    /// Bytes that the sink got before these.
    private var sentCount = 0

    /// Bytes from which on a piece is worth a call.
    package static let pieceByteCount = 1 << 16

    package init() {}

    /// Bytes of the file so far.
    package var totalCount: Int { sentCount + bytes.count }

    /// Hands the bytes on, once they are worth a call.
    package mutating func sendIfFull(to sink: EncodedBytesSink) throws(ImageError) {
        if bytes.count >= Self.pieceByteCount { try send(to: sink) }
    }

    /// Hands all bytes on.
    package mutating func send(to sink: EncodedBytesSink) throws(ImageError) {
        guard !bytes.isEmpty else { return }
        try bytes.withSpan { (bytes) throws(ImageError) in try sink(bytes) }
        sentCount += bytes.count
        bytes.removeAll(keepingCapacity: true)
    }
}
