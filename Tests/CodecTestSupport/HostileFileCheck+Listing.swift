// The parts of the file, as people look at them.

internal import ImageCodecsCore
import ImageInspection

extension HostileFileCheck {
    /// Any file that begins like one of the format has parts, in file order, whatever becomes of its pixels.
    mutating func listing(_ whole: DecoderLaws.Outcome) {
        guard let format = laws.coder.decodableFormats.first(where: FileListing.formats.contains) else { return }
        do throws(ImageError) {
            let listing = try FileListing(of: ImageData(file), as: format, limits: options.limits)
            checkListing(listing, isPicture: whole.image != nil)
            map()
        } catch {
            if error.code != "unknownFormat" { complain("listing: \(error)") }
            if whole.image != nil { complain("decoded, but not listed: \(error)") }
        }
    }

    /// A map counts every bit of the file once, and leaves no byte out, or says why there is none.
    private mutating func map() {
        var limits = options.limits
        limits.maxMemoryByteCount = min(limits.maxMemoryByteCount, Self.modest)
        do throws(ImageError) {
            let map = try FileMap(of: ImageData(file), limits: limits, maxCellCount: 1 << 10)
            if map.account.bitCount != 8 * file.count {
                complain("map: \(map.account.bitCount) bits of \(8 * file.count)")
            }
            var end = 0
            for region in map.regions {
                if region.offset != end || region.byteCount < 0 {
                    complain("map: \(region.name) at \(region.offset), after \(end)")
                }
                end = region.offset + region.byteCount
            }
            if end != file.count { complain("map: the last region ends at \(end) of \(file.count)") }
            for layer in map.layers where layer.values.count > 1 << 10 {
                complain("map: \(layer.values.count) cells of \(layer.key)")
            }
        } catch {
            if !["limitExceeded", "unknownFormat", "unsupported"].contains(error.code) { complain("map: \(error)") }
        }
    }

    private mutating func checkListing(_ listing: FileListing, isPicture: Bool) {
        if !laws.coder.decodableFormats.contains(listing.format) { complain("listed as \(listing.format)") }
        if listing.parts.isEmpty, isPicture { complain("a picture without parts") }
        if listing.parts.count > FileListing.maxPartCount(options.limits) { complain("\(listing.parts.count) parts") }
        if !(0...file.count).contains(listing.trailingByteCount) {
            complain("\(listing.trailingByteCount) bytes after the last part")
        }
        var end = 0
        for part in listing.parts {
            if part.name.isEmpty { complain("a part without a name") }
            guard part.offset >= end, part.offset < file.count, part.byteCount ?? 0 >= 0 else {
                complain("\(part.name) at \(part.offset), \(part.byteCount ?? 0) bytes, after \(end)")
                break
            }
            end = part.offset + 1
        }
    }
}
