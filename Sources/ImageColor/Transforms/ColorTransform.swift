// A conversion of pictures from one space to another: made once, used for many rows.
//
// Stages: a `ColorMapping` says what happens to one colour; it is compiled into tables for eight bits; rows go through a kernel.
// Numbers of sixteen bits go through the mapping's own curves and matrix.

public import ImageCodecsCore

/// A conversion of colours to a space that standards define.
///
///     let transform = ColorTransform(from: try ColorProfile(icc: bytes), to: .sRGB)
///     let shown = try transform.converted(image.bitmap)
///
/// Making one takes up to a millisecond, and up to three times the memory of the profile's tables, or two megabytes; it can be used from any
/// number of threads.
public struct ColorTransform: Sendable {
    /// What pictures are converted to.
    public let destination: StandardColorSpace
    /// Whether it changes nothing by more than 1/255, so that pictures can stay as they are.
    public let isIdentity: Bool
    /// The channels that pictures have to have.
    public let channels: ColorProfile.Channels
    let mapping: ColorMapping
    private let engine: Engine

    /// How rows are converted.
    private enum Engine: Sendable {
        case none
        /// The same curve for every channel.
        case curve([UInt8])
        case matrix(MatrixColorTables)
        case grid(GridColorTables)
    }

    /// Prepares a conversion.
    ///
    /// - Parameters:
    ///   - source: what the numbers of pictures mean.
    ///   - destination: the space they are converted to.
    ///   - intent: what to do with colours that the destination does not have; `nil`: perceptual for CMYK and else relative
    ///     colorimetric. Colours beyond the destination are cut channel by channel.
    ///   - compensatesBlackPoint: whether the darkest colour of a profile with tables becomes black; not for absolute colorimetry.
    public init(
        from source: ColorProfile, to destination: StandardColorSpace, intent: RenderingIntent? = nil,
        compensatesBlackPoint: Bool = true
    ) {
        self.destination = destination
        channels = source.channels
        mapping = ColorMapping(
            from: source, to: destination,
            intent: intent ?? Self.usualIntent(source),
            compensatesBlackPoint: compensatesBlackPoint)
        isIdentity = mapping.isIdentity
        engine = isIdentity ? .none : Self.engine(mapping)
    }

    private static func usualIntent(_ source: ColorProfile) -> RenderingIntent {
        source.channels == .cmyk ? .perceptual : .relativeColorimetric
    }

    private static func engine(_ mapping: ColorMapping) -> Engine {
        if case .matrix(let curves, _) = mapping.source.model { return .matrix(MatrixColorTables(mapping, curves)) }
        guard let table = mapping.table, mapping.source.channels != .gray else {
            return .curve((0..<256).map { mapping.byte(ofGray: Double($0) / 255) })
        }
        return .grid(GridColorTables(mapping, table))
    }

    /// About how many bytes its tables take, those of the profile included.
    var byteCount: Int {
        let tables =
            switch engine {
            case .none, .curve: 1 << 10
            case .matrix(let tables): tables.contributions.count * 8 + tables.numbers.count
            case .grid(let tables): tables.byteCount
            }
        return mapping.source.byteCount + tables
    }

    /// Bytes that are held at most while a transform with the usual intent is made of a profile, and by the transform.
    static func peakByteCount(from source: ColorProfile) -> Int {
        guard case .tables(let tables) = source.model,
            let table = ColorProfile.table(of: tables, for: usualIntent(source)), source.channels != .gray
        else { return source.byteCount }
        return source.byteCount + GridColorTables.peakByteCount(table, channelCount: source.channels.rawValue)
    }

    /// The picture in the destination's colours: in its own format, but CMYK becomes `PixelFormat.bgrx`.
    ///
    /// Gray pictures stay gray. Premultiplied colours are converted as straight ones.
    ///
    /// - Throws: `invalidArgument` if the picture has other channels than the transform is for: a gray profile also fits RGB; `limitExceeded(.memory)` if
    ///   there is no memory.
    public func converted(_ bitmap: Bitmap) throws(ImageError) -> Bitmap {
        var result = bitmap
        try convert(&result)
        return result
    }

    /// Converts a picture in its own memory, if nobody else holds that and it is not CMYK; see ``converted(_:)``.
    ///
    /// - Throws: the same.
    public func convert(_ bitmap: inout Bitmap) throws(ImageError) {
        try convert(&bitmap, inkFormat: .bgrx, meter: nil, work: .unlimited)
    }

    /// The same for decoders.
    ///
    /// - Parameters:
    ///   - inkFormat: what CMYK becomes.
    ///   - work: asked for every row.
    func convert(
        _ bitmap: inout Bitmap, inkFormat: PixelFormat, meter: MemoryMeter?, work: WorkGuard
    ) throws(ImageError) {
        let isCMYK = bitmap.format.layout == .cmyk
        guard isCMYK == (channels == .cmyk) else {
            throw .invalidArgument("a conversion for \(channels) pictures cannot be used for one of \(bitmap.format)")
        }
        guard !isIdentity || isCMYK, !bitmap.size.isEmpty else { return }
        var work = work
        let target = isCMYK ? inkFormat : bitmap.format
        var rows = try ColorConversionRows(self, from: bitmap.format, to: target, width: bitmap.width, meter: meter)
        if target == bitmap.format, bitmap.isUniquelyReferenced() {
            for y in 0..<bitmap.height {
                try work.spend(rows.cost)
                bitmap.withMutableRowBytes(y) { rows.convert(&$0) }
            }
            return
        }
        var result = try Bitmap(uninitialized: bitmap.size, format: target, meter: meter)
        for y in 0..<bitmap.height {
            try work.spend(rows.cost)
            bitmap.withRowBytes(y) { source in result.withMutableRowBytes(y) { rows.convert(source, into: &$0) } }
        }
        bitmap = result
    }

    /// Converts pixels of eight bits in place: red, green, blue, and whatever the fourth byte of four is; or CMYK as Adobe stores it
    /// to red, green, blue and 255.
    func convertBytes(_ row: inout MutableRawSpan, pixelByteCount: Int) {
        switch engine {
        case .none: break
        case .curve(let table):
            for at in stride(from: 0, to: row.byteCount - 2, by: pixelByteCount) {
                for channel in at..<at + 3 { row.setByte(table[Int(row.byte(at: channel))], at: channel) }
            }
        case .matrix(let tables): MatrixColorKernel.convert(&row, pixelByteCount: pixelByteCount, tables)
        case .grid(let tables): GridColorKernel.convert(&row, pixelByteCount: pixelByteCount, tables)
        }
    }
}
