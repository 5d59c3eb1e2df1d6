// The options by their names: what each does to what is made of a picture.

/// What reading options needs to know of the server.
package struct OptionRules: Sendable {
    /// Options of presets, by name: `size:200:200/quality:70`. The one named `default` comes before all addresses' own options.
    package var presets: [String: String]
    /// Whether addresses have names of presets in place of options.
    package var allowsOnlyPresets: Bool

    /// Creates rules.
    package init(presets: [String: String] = [:], allowsOnlyPresets: Bool = false) {
        (self.presets, self.allowsOnlyPresets) = (presets, allowsOnlyPresets)
    }
}

extension ProcessingOptions {
    /// Applies an option.
    ///
    /// - Parameters:
    ///   - text: its name and its values, separated by colons.
    ///   - presets: names of presets that this option is a part of.
    mutating func apply(
        _ text: Substring, _ rules: OptionRules, within presets: [String] = []
    ) throws(ProxyURLError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= OptionValues.maxCount + 1 else {
            throw .badOption(String((parts.first ?? "").prefix(40)))
        }
        let values = OptionValues(name: String(name.prefix(40)), values: Array(parts.dropFirst()))
        if name == "preset" || name == "pr" {
            for preset in values.values { try apply(preset: String(preset), rules, within: presets) }
            return
        }
        if try applySize(name, values) { return }
        if try applyPlace(name, values) { return }
        if try applyLook(name, values) { return }
        if try applyFile(name, values) { return }
        if Self.unsupported.contains(name) { throw .unsupportedOption(values.name) }
        throw .unknownOption(values.name)
    }

    /// Applies a preset, whose options may name other presets.
    mutating func apply(
        preset name: String, _ rules: OptionRules, within presets: [String] = []
    ) throws(ProxyURLError) {
        guard let options = rules.presets[name], !presets.contains(name), presets.count < 8 else {
            throw .badPreset(String(name.prefix(40)))
        }
        for option in options.split(separator: "/") { try apply(option, rules, within: presets + [name]) }
    }

    /// Options of the language that are refused: they need what this server does not have.
    private static let unsupported: Set<Substring> = [
        "raw", "trim", "t", "pixelate", "pix", "adjust", "a", "brightness", "br", "contrast", "co", "saturation", "sa",
        "monochrome", "mc", "duotone", "dt", "unsharp_masking", "unsharpening", "ush", "colorize", "col", "gradient",
        "gr", "background_alpha", "bga", "blur_detections", "bd", "draw_detections", "dd", "objects_position", "obp",
        "op", "crop_objects", "watermark_url", "wmu", "watermark_text", "wmt", "watermark_size", "wms",
        "watermark_rotate", "wmr", "watermark_shadow", "wmsh", "style", "st", "dpi", "color_profile", "cp", "icc",
        "jpeg_options", "jpgo", "png_options", "pngo", "webp_options", "webpo", "avif_options", "autoquality", "aq",
        "page", "pages", "pgs", "disable_animation", "da", "video_thumbnail_second", "vts", "fallback_image_url",
        "fiu", "skip_processing", "skp", "enforce_thumbnail", "eth", "hashsum", "hs", "max_src_resolution", "msr",
        "max_src_file_size", "msfs", "max_animation_frames", "maf", "max_animation_frame_resolution", "mafr",
        "max_result_dimension", "mrd", "resizing_algorithm", "ra", "zoom_objects",
    ]

    // MARK: - Size

    private mutating func applySize(_ name: Substring, _ values: OptionValues) throws(ProxyURLError) -> Bool {
        switch name {
        case "resize", "rs":
            resizing = try Self.resizingType(values, 0) ?? resizing
            try apply(size: values, from: 1)
        case "size", "s": try apply(size: values, from: 0)
        case "resizing_type", "rt":
            try values.check(count: 1...1)
            resizing = try Self.resizingType(values, 0) ?? .fit
        case "width", "w": width = try Self.one(values).side(0)
        case "height", "h": height = try Self.one(values).side(0)
        case "min-width", "min_width", "mw": minWidth = try Self.one(values).side(0)
        case "min-height", "min_height", "mh": minHeight = try Self.one(values).side(0)
        case "zoom", "z":
            try values.check(count: 1...2)
            zoomX = try values.number(0, in: 0.001...100, default: 1)
            zoomY = try values.number(1, in: 0.001...100, default: zoomX)
        case "dpr": dpr = try Self.one(values).number(0, in: 0.1...8, default: 1)
        case "enlarge", "el": enlarges = try Self.one(values).flag(0, default: false)
        case "extend", "ex": extend = try Self.extending(values, from: 0)
        case "extend_aspect_ratio", "extend_ar", "exar": extendAspectRatio = try Self.extending(values, from: 0)
        default: return false
        }
        return true
    }

