// What `JPEGStream` asks of a frame, whatever its process.

package import ImageCodecsCore

/// Decodes the scans of one frame and builds its picture.
///
/// A value: a copy is a checkpoint. It is made for its first scan. The stream calls ``beginScan(_:tables:work:)`` once per scan, then
/// ``decode(_:offset:isFinal:work:)`` until the scan is complete; it calls ``finish(isWhole:work:)`` once, when
/// no more scans will come, and asks for pictures at any time.
package protocol JPEGFrameDecoder: Sendable {
    /// Prepares for the entropy-coded data of a scan. `tables` are those in force at its header; making them ready counts as
    /// work.
    ///
    /// - Returns: Whether the data are wanted: a picture that is complete needs no further scan.
    mutating func beginScan(
        _ header: ScanHeader, tables: DecodingTables, work: inout WorkGuard
    ) throws(ImageError) -> Bool

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

    /// What is delivered.
    var plan: PicturePlan { get }

    /// Goes on with a picture of fewer lines, as a DNL segment after the first scan says.
    mutating func redefine(_ plan: PicturePlan)

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

    /// The samples of each component, if they are kept; once the frame is finished.
    var planes: [Bitmap] { get }

    /// Rows of the file whose pixels are decoded, in ascending order: no later byte would change them.
    var decodedRows: [Range<Int>] { get }

    /// Whether ``decodedRows`` are all rows of the picture.
    var isWhollyDecoded: Bool { get }

    /// The first damage that was tolerated.
    var damage: ImageError? { get }

    /// Scans that are complete; `nil` if the picture comes in one.
    var completedScans: Int? { get }

    /// What changed in the picture since the last call.
    mutating func drainChanges() -> PixelRect?
}

/// What a call of ``JPEGFrameDecoder/decode(_:offset:isFinal:work:)`` did.
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

/// What a frame decoder is made from, when the first scan of the frame begins. A reference: it is large, and only handed on.
package final class FrameRequest: Sendable {
    package let plan: PicturePlan
    package let options: DecodingOptions
    package let meter: MemoryMeter
    /// Sees the samples of the components, if they are wanted.
    package let observer: ComponentPlanes?
    package let isProgressive: Bool
    package let isArithmetic: Bool
    package let isLossless: Bool
    /// Whether one scan holds all components of a frame that is not progressive, so that rows are finished as they come.
    package let comesInOneScan: Bool
    /// Whether the data of the scans are passed over: nothing but the order of the scans and their tables is checked.
    package let isInspection: Bool
    /// The first scan of the frame, and the tables in force at its header.
    package let firstScan: ScanHeader
    package let tables: DecodingTables

    /// Plans what is delivered.
    ///
    /// - Throws: `limitExceeded`, `invalidArgument`, `unsupported`.
    package init(
        header: JPEGFrameHeader, firstScan: ScanHeader, tables: DecodingTables, colorModel: JPEGColorModel,
        metadata: ImageMetadata, observer: ComponentPlanes?, _ request: DecodingRequest
    ) throws(ImageError) {
        (self.firstScan, self.tables, self.observer) = (firstScan, tables, observer)
        options = colorModel.nativeFormat == .cmyk ? request.options.forInks(metadata) : request.options
        meter = request.meter
        plan = try PicturePlan(
            header: header, colorModel: colorModel, orientation: metadata.orientation, options: options)
        isProgressive = header.isProgressive
        isArithmetic = header.isArithmetic
        isLossless = header.isLossless
        comesInOneScan = !header.isProgressive && firstScan.components.count == header.components.count
        isInspection = request.purpose == .inspection
    }

    /// The values of a `DequantizationTable` for each component, one after the other, as they are before the first scan.
    var steps: ContiguousArray<Int16> {
        get throws(ImageError) {
            let components = plan.geometry.components
            var steps = ContiguousArray<Int16>(repeating: 0, count: components.count * DequantizationTable.count)
            for index in components.indices {
                try tables.writeSteps(
                    slot: components[index].quantizationTable, offset: firstScan.offset, to: &steps,
                    at: index * DequantizationTable.count)
            }
            return steps
        }
    }

    /// Bytes that the frame takes at most, whoever decodes it. Saturates.
    package var peakByteCount: Int {
        if isLossless {
            return SampleRowEmitter.peakByteCount(plan)
                .addingSaturated(SamplePlanes.byteCount(plan.geometry, mcuRows: comesInOneScan ? 1 : nil))
                // What a scan decodes at a time.
                .addingSaturated(SamplePlanes.byteCount(plan.geometry, mcuRows: 1))
        }
        let output =
            plan.precision > 8
            ? DeepRenderer.peakByteCount(plan)
            : plan.peakByteCount.addingSaturated(observer == nil ? 0 : ComponentPlanes.byteCount(plan.geometry))
        guard comesInOneScan else {
            return output.addingSaturated(
                CoefficientStore.frameByteCount(plan.geometry, isProgressive: isProgressive))
        }
        return output.addingSaturated(
            isArithmetic || plan.precision > 8
                ? OneScanFrame.byteCount(plan.geometry)
                : SequentialFrame.byteCount(plan.geometry, threads: options.maxThreadCount))
    }
}
