// What the marker loop and the façade ask of a frame, whatever its process.

package import ImageCore

/// Decodes the scans of one frame and builds its picture.
///
/// A value: a copy is a checkpoint. The driver calls ``beginScan(_:tables:work:)`` once per scan, then
/// ``decode(_:offset:isFinal:work:)`` until the scan is complete; the façade calls ``finish(isWhole:work:)`` once, when
/// no more scans will come, and asks for pictures at any time.
package protocol FrameDecoder: Sendable {
    /// Prepares for the entropy-coded data of a scan. `tables` are those in force at its header.
    mutating func beginScan(_ header: ScanHeader, tables: DecodingTables, work: WorkGuard) throws(ImageError)

    /// Decodes as far as the bytes allow.
    ///
    /// - Parameters:
    ///   - input: Unread bytes, those of the entropy-coded segments first.
    ///   - offset: Where they begin in the file.
    ///   - isFinal: Whether no more bytes will come.
    ///   - work: Asked once per MCU row, and where a row has many bytes now and then within it.
    mutating func decode(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> ScanStep

    /// Makes every buffer this value's own, so that decoding on does not copy it.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    mutating func makeUnique() throws(ImageError)

    /// Whether every sample of the picture is decoded, so that nothing is lost when the file ends here.
    var isComplete: Bool { get }

    /// Whether there is anything to show.
    var hasPicture: Bool { get }

    /// Ends decoding: no more scans will come. Memory that only decoding needed may be given back.
    ///
    /// - Parameter isWhole: Whether the stream has ended as it should: what its scans have not delivered is zero then,
    ///   and not missing.
    mutating func finish(isWhole: Bool, work: WorkGuard) throws(ImageError)

    /// The picture after ``finish(isWhole:work:)``, turned as the options say.
    func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap

    /// The picture as far as it is decoded, turned as the options say; decoding on does not change it.
    mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap

    /// Whether a partial picture is made as a whole each time.
    var hasCostlyPartialPictures: Bool { get }

    /// The longest run of `0xFF` in front of a stuffed zero, as far as it was looked for.
    var longestFill: Int { get }

    /// The samples of each component, where they are kept; once the frame is finished.
    var planes: [Bitmap] { get }

    /// Rows of the file whose pixels are real, in ascending order: no later byte would change them.
    var realRows: [Range<Int>] { get }

    /// The first damage that was tolerated.
    var damage: ImageError? { get }

    /// Scans that are complete; `nil` where the picture comes in one.
    var completedScans: Int? { get }

    /// What changed in the picture since the last call.
    mutating func takeChanged() -> PixelRect?

    /// Where decoding stands.
    var stage: DecodingProgress.Stage { get }
}

extension FrameDecoder {
    /// Decoders read fill bytes without counting them.
    package var longestFill: Int { 1 }
}

/// What a call of ``FrameDecoder/decode(_:offset:isFinal:work:)`` did.
package struct ScanStep: Hashable, Sendable {
    /// Bytes that are not needed again.
    package var consumedCount: Int
    /// Whether the scan is complete; otherwise more bytes are needed.
    package var isScanComplete: Bool

    package init(consumedCount: Int, isScanComplete: Bool) {
        self.consumedCount = consumedCount
        self.isScanComplete = isScanComplete
    }
}

/// What is known about a frame when its first scan begins.
package struct FrameContext: Sendable {
    package let header: FrameHeader
    package let colorModel: JPEGColorModel
    /// The header of the first scan: it tells whether a sequential frame comes in one.
    package let firstScan: ScanHeader
    /// What segments in front of the first scan say.
    package let metadata: ImageMetadata
    /// Bytes that metadata and the input's left-overs take at most, as far as the file is known.
    package let inputSideByteCount: Int

    /// Whether one scan holds all components of a sequential frame, so that rows can be finished as they come.
    package var comesInOneScan: Bool {
        !header.isProgressive && firstScan.components.count == header.components.count
    }
}