    /// Width, height, whether to enlarge, whether and where to extend.
    private mutating func apply(size values: OptionValues, from index: Int) throws(ProxyURLError) {
        try values.check(count: 1...(index + 7))
        if values[index] != nil { width = try values.side(index) }
        if values[index + 1] != nil { height = try values.side(index + 1) }
        if values[index + 2] != nil { enlarges = try values.flag(index + 2, default: false) }
        if values[index + 3] != nil { extend = try Self.extending(values, from: index + 3) }
    }

    private static func extending(_ values: OptionValues, from index: Int) throws(ProxyURLError) -> Gravity? {
        let isOn = try values.flag(index, default: false)
        let gravity = try values.gravity(from: index + 1, allowsSmart: false)
        if case .focus = gravity.kind { throw values.error }
        return isOn ? gravity : nil
    }

    private static func resizingType(_ values: OptionValues, _ index: Int) throws(ProxyURLError) -> ResizingType? {
        guard let text = values[index] else { return nil }
        guard let type = ResizingType(rawValue: String(text)) else { throw values.error }
        return type
    }

    private static func one(_ values: OptionValues) throws(ProxyURLError) -> OptionValues {
        try values.check(count: 1...1)
        return values
    }

    // MARK: - Place

    private mutating func applyPlace(_ name: Substring, _ values: OptionValues) throws(ProxyURLError) -> Bool {
        switch name {
        case "gravity", "g":
            try values.check(count: 1...3)
            gravity = try values.gravity(from: 0)
        case "crop", "c":
            try values.check(count: 1...5)
            let range = 0...Double(OptionValues.maxSide)
            cropWidth = try values.number(0, in: range, default: 0)
            cropHeight = try values.number(1, in: range, default: 0)
            cropGravity = values[2] == nil ? nil : try values.gravity(from: 2)
        case "padding", "pd":
            try values.check(count: 1...4)
            let top = try values.side(0)
            let right = try values.integer(1, in: 0...OptionValues.maxSide, default: top)
            let bottom = try values.integer(2, in: 0...OptionValues.maxSide, default: top)
            padding = [top, right, bottom, try values.integer(3, in: 0...OptionValues.maxSide, default: right)]
        case "rotate", "rot":
            let degrees = try Self.one(values).integer(0, in: -3_600...3_600, default: 0)
            guard degrees.isMultiple(of: 90) else { throw values.error }
            quarterTurns = (degrees / 90 % 4 + 4) % 4
        case "auto_rotate", "ar": turnsUpright = try Self.one(values).flag(0, default: true)
        default: return false
        }
        return true
    }

    // MARK: - Look

    private mutating func applyLook(_ name: Substring, _ values: OptionValues) throws(ProxyURLError) -> Bool {
        switch name {
        case "background", "bg": background = try Self.color(values)
        case "blur", "bl": blur = try Self.one(values).number(0, in: 0...500, default: 0)
        case "sharpen", "sh": sharpen = try Self.one(values).number(0, in: 0...100, default: 0)
        case "watermark", "wm": watermark = try Self.watermark(values)
        default: return false
        }
        return true
    }

