// APPn and COM: what they mean for decoding, and what they say about the picture.
//
// In: the bodies of application segments and comments. Out: the colour hints of JFIF and Adobe, and ImageMetadata.

package import ImageCodecsCore
import ImagePhotoMetadata

/// Gathers application segments and comments while a stream is read.
///
/// - Source: ITU-T T.871 (2011) §10 "JFIF file syntax"; Adobe Technical Note 5116 §18 "Adobe marker"; Exif 2.32 §4.7.2
///   "Interoperability Structure of APP1 in Compressed Data"; ICC.1:2010 §B.4 "Embedding ICC profiles in JFIF files";
///   XMP Part 3 (2020) §1.1.3 "JPEG"; CIPA DC-007-2009 §5 "MP Format data structure".
package struct ApplicationSegments: Sendable {
    /// Whether a JFIF segment was seen.
    package private(set) var hasJFIF = false
    /// The colour transform of an Adobe segment: 0 none, 1 Y'CbCr, 2 YCCK.
    package private(set) var adobeTransform: Int?

    /// What the segments say, pieces put together as of the last ``assemble()``.
    package private(set) var metadata = ImageMetadata()

    private var budget: MetadataBudget
    private let meter: MemoryMeter
    private var profile = ICCProfileAssembly()
    private var extendedXMP = ExtendedXMPAssembly()
    /// The bodies of Photoshop segments, which go on from one to the next.
    private var resources = JoinedPieces()
    /// Bytes of the main XMP packet, kept or not.
    private var mainXMPByteCount = 0
    /// Whether an EXIF block and an XMP packet were read, kept or not: the first ones count.
    private var hasExif = false
    private var hasXMP = false
    /// The same of an index of further pictures.
    private var hasIndex = false
    /// Whether pieces came since the last ``assemble()``.
    private var hasNewPieces = false

    package init(_ request: DecodingRequest) {
        budget = MetadataBudget(
            limits: request.options.limits, isInspection: request.keepsLittleMetadata, meter: request.meter)
        meter = request.meter
    }

    /// Takes the body of an APPn or COM segment; segments of unknown kinds are ignored.
    ///
    /// - Parameter isLate: Whether the first scan has begun. EXIF data count before it only, if the standard has
    ///   them (Exif 2.32 §4.5.4 "Basic Structure of Compressed Data"): after it the picture is planned already.
    /// - Throws: `limitExceeded`.
    package mutating func read(_ body: Span<UInt8>, marker: Marker, isLate: Bool = false) throws(ImageError) {
        switch marker {
        case .app0: readJFIF(body)
        case .app1: try readExifOrXMP(body, isLate: isLate)
        case .app2 where body.hasBytes("MPF\0"):
            guard !hasIndex, body.count > 4 else { return }
            hasIndex = true
            if try budget.charge(body.count) { metadata.furtherPictures = body.bytes(in: 4..<body.count) }
        case .app2: try readProfile(body)
        case .app13: try readPhotoshop(body)
        case .app14: readAdobe(body)
        case .com:
            let count = TextTranscoder.byteCount(of: body, .utf8)
            guard try budget.charge(count) else { return }
            metadata.comments.append(try budget.string(body, .utf8))
        default: break
        }
    }

    /// Puts pieces together: profile, resources, extended XMP. The pieces are given back, so that nothing is held twice
    /// but while it is joined.
    ///
    /// - Throws: `limitExceeded`, `cancelled`.
    package mutating func assemble(work: inout WorkGuard) throws(ImageError) {
        guard hasNewPieces else { return }
        hasNewPieces = false
        if profile.isWhole {
            let held = try MemoryReservation(byteCount: profile.byteCount, meter: meter)
            defer { withExtendedLifetime(held) {} }
            if let joined = try profile.joined(work: &work) { metadata.iccProfile = joined }
        }
        if resources.byteCount > 0 {
            let held = try MemoryReservation(byteCount: resources.byteCount, meter: meter)
            defer { withExtendedLifetime(held) {} }
            metadata.iptc = try resources.joined(work: &work)
        }
        if let main = metadata.xmp, extendedXMP.isNamed(in: main) {
            let held = try MemoryReservation(byteCount: main.count + extendedXMP.byteCount, meter: meter)
            defer { withExtendedLifetime(held) {} }
            if let joined = try extendedXMP.joined(to: main, work: &work) { metadata.xmp = joined }
        }
    }

    /// `JFIF\0`, version, density unit, two densities, thumbnail size.
    private mutating func readJFIF(_ body: Span<UInt8>) {
        guard body.count >= 14, body.hasBytes("JFIF\0") else { return }
        hasJFIF = true
        let unit: PixelDensity.Unit
        switch body[7] {
        case 0: unit = .aspectRatio
        case 1: unit = .inch
        case 2: unit = .centimeter
        default: return
        }
        let (x, y) = (UInt32(body.bigEndianUInt16(at: 8)), UInt32(body.bigEndianUInt16(at: 10)))
        if x > 0, y > 0 { metadata.density = PixelDensity(x: x, y: y, unit: unit) }
    }

    /// `Adobe`, version, two flags of 16 bits, transform.
    private mutating func readAdobe(_ body: Span<UInt8>) {
        guard body.count >= 12, body.hasBytes("Adobe") else { return }
        adobeTransform = Int(body[11])
    }

    private mutating func readExifOrXMP(_ body: Span<UInt8>, isLate: Bool) throws(ImageError) {
        if body.hasBytes("Exif\0") {
            guard !hasExif, !isLate, body.count > 6 else { return }
            hasExif = true
            let exif = body.extracting(droppingFirst: 6)
            metadata.orientation = exifOrientation(in: exif) ?? .up
            if try budget.charge(exif.count) { metadata.exif = Array(exif) }
        } else if body.hasBytes("http://ns.adobe.com/xap/1.0/\0") {
            guard !hasXMP else { return }
            hasXMP = true
            mainXMPByteCount = body.count
            hasNewPieces = true
            if try budget.charge(body.count) { metadata.xmp = body.bytes(in: 29..<body.count) }
        } else if body.hasBytes("http://ns.adobe.com/xmp/extension/\0") {
            guard extendedXMP.wants(body.extracting(droppingFirst: 35)) else { return }
            let isKept = try budget.charge(body.count)
            extendedXMP.add(body.extracting(droppingFirst: 35), isKept: isKept)
            hasNewPieces = true
        }
    }

    private mutating func readProfile(_ body: Span<UInt8>) throws(ImageError) {
        guard body.hasBytes("ICC_PROFILE\0"), body.count >= 14,
            profile.wants(number: Int(body[12]), of: Int(body[13]))
        else { return }
        let isKept = try budget.charge(body.count)
        profile.add(
            body.extracting(droppingFirst: 14), number: Int(body[12]), of: Int(body[13]), isKept: isKept)
        hasNewPieces = true
    }

    private mutating func readPhotoshop(_ body: Span<UInt8>) throws(ImageError) {
        guard body.hasBytes("Photoshop 3.0\0") else { return }
        let isKept = try budget.charge(body.count)
        resources.add(body.extracting(droppingFirst: 14), isKept: isKept)
        hasNewPieces = true
    }
}

