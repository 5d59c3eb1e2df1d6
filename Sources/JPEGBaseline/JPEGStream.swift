// One JPEG file from its first byte to its picture; `DecodingSession` drives it.
//
//   bytes ──▶ FrameDriver (markers) ──▶ FrameDecoder (scans, reconstruction) ──▶ Bitmap

package import ImageCore

/// Decodes one file, with the frame decoders that it is given.
package struct JPEGStream: StreamDecoder {
    package static var format: ImageFormat { .jpeg }

    private let request: DecodingRequest
    private var frames: FrameSource
    private var driver: FrameDriver
    private var trailingByteCount: Int?
    /// Whether the bytes have ended behind a picture that lacks nothing but its end.
    private var hasEnded = false
    /// Why a tolerant decode ended early.
    private var damage: ImageError?

    package init(_ request: DecodingRequest, frames: FrameSource) {
        self.request = request
        self.frames = frames
        driver = FrameDriver(request)
    }

    /// What the headers say; known once the first scan begins.
    package var info: ImageInfo? {
        guard var info = frames.info else { return nil }
        info.metadata = driver.segments.metadata
        info.trailingByteCount = trailingByteCount
        return info
    }

    /// The samples of each component, where they are kept and the picture is finished.
    package var planes: [Bitmap] { driver.frame?.planes ?? [] }

    package var metadata: ImageMetadata { driver.segments.metadata }
    package var isComplete: Bool { driver.isComplete || hasEnded }
    package var hasPicture: Bool { driver.frame?.hasPicture == true }
    package var stage: DecodingProgress.Stage { driver.frame?.stage ?? .header }
    package var hasCostlyPartialPictures: Bool { driver.frame?.hasCostlyPartialPictures ?? false }

    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        let used = try driver.advance(bytes, offset: offset, isFinal: isFinal, work: &work, frames: &frames)
        if isFinal { hasEnded = true }
        return used
    }

    package mutating func makeUnique() throws(ImageError) { try driver.frame?.makeUnique() }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        self.damage = damage
        if damage == nil {
            try driver.endFrame(work: work)
        } else {
            try driver.frame?.finish(isWhole: false, work: work)
        }
        if request.purpose == .inspection {
            try frames.noteInputSide(byteCount: driver.inputSideByteCount)
        }
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try driver.frame?.finalPicture(work: work) ?? .empty
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try driver.frame?.partialPicture(work: work) ?? .empty
    }

    package mutating func takeChanged() -> PixelRect? { driver.frame?.takeChanged() }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        guard let frame = driver.frame else { return nil }
        let rows = frame.realRows
        let cause = damage ?? frame.damage
        let isWhole = rows == [0..<(driver.header?.size.height ?? 0)]
        guard !(isEnded && isWhole && cause == nil) else { return nil }
        return PartialReport(rows: rows, scans: frame.completedScans, cause: cause)
    }

    package mutating func noteTrailing(byteCount: Int) {
        if driver.isComplete { trailingByteCount = byteCount }
    }
}
