// How sizes, byte counts, colours and names are written on the command line.

public import ArgumentParser
public import ImageCodecs

extension PixelSize: ExpressibleByArgument {
    /// `400x300`; both sides at least 1.
    public init?(argument: String) {
        let sides = argument.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]), width > 0, height > 0 else {
            return nil
        }
        self.init(width: width, height: height)
    }
}

extension PixelFormat: ExpressibleByArgument {
    /// The format's name, such as `rgba` or `gray16`.
    public init?(argument: String) { self.init(name: argument) }

    /// Every name.
    public static var allValueStrings: [String] { all.map(\.name) }
}

extension DecodingOptions.Fit: ExpressibleByArgument {}

extension DecodingOptions.ThumbnailQuality: ExpressibleByArgument {}
extension DecodingOptions.Scaling: ExpressibleByArgument {}

extension EncodingOptions.Effort: ExpressibleByArgument {}

extension EncodingOptions.MetadataPolicy: ExpressibleByArgument {}

extension JPEGSubsampling: ExpressibleByArgument {}

/// A positive number of bytes: `1048576`, `1024K`, `1M`, `2G` (powers of 1024).
struct ByteCount: ExpressibleByArgument {
    let bytes: Int

    init(bytes: Int) { self.bytes = bytes }

    var defaultValueDescription: String { bytes % (1 << 20) == 0 ? "\(bytes >> 20)M" : "\(bytes)" }

    init?(argument: String) {
        let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        let shift = argument.last.flatMap { shifts[Character($0.uppercased())] }
        guard let number = Int(shift == nil ? argument : String(argument.dropLast())), number > 0 else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        guard !overflow else { return nil }
        self.bytes = bytes
    }
}

/// An opaque colour: `ff8000` or `#ff8000`.
struct OpaqueColor: ExpressibleByArgument {
    let components: SIMD3<UInt8>

    init(components: SIMD3<UInt8>) { self.components = components }

    /// Six hexadecimal digits.
    var defaultValueDescription: String {
        (0..<3).map { UInt32(components[$0]).hexadecimal(digits: 2) }.joined()
    }

    init?(argument: String) {
        let digits = argument.hasPrefix("#") ? argument.dropFirst() : argument[...]
        guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) else {
            return nil
        }
        components = SIMD3(
            UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 8),
            UInt8(truncatingIfNeeded: value))
    }
}
