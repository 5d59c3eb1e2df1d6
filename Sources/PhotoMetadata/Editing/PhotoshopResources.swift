// Photoshop's image resources as JPEG files have them: what has to be taken out of them, and nothing else.

import ImageCodecsCore

/// Photoshop's image resources, one after the other: signature, number, name, length, data.
///
/// - Source: Adobe Photoshop File Formats Specification (2019), "Image Resources Section".
enum PhotoshopResources {
    /// Small JPEG pictures, those of version 4 and later ones.
    private static let previews: Set<Int> = [0x0409, 0x040C]
    /// IPTC data, and a digest of them.
    private static let (captions, captionDigest) = (0x0404, 0x0425)
    /// EXIF data and an XMP packet once more.
    private static let copies: Set<Int> = [0x0422, 0x0423, 0x0424]

    /// A resource, by its place among the bytes.
    private struct Resource {
        let number: Int
        let range: Range<Int>
        let data: Range<Int>
    }

    /// The resources up to the first that cannot be read, and where that is.
    private static func resources(_ bytes: [UInt8]) -> (all: [Resource], end: Int) {
        bytes.withSpan { source in
            var all: [Resource] = []
            var position = 0
            while source.hasBytes("8BIM", at: position), source.count - position >= 12 {
                let number = Int(source.bigEndianUInt16(at: position + 4))
                // The name has an even number of bytes with its length, and so have the data.
                let nameEnd = position + 6 + (Int(source[position + 6]) + 2) / 2 * 2
                guard nameEnd <= source.count - 4 else { break }
                let count = Int(clamping: source.bigEndianUInt32(at: nameEnd))
                guard count <= source.count - nameEnd - 4 else { break }
                let data = nameEnd + 4..<nameEnd + 4 + count
                let end = min(data.upperBound + count % 2, source.count)
                all.append(Resource(number: number, range: position..<end, data: data))
                position = end
            }
            return (all, position)
        }
    }

    /// The resources without those that are previews; as they are from the first one on that cannot be read.
    static func removingPreviews(from bytes: [UInt8]) -> [UInt8] {
        let (all, end) = resources(bytes)
        return all.filter { !previews.contains($0.number) }.flatMap { bytes[$0.range] } + bytes[end...]
    }

    /// The resources without names of places in IPTC data and without copies of EXIF data and XMP packet; `nil` if they cannot be read to
    /// their end, or if nothing is left.
    static func removingLocation(from bytes: [UInt8]) -> [UInt8]? {
        let (all, end) = resources(bytes)
        guard bytes[end...].allSatisfy({ $0 == 0 }) else { return nil }
        var result: [UInt8] = []
        let isTold = all.contains { $0.number == captions && CaptionData(bytes[$0.data])?.tellsLocation != false }
        for resource in all where !copies.contains(resource.number) {
            guard isTold, [captions, captionDigest].contains(resource.number) else {
                result += bytes[resource.range]
                continue
            }
            guard resource.number == captions, let kept = CaptionData(bytes[resource.data])?.withoutLocation,
                !kept.isEmpty
            else { continue }
            result += bytes[resource.range.lowerBound..<resource.data.lowerBound - 4]
            result += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: kept.count >> $0) }
            result += kept + (kept.count % 2 == 0 ? [] : [0])
        }
        return result.isEmpty ? nil : result
    }
}

/// IPTC data: one data set after the other, each with its record, its number and its length.
///
/// - Source: IPTC-NAA Information Interchange Model, version 4.2, §3 "Record structure", §6 "Record 2".
private struct CaptionData {
    /// Code and name of the place that is shown, and city, part of the city, state, code and name of the country of origin.
    private static let places: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]

    let tellsLocation: Bool
    /// The data sets that do not tell where the picture was taken.
    let withoutLocation: [UInt8]

    /// `nil` for bytes that cannot be read to their end.
    init?(_ bytes: ArraySlice<UInt8>) {
        var kept: [UInt8] = []
        var tellsLocation = false
        var rest = bytes
        while rest.first == 0x1C {
            guard rest.count >= 5 else { return nil }
            let start = rest.startIndex
            var count = Int(rest[start + 3]) << 8 | Int(rest[start + 4])
            var head = 5
            if count & 0x8000 != 0 {
                // As many bytes have the length.
                let lengthCount = count & 0x7FFF
                guard lengthCount <= 4, rest.count >= 5 + lengthCount else { return nil }
                head += lengthCount
                count = rest[start + 5..<start + head].reduce(0) { $0 << 8 | Int($1) }
            }
            guard rest.count >= head + count else { return nil }
            if rest[start + 1] == 2, Self.places.contains(rest[start + 2]) {
                tellsLocation = true
            } else {
                kept += rest.prefix(head + count)
            }
            rest = rest.dropFirst(head + count)
        }
        guard rest.allSatisfy({ $0 == 0 }) else { return nil }
        self.tellsLocation = tellsLocation
        withoutLocation = kept
    }
}
