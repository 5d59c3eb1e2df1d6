// XMP packets longer than a segment: a main packet that names an extension, and the extension in parts.

import ImageCodecsCore
import JPEGBaselineCodec

/// How an XMP packet goes into APP1 segments.
///
/// A packet that fits is one segment. A longer one becomes the extension of a main packet that holds nothing but its
/// name, the MD5 digest of the extension: decoders of this package give the long packet back. Of other main packets and
/// their extensions they make one array of bytes, main packet first; such bytes become the same segments again, the name corrected if it
/// is no digest of the extension.
///
/// - Source: Adobe XMP Specification Part 3 (2020) §1.1.3.1 "Extended XMP in JPEG".
package struct ExtendedXMP: Hashable, Sendable {
    /// The most bytes of a packet in one segment.
    package static let largestPacket = 65502
    /// Bytes of the extension in one segment.
    package static let largestPart = 65400

    private static let mainName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let extensionName = Array("http://ns.adobe.com/xmp/extension/\0".utf8)

    /// GUID, length of the whole, place of the part.
    private static let extensionHeaderByteCount = 40

    /// The packet of the first segment.
    package let main: [UInt8]
    /// What goes on in further segments; empty if nothing does.
    package let rest: [UInt8]
    /// The digest of ``rest``, in digits; empty if there is none.
    private let digest: [UInt8]

    /// Splits a packet.
    package init(_ packet: [UInt8]) {
        if let (place, digits) = Self.split(packet) {
            rest = Array(packet[place...])
            digest = Array(MD5Digest(of: rest).hexadecimal.utf8)
            main = packet[..<digits.lowerBound] + digest + packet[digits.upperBound..<place]
        } else if packet.count <= Self.largestPacket {
            (main, rest, digest) = (packet, [], [])
        } else {
            let hexadecimal = MD5Digest(of: packet).hexadecimal
            (main, rest) = (ExtendedXMPAssembly.mainPacket(naming: hexadecimal), packet)
            digest = Array(hexadecimal.utf8)
        }
    }

    /// Whether an APP1 segment has an XMP packet or a part of one.
    package static func isSegment(_ body: Span<UInt8>) -> Bool {
        body.hasBytes("http://ns.adobe.com/xap/1.0/\0") || isExtension(body)
    }

    private static func isExtension(_ body: Span<UInt8>) -> Bool {
        body.hasBytes("http://ns.adobe.com/xmp/extension/\0")
    }

    /// How many bytes of the packet that decoders put together a segment has: none if it is a main packet that only names an extension,
    /// unless that stands alone.
    ///
    /// - Parameters:
    ///   - body: the body of a segment of XMP.
    ///   - packet: what a decoder made of all segments.
    package static func byteCount(ofSegment body: Span<UInt8>, alone packet: [UInt8]) -> Int {
        if isExtension(body) { return max(0, body.count - extensionName.count - extensionHeaderByteCount) }
        let main = Array(body.extracting(droppingFirst: mainName.count))
        let digits = firstDigits(in: main[...]).map { String(decoding: main[$0], as: UTF8.self) }
        let onlyNames = digits.map { ExtendedXMPAssembly.mainPacket(naming: $0) == main } ?? false
        return onlyNames && main != packet ? 0 : main.count
    }

    /// The bodies of the segments.
    package var segmentBodies: [[UInt8]] {
        var bodies = [Self.mainName + main]
        guard !rest.isEmpty else { return bodies }
        let name = Self.extensionName + digest + Self.bigEndian(rest.count)
        for start in stride(from: 0, to: rest.count, by: Self.largestPart) {
            let end = min(start + Self.largestPart, rest.count)
            bodies.append(name + Self.bigEndian(start) + rest[start..<end])
        }
        return bodies
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Where the extension begins in bytes that are a main packet and the extension that it names, and where its name is.
    private static func split(_ bytes: [UInt8]) -> (place: Int, digits: Range<Int>)? {
        guard let name = first("HasExtendedXMP", in: bytes, from: 0) else { return nil }
        let ends = ["<?xpacket end=", "</x:xmpmeta>"].compactMap { first($0, in: bytes, from: name) }
        for start in ends {
            guard var end = bytes[start...].firstIndex(of: UInt8(ascii: ">")).map({ $0 + 1 }) else { continue }
            // A main packet may end with white space, all of which is its own.
            while end < bytes.count, [0x09, 0x0A, 0x0D, 0x20].contains(bytes[end]) { end += 1 }
            guard end <= largestPacket, end < bytes.count else { continue }
            if let digits = firstDigits(in: bytes[name..<min(start, name + 64)]) { return (end, digits) }
        }
        return nil
    }

    /// Where 32 hexadecimal digits occur first.
    private static func firstDigits(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        var start = bytes.startIndex
        for place in bytes.indices {
            if !isHexadecimalDigit(bytes[place]) { start = place + 1 }
            if place - start == 31 { return start..<place + 1 }
        }
        return nil
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// Where an ASCII text occurs first.
    private static func first(_ text: String, in bytes: [UInt8], from start: Int) -> Int? {
        let wanted = Array(text.utf8)
        guard bytes.count - start >= wanted.count else { return nil }
        return (start...bytes.count - wanted.count).first { place in
            bytes[place] == wanted[0] && bytes[place..<place + wanted.count].elementsEqual(wanted)
        }
    }
}
