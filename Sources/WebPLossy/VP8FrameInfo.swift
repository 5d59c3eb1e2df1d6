// What can be said of a VP8 frame without decoding its pixels.

/// What the headers of a frame say, as far as they were read.
public struct VP8FrameInfo: Hashable, Sendable {
    /// Kind of the loop filter.
    public enum FilterKind: String, Hashable, Sendable {
        case none, simple, normal
    }

    /// What a segment's macroblocks have of their own.
    public struct Segment: Hashable, Sendable {
        /// Quantizer index of luma AC coefficients, 0...127.
        public var quantizer: Int
        /// Loop filter level, 0...63, before it is adjusted to how a macroblock is predicted.
        public var filterLevel: Int
    }

    /// The first ten bytes.
    public var header: VP8Header
    /// Whether what follows was read; it comes from the first partition.
    public var isFrameHeaderKnown = false
    /// 0: YUV as in ITU-R BT.601; 1 is reserved.
    public var colorSpace = 0
    /// Whether the frame header says that no sample needs to be clamped.
    public var needsNoClamping = false
    /// Bytes of each token partition; empty while they are not known. The last one may not be known.
    public var partitionByteCounts: [Int] = []
    /// Token partitions: 1, 2, 4 or 8.
    public var partitionCount = 1
    /// One for each segment; one alone if there is no segmentation.
    public var segments: [Segment] = []
    /// Whether macroblocks name their segments.
    public var hasSegmentMap = false
    /// Quantizer index of the frame.
    public var quantizer = 0
    /// What is added for luma DC, Y2 DC, Y2 AC, chroma DC and chroma AC coefficients.
    public var quantizerDeltas: [Int] = []
    /// The loop filter.
    public var filterKind = FilterKind.none
    /// 0...63.
    public var filterLevel = 0
    /// 0...7.
    public var filterSharpness = 0
    /// What is added to the level for macroblocks of key frames, and more for those with modes for their subblocks.
    public var filterDeltas: [Int] = []
    /// The probability that a macroblock has residue, in 256ths; `nil` if all have.
    public var skipProbability: Int?
    /// Token probabilities that the frame replaces.
    public var probabilityUpdateCount = 0

    package init(_ header: VP8Header) { self.header = header }

    package mutating func update(from frame: VP8FrameHeader) {
        isFrameHeaderKnown = true
        (colorSpace, needsNoClamping) = (frame.colorSpace, frame.needsNoClamping)
        partitionCount = frame.partitionCount
        let (segments, quantizers, filter) = (frame.segments, frame.quantizers, frame.filter)
        hasSegmentMap = segments.hasMap
        self.segments = (0..<(segments.isEnabled ? 4 : 1)).map { index in
            Segment(
                quantizer: min(
                    max(segments.value(frame: quantizers.index, segments.quantizers, segment: index), 0), 127),
                filterLevel: min(
                    max(segments.value(frame: filter.level, segments.filterLevels, segment: index), 0), 63))
        }
        quantizer = quantizers.index
        quantizerDeltas = [
            quantizers.lumaDCDelta, quantizers.y2DCDelta, quantizers.y2ACDelta, quantizers.chromaDCDelta,
            quantizers.chromaACDelta,
        ]
        filterKind = filter.level == 0 ? .none : filter.isSimple ? .simple : .normal
        (filterLevel, filterSharpness) = (filter.level, filter.sharpness)
        filterDeltas = filter.hasDeltas ? [filter.intraFrameDelta, filter.subblockModeDelta] : []
        skipProbability = frame.skipProbability.map(Int.init)
        probabilityUpdateCount = frame.probabilities.updateCount
    }
}
