// Who decodes a frame: plans the output, describes the picture, and makes the decoder for its process.

package import ImageCore

/// Makes the decoder of a frame when its first scan begins.
package struct FrameSource: Sendable {
    /// What a frame decoder is made from.
    package struct FrameRequest: Sendable {
        package let context: FrameContext
        package let plan: PicturePlan
        package let options: DecodingOptions
        package let meter: MemoryMeter
        /// Whether the data of the scans are passed over: nothing but the order of the scans and their tables is checked.
        package let isInspection: Bool
    }

    /// Makes a frame decoder; takes the donor, a bitmap whose memory may be reused.
    package typealias FrameMaker =
        @Sendable (_ request: FrameRequest, _ donor: inout Bitmap?) throws(ImageError) -> any FrameDecoder

    /// What the headers say but for metadata, which grow on; known once a frame was made.
    package private(set) var info: ImageInfo?

    private let request: DecodingRequest
    private let keepsPlanes: Bool
    private let maker: FrameMaker
    private var donor: Bitmap?
    /// Bytes besides metadata and left-overs of the input.
    private var frameByteCount = 0

    /// - Parameters:
    ///   - keepsPlanes: Whether the samples of the components are kept.
    ///   - donor: A bitmap whose memory is reused when it fits and nobody else holds it.
    package init(
        _ request: DecodingRequest, keepsPlanes: Bool = false, donor: consuming Bitmap? = nil,
        maker: @escaping FrameMaker
    ) {
        self.request = request
        self.keepsPlanes = keepsPlanes
        self.donor = donor
        self.maker = maker
    }

    /// Plans the output and makes the decoder of the frame.
    ///
    /// - Throws: `limitExceeded`, `invalidArgument`, `unsupported`.
    package mutating func makeFrame(_ context: FrameContext) throws(ImageError) -> any FrameDecoder {
        let options = request.options
        let plan = try PicturePlan(
            header: context.header, colorModel: context.colorModel, orientation: context.metadata.orientation,
            options: options, keepsPlanes: keepsPlanes)
        frameByteCount = plan.peakByteCount.addingSaturated(
            context.comesInOneScan
                ? SequentialFrame.byteCount(plan.geometry, threads: options.threads)
                : MultiScanMemory.byteCount(plan.geometry, isProgressive: context.header.isProgressive))
        info = ImageInfo(
            format: .jpeg, size: context.header.size, hasAlpha: false, bitDepth: 8,
            colorDescription: context.colorModel.description(plan.geometry),
            isProgressive: context.header.isProgressive, orientation: context.metadata.orientation,
            decodedByteCount: plan.output.decodedByteCount, peakByteCount: frameByteCount)
        try noteInputSide(byteCount: context.inputSideByteCount)
        return try maker(
            FrameRequest(
                context: context, plan: plan, options: options, meter: request.meter,
                isInspection: request.purpose == .inspection), &donor)
    }

    /// Learns how much metadata and left-overs of the input take.
    ///
    /// - Throws: `limitExceeded(.memory)` where that is too much.
    package mutating func noteInputSide(byteCount: Int) throws(ImageError) {
        guard var info else { return }
        info.peakByteCount = frameByteCount.addingSaturated(byteCount)
        self.info = info
        try request.admit(info)
    }
}
