// The text in front of the samples of a portable anymap.

import ImageCodecs

/// What the header says, and how a pixel is read by it.
///
///     P6 # a comment          P7
///     640 480 255             WIDTH 640
///                             HEIGHT 480
///                             DEPTH 4
///                             MAXVAL 255
///                             TUPLTYPE RGB_ALPHA
///                             ENDHDR
struct PNMHeader: Sendable {
    let size: PixelSize
    /// 1 gray, 2 gray and alpha, 3 colour, 4 colour and alpha.
    let sampleCount: Int
    /// The largest sample, 1...65535; samples are two bytes each, high byte first, if it is above 255.
    let maximum: Int
    /// Bytes before the first sample.
    let byteCount: Int

    static func hasSignature(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 3, bytes[0] == UInt8(ascii: "P"), isSpace(bytes[2]) || bytes[2] == UInt8(ascii: "#") else {
            return false
        }
        return (UInt8(ascii: "5")...UInt8(ascii: "7")).contains(bytes[1])
    }

    /// - Returns: `nil` while the header is not complete.
    /// - Throws: `unknownFormat`; `corrupt` for what is no header; `unsupported` for channels that have no name here.
    init?(_ bytes: Span<UInt8>) throws(ImageError) {
        guard Self.hasSignature(bytes) else {
            if bytes.count >= 3 { throw .unknownFormat }
            return nil
        }
        var (position, fields) = (2, [String: Int]())
        let kind = bytes[1]
        if kind == UInt8(ascii: "7") {
            guard try Self.readFields(bytes, &position, &fields) else { return nil }
        } else {
            for name in ["WIDTH", "HEIGHT", "MAXVAL"] {
                guard let word = Self.word(bytes, &position) else { return nil }
                fields[name] = try Self.number(word, at: position)
            }
            fields["DEPTH"] = kind == UInt8(ascii: "5") ? 1 : 3
        }
        func field(_ name: String, _ range: ClosedRange<Int>) throws(ImageError) -> Int {
            guard let value = fields[name], range.contains(value) else {
                throw .corrupt(
                    PNMCoder.format, .pnmHeader, offset: position,
                    reason: fields[name].map { "\(name) is \($0)" } ?? "there is no \(name)")
            }
            return value
        }
        size = PixelSize(
            width: try field("WIDTH", 1...Self.longestSide), height: try field("HEIGHT", 1...Self.longestSide))
        maximum = try field("MAXVAL", 1...65_535)
        sampleCount = try field("DEPTH", 1...Self.longestSide)
        guard sampleCount <= 4 else { throw .unsupported(PNMCoder.format, feature: "\(sampleCount) channels") }
        // One white space ends the header; `word` has looked at it.
        byteCount = position + 1
    }

    /// Reads lines of a name and a number to ENDHDR.
    ///
    /// - Returns: `false` while the header is not complete.
    private static func readFields(
        _ bytes: Span<UInt8>, _ position: inout Int, _ fields: inout [String: Int]
    ) throws(ImageError) -> Bool {
        while let name = word(bytes, &position) {
            switch name {
            case "ENDHDR": return true
            case "TUPLTYPE":
                // The number of channels says as much.
                while position < bytes.count, bytes[position] != 0x0A { position += 1 }
            default:
                guard let value = word(bytes, &position) else { return false }
                fields[name] = try number(value, at: position)
            }
        }
        return false
    }

    /// The next word; `position` is at the white space after it then.
    ///
    /// - Returns: `nil` if the bytes end before that.
    private static func word(_ bytes: Span<UInt8>, _ position: inout Int) -> String? {
        while position < bytes.count, isSpace(bytes[position]) || bytes[position] == UInt8(ascii: "#") {
            if bytes[position] == UInt8(ascii: "#") {
                while position < bytes.count, bytes[position] != 0x0A { position += 1 }
            } else {
                position += 1
            }
        }
        var letters: [UInt8] = []
        while position < bytes.count, !isSpace(bytes[position]) {
            letters.append(bytes[position])
            position += 1
        }
        return position < bytes.count ? String(decoding: letters, as: UTF8.self) : nil
    }

    private static func number(_ word: String, at position: Int) throws(ImageError) -> Int {
        guard word.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(word) else {
            throw .corrupt(
                PNMCoder.format, .pnmHeader, offset: position,
                reason: "a number is missing: \(word.prefix(20))".replacingControlCharacters)
        }
        return number
    }

    private static let longestSide = Int(Int32.max)

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private var isWide: Bool { maximum > 255 }

    /// Bytes of a pixel in the file.
    var bytesPerPixel: Int { sampleCount * (isWide ? 2 : 1) }

    var bitDepth: Int { isWide ? 16 : 8 }

    var kind: String { ["gray", "gray and alpha", "RGB", "RGBA"][sampleCount - 1] }

    /// The format that holds every sample.
    var pixelFormat: PixelFormat {
        guard isWide else { return [.gray, .grayAlpha, .rgb, .rgba][sampleCount - 1] }
        return sampleCount == 1 ? .gray16 : .rgba16
    }

    /// Writes the pixel at an offset of the file's bytes in ``pixelFormat``.
    func convert(_ bytes: Span<UInt8>, at start: Int, into pixels: inout MutableSpan<UInt8>, at target: Int) {
        guard isWide else {
            for sample in 0..<sampleCount {
                pixels[target + sample] = UInt8(scaled(Int(bytes[start + sample]), to: 255))
            }
            return
        }
        let samples = (0..<sampleCount).map { sample in
            scaled(Int(bytes.bigEndianUInt16(at: start + 2 * sample)), to: 65_535)
        }
        let delivered: [Int] =
            switch sampleCount {
            case 1: samples
            case 2: [samples[0], samples[0], samples[0], samples[1]]
            case 3: samples + [65_535]
            default: samples
            }
        for (index, sample) in delivered.enumerated() {
            // In the machine's byte order.
            let native = UInt16(sample).littleEndian
            pixels[target + 2 * index] = UInt8(truncatingIfNeeded: native)
            pixels[target + 2 * index + 1] = UInt8(truncatingIfNeeded: native >> 8)
        }
    }

    /// A sample of 0...maximum as one of 0...limit, rounded. Larger ones, which the format does not allow, count as the largest.
    private func scaled(_ sample: Int, to limit: Int) -> Int {
        maximum == limit ? sample : (min(sample, maximum) * limit + maximum / 2) / maximum
    }
}
