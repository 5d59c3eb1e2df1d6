// APPn and COM: what they mean for decoding, and what they say about the picture.
//
// In: the bodies of application segments and comments. Out: the colour hints of JFIF and Adobe, and ImageMetadata.

package import ImageCore

/// Gathers application segments and comments while a stream is read.
///
/// - Source: ITU-T T.871 (2011) §10 "JFIF file syntax"; Adobe Technical Note 5116 §18 "Adobe marker"; Exif 2.32 §4.7.2
///   "Interoperability Structure of APP1 in Compressed Data"; ICC.1:2010 §B.4 "Embedding ICC profiles in JFIF files";
///   XMP Part 3 (2020) §1.1.3 "JPEG".
package struct ApplicationSegments: Sendable {
    /// Whether a JFIF segment was seen.
    package private(set) var hasJFIF = false
    /// The colour transform of an Adobe segment: 0 none, 1 Y'CbCr, 2 YCCK.
    package private(set) var adobeTransform: Int?
    /// Whether a multi-picture index announces further pictures behind the first (CIPA DC-007).
    package private(set) var hasMultiPictureIndex = false

    private var metadata = ImageMetadata()
    private var profile = ICCProfileAssembly()
    private var extendedXMP = ExtendedXMPAssembly()
    private var keptByteCount = 0
    private let limit: Int

    /// - Parameter limit: bytes of metadata that may be kept.
    package init(limit: Int) { self.limit = limit }

    /// Everything gathered so far.
    package var collected: ImageMetadata {
        var result = metadata
        result.iccProfile = profile.assembled
        if let extended = extendedXMP.assembled(for: metadata.xmp) {
            result.xmp = extended
        }
        return result
    }

    /// Takes the body of an APPn or COM segment; segments of unknown kinds are ignored.
    ///
    /// - Throws: `limitExceeded(.metadata)`.
    package mutating func read(_ body: Span<UInt8>, marker: Marker) throws(ImageError) {
        switch marker {
        case .app0: readJFIF(body)
        case .app1: try readExifOrXMP(body)
        case .app2: try readProfileOrIndex(body)
        case .app13: try readPhotoshop(body)
        case .app14: readAdobe(body)
        case .com:
            try keep(body.count)
            metadata.comments.append(String(decoding: body.bytes(in: 0..<body.count), as: UTF8.self))
        default: break
        }
    }

    private mutating func keep(_ byteCount: Int) throws(ImageError) {
        keptByteCount += byteCount
        guard keptByteCount <= limit else {
            throw .limitExceeded(.metadata, requested: keptByteCount, allowed: limit)
        }
    }

    /// `JFIF\0`, version, density unit, two densities, thumbnail size.
    private mutating func readJFIF(_ body: Span<UInt8>) {
        guard body.count >= 14, body.hasBytes("JFIF\0") else { return }
        hasJFIF = true
        let units: [PixelDensity.Unit] = [.aspectRatio, .inch, .centimeter]
        let (x, y) = (UInt32(body.bigEndianUInt16(at: 8)), UInt32(body.bigEndianUInt16(at: 10)))
        if Int(body[7]) < units.count, x > 0, y > 0 {
            metadata.density = PixelDensity(x: x, y: y, unit: units[Int(body[7])])
        }
    }

    /// `Adobe`, version, two flags of 16 bits, transform.
    private mutating func readAdobe(_ body: Span<UInt8>) {
        guard body.count >= 12, body.hasBytes("Adobe") else { return }
        adobeTransform = Int(body[11])
    }

    private mutating func readExifOrXMP(_ body: Span<UInt8>) throws(ImageError) {
        if body.hasBytes("Exif\0") {
            guard metadata.exif == nil, body.count > 6 else { return }
            try keep(body.count)
            let exif = body.bytes(in: 6..<body.count)
            metadata.exif = exif
            metadata.orientation = exifOrientation(in: exif.span) ?? .up
        } else if body.hasBytes("http://ns.adobe.com/xap/1.0/\0") {
            guard metadata.xmp == nil else { return }
            try keep(body.count)
            metadata.xmp = body.bytes(in: 29..<body.count)
        } else if body.hasBytes("http://ns.adobe.com/xmp/extension/\0") {
            try keep(body.count)
            extendedXMP.add(body.bytes(in: 35..<body.count))
        }
    }

    private mutating func readProfileOrIndex(_ body: Span<UInt8>) throws(ImageError) {
        if body.hasBytes("ICC_PROFILE\0"), body.count >= 14 {
            try keep(body.count)
            profile.add(body.bytes(in: 14..<body.count), number: Int(body[12]), of: Int(body[13]))
        } else if body.hasBytes("MPF\0") {
            hasMultiPictureIndex = true
        }
    }

    private mutating func readPhotoshop(_ body: Span<UInt8>) throws(ImageError) {
        guard body.hasBytes("Photoshop 3.0\0") else { return }
        try keep(body.count)
        metadata.iptc = (metadata.iptc ?? []) + body.bytes(in: 14..<body.count)
    }
}

/// An ICC profile in numbered pieces, which may come in any order.
struct ICCProfileAssembly: Sendable {
    private var pieces: [Int: [UInt8]] = [:]
    private var total = 0

    mutating func add(_ piece: [UInt8], number: Int, of total: Int) {
        guard number >= 1, number <= total, pieces.isEmpty || total == self.total, pieces[number] == nil else { return }
        self.total = total
        pieces[number] = piece
    }

    /// The profile, once every piece is there.
    var assembled: [UInt8]? {
        guard total > 0, pieces.count == total else { return nil }
        return (1...total).flatMap { pieces[$0] ?? [] }
    }
}

/// An XMP packet that goes on in further segments: each has a GUID of 32 characters, the length of the whole, its
/// place in it, and its part.
struct ExtendedXMPAssembly: Sendable {
    private struct Part {
        let guid: [UInt8]
        let offset: Int
        let bytes: [UInt8]
    }

    private var parts: [Part] = []

    mutating func add(_ body: [UInt8]) {
        guard body.count >= 40 else { return }
        parts.append(
            Part(
                guid: Array(body[0..<32]), offset: Int(body.span.bigEndianUInt32(at: 36)), bytes: Array(body[40...])))
    }

    /// The main packet followed by the extension it names, once all of its parts are there without a gap.
    func assembled(for main: [UInt8]?) -> [UInt8]? {
        guard let main, let guid = parts.first?.guid, main.contains(subsequence: guid) else { return nil }
        var result = main
        var end = 0
        for part in parts.filter({ $0.guid == guid }).sorted(by: { $0.offset < $1.offset }) {
            guard part.offset == end else { return nil }
            result += part.bytes
            end += part.bytes.count
        }
        return result
    }
}

extension [UInt8] {
    /// Whether `other`, which is not empty, occurs in the array.
    fileprivate func contains(subsequence other: [UInt8]) -> Bool {
        guard let first = other.first, count >= other.count else { return false }
        return (0...count - other.count).contains { start in
            self[start] == first && self[start..<start + other.count].elementsEqual(other)
        }
    }
}
