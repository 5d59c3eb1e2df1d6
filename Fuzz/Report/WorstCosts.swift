// The most that a byte of input or a pixel of output took, per format, over all the files that there are.

import APNGCodec
import GIFCodec
import Glibc
import ImageCodecsCore
import JPEGCodec
import PNGCodec
import WebPCodec

/// Times decodes and keeps the slowest of each kind.
struct WorstCosts {
    /// What one file took.
    private struct Cost {
        let file: String
        let nanoseconds: Double
        let byteCount: Int
        let pixelCount: Int

        var perByte: Double { nanoseconds / Double(byteCount) }
        var perPixel: Double { nanoseconds / Double(pixelCount) }
        var perBoth: Double { nanoseconds / Double(byteCount + pixelCount) }
    }

    /// Smaller files are mostly the beginning and the end of a decode.
    private static let leastByteAndPixelCount = 1 << 14
    private static let runCount = 3

    private let limits: DecodingLimits
    private var costs: [String: [Cost]] = [:]
    private var longest: Cost?

    init(_ limits: DecodingLimits) {
        var limits = limits
        limits.maxTime = nil
        self.limits = limits
    }

    /// Coders of all formats.
    static let coder = CoderRegistry([WebPCoder(), JPEGCoder(), PNGCoder(), GIFCoder(), APNGCoder()])

    /// Times a file: the fastest of some decodes, strict or tolerant, whichever takes longer, refused or not.
    mutating func add(_ path: String) {
        guard let data = try? ImageData(contentsOfFile: path, access: .mapped), data.count > 0 else { return }
        var options = DecodingOptions()
        options.limits = limits
        let info = try? Self.coder.inspect(data, options: options)
        var nanoseconds = 0.0
        for strictness in DecodingOptions.Strictness.allCases {
            options.strictness = strictness
            nanoseconds = max(nanoseconds, (0..<Self.runCount).map { _ in Self.time(data, options) }.min() ?? 0)
        }
        // What is refused has no pixels.
        let frames = max(1, info?.animation?.frameCount ?? 1)
        let pixels = (info?.size.pixelCount ?? 0).multipliedSaturated(by: frames)
        let cost = Cost(
            file: String(path.split(separator: "/").suffix(2).joined(separator: "/")), nanoseconds: nanoseconds,
            byteCount: data.count, pixelCount: max(1, pixels))
        if nanoseconds > longest?.nanoseconds ?? 0 { longest = cost }
        guard cost.byteCount.addingSaturated(cost.pixelCount) >= Self.leastByteAndPixelCount else { return }
        costs[data.withBytes { Self.format(of: $0) }, default: []].append(cost)
    }

    /// The name of the format that bytes begin like.
    static func format(of bytes: Span<UInt8>) -> String {
        if case .format(let format) = ImageFormat.sniff(bytes) { return format.rawValue }
        return "unknown"
    }

    private static func time(_ data: ImageData, _ options: DecodingOptions) -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        _ = try? coder.decode(data, options: options)
        let (seconds, attoseconds) = start.duration(to: clock.now).components
        return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    }

    /// A table with a line for each format.
    var markdown: String {
        var lines = [
            "| format | files | ns per byte, where bytes are more than pixels | ns per pixel, where pixels are more | ns per byte and pixel together |",
            "|---|---:|---|---|---|",
        ]
        for (format, all) in costs.sorted(by: { $0.key < $1.key }) {
            let (heavy, wide) = (
                all.filter { $0.byteCount > $0.pixelCount }, all.filter { $0.byteCount <= $0.pixelCount }
            )
            let cells = [
                Self.worst(heavy, \.perByte), Self.worst(wide, \.perPixel), Self.worst(all, \.perBoth),
            ]
            lines.append("| \(format) | \(all.count) | " + cells.joined(separator: " | ") + " |")
        }
        if let longest { lines.append("\nLongest: \(Int(longest.nanoseconds / 1e6)) ms, \(longest.file).") }
        return lines.joined(separator: "\n")
    }

    private static func worst(_ costs: [Cost], _ value: KeyPath<Cost, Double>) -> String {
        guard let worst = costs.max(by: { $0[keyPath: value] < $1[keyPath: value] }) else { return "-" }
        return "\(Int(worst[keyPath: value].rounded(.up))) (\(worst.file))"
    }
}