/// Pieces that follow one another.
struct JoinedPieces: Sendable {
    private var pieces: [[UInt8]] = []
    /// Bytes of all pieces, kept or not.
    private(set) var byteCount = 0
    private var isMissing = false

    mutating func add(_ piece: Span<UInt8>, isKept: Bool) {
        byteCount += piece.count
        if isKept { pieces.append(Array(piece)) } else { isMissing = true }
    }

    /// All pieces, one after the other; from now on they are one. `nil` if one was not kept.
    mutating func joined(work: inout WorkGuard) throws(ImageError) -> [UInt8]? {
        guard !isMissing else { return nil }
        if pieces.count > 1 {
            var result: [UInt8] = []
            result.reserveCapacity(byteCount)
            for piece in pieces {
                try work.spend(piece.count)
                result += piece
            }
            pieces = [result]
        }
        return pieces.first
    }
}

/// An ICC profile in numbered pieces, which may come in any order; at most 255.
struct ICCProfileAssembly: Sendable {
    /// By number; `nil` for one that was not kept.
    private var pieces: [Int: [UInt8]?] = [:]
    private var total = 0
    private var isJoined = false
    /// Bytes of all pieces, kept or not.
    private(set) var byteCount = 0

    /// Whether a piece belongs to the profile and is missing.
    func wants(number: Int, of total: Int) -> Bool {
        !isJoined && number >= 1 && number <= total && (pieces.isEmpty || total == self.total)
            && pieces[number] == nil
    }

