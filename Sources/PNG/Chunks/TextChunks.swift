// tEXt, zTXt, iTXt and iCCP: keywords, text, and compressed payloads with a bound on what they unpack to.

import DeflateCodec
import ImageCodecsCore

/// Keyword chunks (PNG 3rd ed. §11.3.3 "Textual information") and embedded profiles.
///
/// Compressed payloads are unpacked twice, first only to count their bytes: so limits are checked before memory is
/// allocated, and an inspection, which only counts beyond some megabytes, exceeds the same limits as a decode.
struct TextChunks {
    /// The keyword that XMP packets are stored under.
    static let xmpKeyword = "XML:com.adobe.xmp"

    /// Language tags and translated keywords are short (RFC 5646 §4.4 "Considerations for Limiting Language Tag Length");
    /// longer ones are no text.
    private static let longestNames = 1 << 14

    /// Bytes in some part of the body, compressed or not.
    private struct Payload {
        let range: Range<Int>
        let isCompressed: Bool
    }

    private(set) var budget: MetadataBudget
    /// Bytes unpacked so far, those of payloads included that turned out to be damaged: they were work all the same.
    private var unpackedByteCount = 0
    private let limits: DecodingLimits
    private let meter: MemoryMeter

    init(_ request: DecodingRequest) {
        limits = request.options.limits
        meter = request.meter
        budget = MetadataBudget(
            limits: limits, isInspection: request.keepsLittleMetadata, meter: request.meter)
    }

    /// Counts an item of another kind, and its name in Latin-1 if it has one; see `MetadataBudget`.
    mutating func admit(_ byteCount: Int, name: Span<UInt8> = Span()) throws(ImageError) -> Bool {
        return try budget.charge(byteCount + 2 * name.count)
    }

