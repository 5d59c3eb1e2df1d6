// Metadata of a picture that was changed: what they say of its size, and previews, which show what it was.

package import ImageCodecsCore

extension ImageMetadata {
    /// What was done to a picture.
    package enum Change: Sendable {
        /// Its pixels have other colours.
        case pixels
        /// It was cut, scaled or turned.
        case geometry
    }

    /// Takes out what is not right any more after a change: previews in the EXIF data, the XMP packet (`xmp:Thumbnails`) and
    /// Photoshop's resources, where the picture lay and how large what its pixels show is.
    package mutating func follow(_ change: Change) {
        if let block = exif.flatMap({ ExifBlock($0) }), block.directories.contains(.thumbnail) {
            try? editExif { (exif) throws(ImageError) in exif.remove(.thumbnail) }
        }
        if let bytes = xmp, XMPPacket.mentions(["thumbnails"], in: bytes[...]), let packet = xmpPacket {
            xmp = packet.edited(bytes) { $0.name == "Thumbnails" && $0.namespace == .basic ? .goes : .stays }
        }
        iptc = iptc.map { PhotoshopResources.removingPreviews(from: $0) }
        if change == .geometry { (placement, stereoLayout, physicalScale) = (nil, nil, nil) }
    }

    /// Makes what EXIF data and XMP packet say of the size of a picture true. A preview goes if it shows what the picture was before it
    /// was turned or got another size.
    ///
    /// - Parameters:
    ///   - size: width and height as stored.
    ///   - orientation: how the stored picture has to be turned.
    package mutating func describe(_ size: PixelSize, orientation: Orientation) {
        guard !isUntouched else { return }
        let stated = exif.flatMap { exif in exif.withSpan { exifOrientation(in: $0) } }
        let isTurned = stated.map { $0 != orientation } ?? false
        if let block = exif.flatMap({ ExifBlock($0) }) {
            let sides = Self.sideTags.map { (tag: $0.tag, side: size[keyPath: $0.side]) }
            let wrong = sides.filter { side in block[side.tag]?.integer.map { $0 != side.side } ?? false }
            let isOther = wrong.contains {
                block[$0.tag]?.integer != size.width && block[$0.tag]?.integer != size.height
            }
            if isTurned || isOther { follow(isTurned ? .geometry : .pixels) }
            if !wrong.isEmpty {
                try? editExif { (exif) throws(ImageError) in
                    for side in wrong { try exif.set(side.tag, to: .long([UInt32(clamping: side.side)])) }
                }
            }
        }
        guard let bytes = xmp, XMPPacket.mentions(Self.sideNames, in: bytes[...]), let packet = xmpPacket else {
            return
        }
        xmp = packet.edited(bytes) { property in
            let value: Int? =
                switch (property.namespace, property.name) {
                case (.exif, "PixelXDimension"), (.tiff, "ImageWidth"): size.width
                case (.exif, "PixelYDimension"), (.tiff, "ImageLength"): size.height
                case (.tiff, "Orientation"): isTurned ? orientation.rawValue : nil
                default: nil
                }
            return value.map { property.values.first?.text == "\($0)" ? .stays : .becomes("\($0)") } ?? .stays
        }
    }

    private static var sideTags: [(tag: ExifTag, side: KeyPath<PixelSize, Int>)] {
        [
            (ExifTag(.exif, 0xA002), \.width), (ExifTag(.exif, 0xA003), \.height),
            (ExifTag(.main, 0x0100), \.width), (ExifTag(.main, 0x0101), \.height),
        ]
    }

    private static let sideNames = ["pixelxdimension", "pixelydimension", "imagewidth", "imagelength", "orientation"]
}