    mutating func add(_ piece: Span<UInt8>, number: Int, of total: Int, isKept: Bool) {
        guard wants(number: number, of: total) else { return }
        self.total = total
        byteCount += piece.count
        pieces[number] = .some(isKept ? Array(piece) : nil)
    }

    /// Whether every piece is there, and they are not joined yet.
    var isWhole: Bool { !isJoined && total > 0 && pieces.count == total }

    /// The profile; its pieces are given back, and no more are wanted. `nil` if one was not kept.
    ///
    /// - Precondition: Every piece is there.
    mutating func joined(work: inout WorkGuard) throws(ImageError) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(byteCount)
        for number in 1...max(1, total) {
            guard let piece = pieces[number] ?? nil else { return nil }
            try work.spend(piece.count)
            result += piece
        }
        pieces = [:]
        isJoined = true
        return result
    }
}

/// An XMP packet that goes on in further segments: each has a GUID of 32 characters, the length of the whole, its
/// place in it, and its part. The extension of the first GUID counts.
package struct ExtendedXMPAssembly: Sendable {
    /// A main packet that says only which extension it has: what this package's encoder writes before a packet that is
    /// too long for a segment.
    ///
    /// - Parameter digest: the GUID of the extension, 32 digits.
    package static func mainPacket(naming digest: String) -> [UInt8] {
        Array(
            """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>\
            <x:xmpmeta xmlns:x="adobe:ns:meta/">\
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" \
            xmpNote:HasExtendedXMP="\(digest)"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
            """.utf8)
    }

    private struct Part {
        let offset: Int
        let byteCount: Int
        /// `nil` for one that was not kept.
        let bytes: [UInt8]?
    }

    /// GUID, length of the whole, place of the part.
    private static let headerByteCount = 40
    /// As many parts of 64 KiB are more than any packet has; they are sorted without a look at the clock.
    private static let largestPartCount = 4096

    private var guid: [UInt8] = []
    private var parts: [Part] = []
    private var isJoined = false
    /// Bytes of all parts, kept or not.
    private(set) var byteCount = 0

    /// Whether a body belongs to the extension.
    func wants(_ body: Span<UInt8>) -> Bool {
        guard !isJoined, body.count >= Self.headerByteCount, parts.count < Self.largestPartCount else { return false }
        return parts.isEmpty || Array(body.extracting(0..<32)) == guid
    }

    mutating func add(_ body: Span<UInt8>, isKept: Bool) {
        guard wants(body) else { return }
        if parts.isEmpty { guid = Array(body.extracting(0..<32)) }
        let bytes = body.extracting(droppingFirst: Self.headerByteCount)
        byteCount += bytes.count
        parts.append(
            Part(
                offset: Int(body.bigEndianUInt32(at: 36)), byteCount: bytes.count, bytes: isKept ? Array(bytes) : nil))
    }

    /// Whether the main packet names the extension.
    func isNamed(in main: [UInt8]) -> Bool { !parts.isEmpty && main.contains(subsequence: guid) }

    /// The main packet followed by the extension it names, whose parts are given back, and no more are wanted. A main
    /// packet that only names the extension is left out.
    ///
    /// - Returns: `nil` while parts are missing, and where some were not kept.
    mutating func joined(to main: [UInt8], work: inout WorkGuard) throws(ImageError) -> [UInt8]? {
        let sorted = parts.sorted { $0.offset < $1.offset }
        var end = 0
        for part in sorted {
            guard part.offset == end else { return nil }
            end += part.byteCount
        }
        parts = []
        isJoined = true
        guard sorted.allSatisfy({ $0.bytes != nil }) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(main.count + byteCount)
        if main != Self.mainPacket(naming: String(decoding: guid, as: UTF8.self)) { result += main }
        for part in sorted {
            try work.spend(part.byteCount)
            if let bytes = part.bytes { result += bytes }
        }
        return result
    }
}

extension [UInt8] {
    /// Whether `other`, which is not empty, occurs in the array: a packet of 64 KiB is looked through once.
    fileprivate func contains(subsequence other: [UInt8]) -> Bool {
        guard let first = other.first, count >= other.count else { return false }
        return (0...count - other.count).contains { start in
            self[start] == first && self[start..<start + other.count].elementsEqual(other)
        }
    }
}