    /// Reads tEXt: keyword, zero byte, Latin-1 text. `nil` when it is malformed or not to be kept, as for all of these.
    mutating func text(_ body: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> TextEntry? {
        guard let keyword = keyword(body) else { return nil }
        let payload = Payload(range: keyword.upperBound + 1..<body.count, isCompressed: false)
        return try entry(body, keyword, payload, .latin1, &work)
    }

    /// Reads zTXt: keyword, zero byte, compression method 0, zlib stream of Latin-1 text.
    mutating func compressedText(_ body: Span<UInt8>, _ work: inout WorkGuard) throws(ImageError) -> TextEntry? {
        guard let keyword = keyword(body), let payload = methodAndStream(body, behind: keyword) else { return nil }
        return try entry(body, keyword, payload, .latin1, &work)
    }

    /// What an iTXt chunk holds.
    enum InternationalText {
        case entry(TextEntry)
        /// The packet's bytes, if they are to be kept.
        case xmp([UInt8]?)
    }

    /// Reads iTXt: keyword, compression flag and method, language, translated keyword, UTF-8 text.
    ///
    /// - Parameter skipsXMP: whether there is an XMP packet already.
    mutating func internationalText(
        _ body: Span<UInt8>, skipsXMP: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> InternationalText? {
        guard let keyword = keyword(body), body.count - keyword.upperBound >= 3 else { return nil }
        let (flag, method) = (body[keyword.upperBound + 1], body[keyword.upperBound + 2])
        guard flag <= 1, flag == 0 || method == 0,
            let language = body.nullTerminated(from: keyword.upperBound + 3, atMost: Self.longestNames),
            let translated = body.nullTerminated(from: language.upperBound + 1, atMost: Self.longestNames),
            language.count + translated.count <= Self.longestNames
        else { return nil }
        let payload = Payload(range: translated.upperBound + 1..<body.count, isCompressed: flag == 1)
        if body.hasBytes("XML:com.adobe.xmp\0") {
            guard !skipsXMP, let count = try byteCount(body, payload, &work) else { return nil }
            return .xmp(try bytes(body, payload, count, &work))
        }
        return try entry(body, keyword, payload, .utf8, language: language, translated: translated, &work)
            .map { .entry($0) }
    }

    /// Reads iCCP: profile name, zero byte, compression method 0, zlib stream of the profile.
    ///
    /// Source: PNG 3rd ed. §11.3.2.3 "iCCP Embedded ICC profile".
    ///
    /// - Returns: the profile's name and bytes if they are to be kept; `nil` when the chunk is malformed.
    mutating func iccProfile(
        _ body: Span<UInt8>, _ work: inout WorkGuard
    ) throws(ImageError) -> (name: String, profile: [UInt8]?)? {
        guard let name = keyword(body), let payload = methodAndStream(body, behind: name),
            let count = try byteCount(body, payload, &work), count > 0
        else { return nil }
        let profile = try bytes(body, payload, count, &work)
        return (try budget.string(body.extracting(name), .latin1), profile)
    }

    /// Where a keyword of 1...79 Latin-1 characters is; a zero byte stands after it.
    private func keyword(_ body: Span<UInt8>) -> Range<Int>? {
        guard let range = body.extracting(first: 80).nullTerminated(from: 0), !range.isEmpty else { return nil }
        return range
    }

    /// The zlib stream after a compression method of 0.
    private func methodAndStream(_ body: Span<UInt8>, behind keyword: Range<Int>) -> Payload? {
        let method = keyword.upperBound + 1
        guard method < body.count, body[method] == 0 else { return nil }
        return Payload(range: method + 1..<body.count, isCompressed: true)
    }

    // MARK: Payloads

    /// The payload as text.
    private mutating func entry(
        _ body: Span<UInt8>, _ keyword: Range<Int>, _ payload: Payload, _ encoding: TextTranscoder.Encoding,
        language: Range<Int> = 0..<0, translated: Range<Int> = 0..<0, _ work: inout WorkGuard
    ) throws(ImageError) -> TextEntry? {
        var counter = TextTranscoder(encoding)
        let largest = MetadataBudget.largestItemByteCount
        let isWhole = try read(body, payload, &work) { piece in
            counter.count(piece)
            return counter.byteCount <= largest
        }
        guard isWhole else { return nil }
        counter.finishCount()
        let names = [
            (keyword, TextTranscoder.Encoding.latin1), (language, .latin1), (translated, .utf8),
        ]
        var cost = counter.byteCount
        for (range, encoding) in names {
            try work.spend(range.count)
            cost += TextTranscoder.byteCount(of: body.extracting(range), encoding)
        }
        guard cost <= largest else { return nil }
        // The text, and one name after the other.
        guard try budget.charge(cost) else { return nil }
        var buffer = try ScratchBuffer(byteCount: counter.byteCount, meter: meter)
        var writer = TextTranscoder(encoding)
        _ = try read(body, payload, isCounted: true, &work) { piece in
            buffer.withMutableBytes { writer.write(piece, into: &$0) }
            return true
        }
        buffer.withMutableBytes { writer.finishWrite(into: &$0) }
        var strings: [String] = []
        for (range, encoding) in names {
            strings.append(try budget.string(body.extracting(range), encoding))
        }
        return TextEntry(
            keyword: strings[0], text: buffer.withBytes { $0.decodedUTF8() }, language: strings[1],
            translatedKeyword: strings[2])
    }

    /// Bytes of the payload, unpacked; `nil` when it is damaged or too long.
    private mutating func byteCount(
        _ body: Span<UInt8>, _ payload: Payload, _ work: inout WorkGuard
    ) throws(ImageError) -> Int? {
        var count = 0
        let isWhole = try read(body, payload, &work) { piece in
            count += piece.count
            return count <= MetadataBudget.largestItemByteCount
        }
        return isWhole ? count : nil
    }

    /// The unpacked payload, `count` bytes; `nil` if it is not to be kept.
    private mutating func bytes(
        _ body: Span<UInt8>, _ payload: Payload, _ count: Int, _ work: inout WorkGuard
    ) throws(ImageError) -> [UInt8]? {
        guard try budget.charge(count) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(count)
        _ = try read(body, payload, isCounted: true, &work) { piece in
            result.append(piece)
            return true
        }
        return result
    }

    /// Hands out the payload in pieces.
    ///
    /// - Parameters:
    ///   - isCounted: whether it was read before, and is within its limits.
    ///   - take: gets a piece, and says whether it wants the next.
    /// - Returns: whether that was all: `false` when the payload is damaged or `take` had enough.
    /// - Throws: `limitExceeded(.metadata)` when it unpacks to more than may be kept of a file.
    private mutating func read(
        _ body: Span<UInt8>, _ payload: Payload, isCounted: Bool = false, _ work: inout WorkGuard,
        _ take: (Span<UInt8>) -> Bool
    ) throws(ImageError) -> Bool {
        let source = body.extracting(payload.range)
        guard payload.isCompressed else {
            var position = 0
            while position < source.count {
                let end = min(position + inflatePieceByteCount, source.count)
                guard take(source.extracting(position..<end)) else { return false }
                try work.spend(end - position)
                position = end
            }
            return true
        }
        let allowed = limits.maxMetadataByteCount
        var unpacked = 0
        let isWhole = try Inflater.inflateAll(source, meter: meter, work: &work) { piece throws(ImageError) in
            if isCounted { return take(piece) }
            unpacked += piece.count
            try budget.admit(unpacked)
            guard unpackedByteCount + unpacked <= allowed.multipliedSaturated(by: 2) else {
                throw .limitExceeded(
                    .metadata, requested: budget.byteCount.addingSaturated(unpacked), allowed: allowed)
            }
            return take(piece)
        }
        unpackedByteCount += unpacked
        return isWhole
    }
}

extension Span<UInt8> {
    /// The bytes from `start` up to the next zero byte; `nil` when there is none.
    fileprivate func nullTerminated(from start: Int, atMost most: Int = .max) -> Range<Int>? {
        var index = start
        while index < count, index - start <= most {
            if self[index] == 0 { return start..<index }
            index += 1
        }
        return nil
    }
}
