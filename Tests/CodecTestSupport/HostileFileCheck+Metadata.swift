// What a reader of a picture's metadata does with them: EXIF data and profiles are bytes of the file.

import ImageCodecsCore
import ImageColor
import ImagePhotoMetadata

extension HostileFileCheck {
    /// Any metadata can be looked at; EXIF data that are written again tell how to turn the pixels.
    mutating func metadata(_ image: RasterImage?) {
        guard let metadata = image?.metadata else { return }
        if let profile = metadata.iccProfile { _ = ICCProfileDescription.text(of: profile.span) }
        if metadata.colors.iccProfile != metadata.iccProfile { complain("another profile among the colors") }
        if let packet = metadata.xmp { for text in XMPPacket.violations(packet) { complain(text) } }
        guard let exif = metadata.exif else { return }
        _ = metadata.photo
        for text in ExifBlock(exif)?.editViolations() ?? [] { complain(text) }
        for orientation in [Orientation.up, .right, .downMirrored] {
            let written = ExifBlock.bytes(exif, orientation: orientation)
            let read = written.flatMap { exifOrientation(in: $0.span) }
            if (read ?? .up) != orientation { complain("EXIF data written for \(orientation) say \(read as Any)") }
        }
    }
}

extension HostileFileCheck {
    /// A file with other metadata has the same pixels, and says what it was told to.
    mutating func otherMetadata(_ image: RasterImage?) {
        guard let coder = laws.coder as? any MetadataReplacingCoder else { return }
        do throws(ImageError) {
            var metadata = try coder.storedMetadata(of: ImageData(file), limits: options.limits)
            metadata.removeLocation()
            try metadata.editExif { (exif) throws(ImageError) in try exif.set(.artist, to: .ascii("An artist")) }
            let edited = try coder.replacingMetadata(of: ImageData(file), with: metadata, limits: options.limits)
            guard let image, !image.isPartial else { return }
            try compare(coder.decode(edited, options: metered(options).0), image)
        } catch {
            // There may be no room for more, in the file or within the limits; not every format can; and a file of WebP whose chunks do not
            // fit is refused also if its picture is whole.
            let codes = ["invalidArgument", "limitExceeded", "unsupported"]
            if image?.isPartial == false, !codes.contains(error.code), info?.format != .webP || error.code != "corrupt"
            {
                complain("replacing metadata: \(error)")
            }
        }
    }

    private mutating func compare(_ edited: RasterImage, _ image: RasterImage) {
        // An orientation after the pixels comes too late for the scaling, and is not seen if only the first frame is read.
        let dependsOnPlace = options.size != .full || options.firstFrameOnly
        let isTurned = options.appliesOrientation && dependsOnPlace && info?.orientation != .up
        if edited.bitmap != image.bitmap, !isTurned { complain("other pixels with other metadata") }
        let photo = edited.metadata.photo
        if photo?.artist != "An artist" { complain("an artist that was set is not there") }
        if photo?.location != nil { complain("the place is still there") }
        if edited.metadata.iccProfile != image.metadata.iccProfile { complain("another profile with other metadata") }
        if edited.metadata.texts.count > image.metadata.texts.count { complain("more texts with other metadata") }
        if edited.orientation != image.orientation { complain("another orientation with other metadata") }
    }
}

extension ExifBlock {
    /// The values that the block has, without what leads to directories and pictures, of which an edit may write others.
    ///
    /// - Parameter maxCount: fields of each directory.
    private func texts(maxCount: Int) -> [ExifTag: [String]] {
        let offsets: [ExifTag] =
            [ExifTag(.main, 0x8769), ExifTag(.main, 0x8825), ExifTag(.exif, 0xA005)]
            + [0x0111, 0x0117, 0x0201, 0x0202].map { ExifTag(.thumbnail, $0) }
        var texts: [ExifTag: [String]] = [:]
        for directory in directories {
            for field in fields(in: directory).prefix(maxCount) where !offsets.contains(field.tag) {
                guard let value = value(of: field, maxCount: 64) else { continue }
                texts[field.tag, default: []].append("\(value), \(field.count)")
            }
        }
        return texts
    }

    /// What is wrong with the block after edits: nothing may change but what was asked for.
    package func editViolations(maxCount: Int = 200) -> [String] {
        let before = texts(maxCount: maxCount)
        var violations: [String] = []
        func edited(_ change: (inout ExifEditor) throws(ImageError) -> Void) -> [ExifTag: [String]] {
            do throws(ImageError) {
                var editor = ExifEditor(self)
                try change(&editor)
                guard let bytes = try editor.bytes() else { return [:] }
                guard let block = ExifBlock(bytes) else {
                    violations.append("edited EXIF data cannot be read")
                    return [:]
                }
                return block.texts(maxCount: .max)
            } catch {
                // A directory may have as many tags as there can be.
                return before
            }
        }
        func compare(_ after: [ExifTag: [String]], _ edit: String, where isKept: (ExifTag) -> Bool) {
            for (tag, texts) in before where isKept(tag) && after[tag]?.starts(with: texts) != true {
                violations.append("\(edit): \(tag) was \(texts), is \(after[tag] ?? [])")
            }
        }
        let artist = edited { (editor) throws(ImageError) in
            try editor.set(.artist, to: .ascii("An artist"))
        }
        compare(artist, "artist set") { $0 != .artist }
        if artist != before, artist[.artist] != ["\(ExifValue.ascii("An artist")), 10"] {
            violations.append("no artist")
        }
        let nowhere = edited { (editor) throws(ImageError) in editor.remove(.gps) }
        // 0x8825 leads to places, also from where the standard does not have it.
        func tellsLocation(_ tag: ExifTag) -> Bool { tag.directory == .gps || tag.number == 0x8825 }
        compare(nowhere, "GPS removed") { !tellsLocation($0) }
        if nowhere.keys.contains(where: tellsLocation) { violations.append("GPS is still there") }
        let version = edited { (editor) throws(ImageError) in
            editor.remove(.thumbnail)
            try editor.set(ExifTag(.interoperability, 1), to: .ascii("R98"))
        }
        compare(version, "interoperability set") { $0.directory != .thumbnail && $0 != ExifTag(.interoperability, 1) }
        return violations
    }
}

extension XMPPacket {
    /// What is wrong with a packet without its place: its other properties have to be the same.
    package static func violations(_ bytes: [UInt8]) -> [String] {
        var metadata = ImageMetadata()
        metadata.xmp = bytes
        metadata.removeLocation()
        guard let before = XMPPacket(bytes), before.isWhole else {
            return metadata.xmp == nil ? [] : ["an XMP packet that cannot be read is kept"]
        }
        // It tells the place where no property is.
        guard metadata.xmp != nil else { return [] }
        guard let after = metadata.xmpPacket else { return ["an XMP packet cannot be read without its place"] }
        func text(_ property: Property) -> String {
            "\(property.namespace.rawValue) \(property.name) \(property.values)"
        }
        var kept = after.properties.map(text)[...]
        for property in before.properties where text(property) == kept.first { kept.removeFirst() }
        return kept.isEmpty ? [] : ["an XMP packet has other properties"]
    }
}