    /// Three numbers, or three or six hexadecimal digits; nothing for none.
    private static func color(_ values: OptionValues) throws(ProxyURLError) -> SIMD3<UInt8>? {
        if values.values.count == 3 {
            var color = SIMD3<UInt8>()
            for index in 0..<3 {
                guard values[index] != nil else { throw values.error }
                color[index] = UInt8(try values.integer(index, in: 0...255, default: 0))
            }
            return color
        }
        guard let text = try one(values)[0] else { return nil }
        let digits = text.utf8.compactMap(TextDecoding.digit)
        guard digits.count == text.utf8.count else { throw values.error }
        switch digits.count {
        case 3: return SIMD3(digits[0], digits[1], digits[2]) &* 17
        case 6: return SIMD3(digits[0], digits[2], digits[4]) &* 16 &+ SIMD3(digits[1], digits[3], digits[5])
        default: throw values.error
        }
    }

    /// Opacity, place, distance from there, size.
    private static func watermark(_ values: OptionValues) throws(ProxyURLError) -> Watermark? {
        try values.check(count: 1...5)
        var mark = Watermark(opacity: try values.number(0, in: 0...1, default: 0))
        let kind = values[1] ?? "ce"
        let range = -Double(OptionValues.maxSide)...Double(OptionValues.maxSide)
        let (x, y) = (try values.number(2, in: range, default: 0), try values.number(3, in: range, default: 0))
        if kind == "re" {
            mark.isRepeated = true
            mark.gravity = Gravity(.place(x: 0, y: 0), x: x, y: y)
        } else {
            guard let place = OptionValues.places[kind] else { throw values.error }
            mark.gravity = Gravity(.place(x: place.0, y: place.1), x: x, y: y)
        }
        mark.scale = try values.number(4, in: 0...1, default: 0)
        return mark.opacity > 0 ? mark : nil
    }

    // MARK: - File

    private mutating func applyFile(_ name: Substring, _ values: OptionValues) throws(ProxyURLError) -> Bool {
        switch name {
        case "quality", "q": quality = try Self.one(values).integer(0, in: 0...100, default: 0)
        case "format_quality", "fq":
            guard values.values.count.isMultiple(of: 2) else { throw values.error }
            for index in stride(from: 0, to: values.values.count, by: 2) {
                guard let format = OutputFormat(fileExtension: String(values.values[index])) else { throw values.error }
                formatQuality[format] = try values.integer(index + 1, in: 0...100, default: 0)
            }
        case "max_bytes", "mb": maxByteCount = try Self.one(values).integer(0, in: 0...(1 << 40), default: 0)
        case "format", "f", "ext": format = try Self.format(String(Self.one(values)[0] ?? ""))
        case "strip_metadata", "sm": stripsMetadata = try Self.one(values).flag(0, default: true)
        case "keep_copyright", "kcr": _ = try Self.one(values).flag(0, default: true)
        case "strip_color_profile", "scp": stripsColorProfile = try Self.one(values).flag(0, default: true)
        case "cachebuster", "cb":
            try values.check(count: 1...1)
            guard values.values[0].utf8.count <= OptionValues.maxNameLength else { throw values.error }
            cacheBuster = String(values.values[0])
        case "expires", "exp": expires = try Self.one(values).integer(0, in: 0...Int.max, default: 0)
        case "filename", "fn":
            try values.check(count: 1...2)
            fileName = try Self.fileName(values)
        case "return_attachment", "att": isAttachment = try Self.one(values).flag(0, default: false)
        default: return false
        }
        return true
    }

    /// A format that is written; `nil` for no text.
    static func format(_ name: String) throws(ProxyURLError) -> OutputFormat? {
        if name.isEmpty { return nil }
        guard let format = OutputFormat(fileExtension: name) else { throw .badFormat(String(name.prefix(40))) }
        return format
    }

    /// A name in percent encoding, or in base64 if the second value says so.
    private static func fileName(_ values: OptionValues) throws(ProxyURLError) -> String {
        guard try values.flag(1, default: false) else { return try values.text(0) }
        guard let bytes = TextDecoding.base64Decoded((values[0] ?? "").utf8), bytes.count <= OptionValues.maxNameLength,
            let name = String(validating: bytes, as: UTF8.self)
        else { throw values.error }
        return name
    }
}

extension OptionRules {
    /// Refuses a preset that cannot be applied.
    package static func check(_ preset: String, _ rules: OptionRules) throws(ProxyURLError) {
        var options = ProcessingOptions()
        try options.apply(preset: preset, rules)
    }
}
