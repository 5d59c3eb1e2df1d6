// Metadata written back as extensions, and the number of plays.

import ImageCodecsCore
import ImageEncoding
import ImagePhotoMetadata

extension MetadataPlaces {
    /// What GIF files have extensions for, and the ratio of a pixel's sides.
    static var gif: MetadataPlaces {
        var places = MetadataPlaces([.xmp, .comments, .iccProfile, .density])
        places.profileSpaces = [.rgb]
        places.densityIsRatio = true
        return places
    }
}

/// The extensions of a file that are not about one image.
///
/// Not written: EXIF, IPTC and texts with keywords, for which there is no place, and a profile of other pixels than RGB.
struct MetadataBlocks: Sendable {
    private let metadata: ImageMetadata

    init(_ metadata: ImageMetadata) { self.metadata = metadata }

    /// Whether there is anything that version 87a does not have.
    var isEmpty: Bool { comments.isEmpty && xmp == nil && profile == nil && aspectRatio == 0 }

    private var comments: [String] { metadata.comments.filter { !$0.isEmpty } }

    /// A packet is text; a zero byte would end it for every reader of sub-blocks.
    private var xmp: [UInt8]? { metadata.xmp.flatMap { $0.isEmpty || $0.contains(0) ? nil : $0 } }

    private var profile: [UInt8]? {
        metadata.iccProfile.flatMap { ICCColorSpace(ofProfile: $0) == .rgb ? $0 : nil }
    }

    /// The pixel aspect ratio as stored: 64 times the ratio of a pixel's width to its height, less 15.
    ///
    /// - Source: GIF89a section 18 "Logical Screen Descriptor".
    var aspectRatio: UInt8 {
        guard let density = metadata.density, density.unit == .aspectRatio, density.x > 0, density.x != density.y
        else { return 0 }
        let ratio = (64 * Int(density.y) + Int(density.x) / 2) / Int(density.x)
        return (16...270).contains(ratio) ? UInt8(ratio - 15) : 0
    }

    /// Writes what stands before the images.
    ///
    /// - Parameter loopCount: total number of plays, 0 for ever, 1 if nothing is to be said; at most 65,536.
    func write(to file: inout GIFBlockWriter, loopCount: Int, _ work: inout WorkGuard) throws(ImageError) {
        if loopCount != 1 {
            file.beginApplication("NETSCAPE2.0")
            let repetitions = max(0, loopCount - 1)
            let data = [1, UInt8(truncatingIfNeeded: repetitions), UInt8(truncatingIfNeeded: repetitions >> 8)]
            data.withRawSpan { file.appendData($0) }
            file.endData()
        }
        if let profile {
            file.beginApplication("ICCRGBG1012")
            try write(profile, to: &file, &work)
        }
        if let xmp { try write(packet: xmp, to: &file, &work) }
        for comment in comments {
            file.beginComment()
            try write(Array(comment.utf8), to: &file, &work)
        }
    }

    private func write(
        _ data: [UInt8], to file: inout GIFBlockWriter, _ work: inout WorkGuard
    ) throws(ImageError) {
        try work.spend(data.count)
        data.withRawSpan { file.appendData($0) }
        file.endData()
    }

    /// Writes an XMP packet as it is. Its bytes are lengths of sub-blocks for those who do not know it; the bytes 255 to 0 after
    /// it lead them to the terminator, wherever they come out.
    ///
    /// - Source: XMP Specification part 3, section 1.1.2 "GIF".
    private func write(
        packet: [UInt8], to file: inout GIFBlockWriter, _ work: inout WorkGuard
    ) throws(ImageError) {
        try work.spend(packet.count)
        file.beginApplication("XMP DataXMP")
        file.pending.bytes += packet
        file.pending.bytes.append(1)
        file.pending.bytes += (0...255).reversed()
        file.pending.bytes.append(0)
    }
}
