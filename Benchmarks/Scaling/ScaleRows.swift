// scale-rows: runs ImageCore's row scaler on a raw picture, for Scripts/compare-scaling.
//
//   scale-rows IN WIDTHxHEIGHT OUT WIDTHxHEIGHT [--opaque] [--repeat N]
//
// IN and OUT hold 4 bytes per pixel without padding between rows: premultiplied RGBA or, with --opaque, RGBX. Prints
// the fastest of N runs in milliseconds.

import Foundation
import ImageCore

@main
struct ScaleRows {
    private let source: PixelSize
    private let target: PixelSize
    private let isOpaque: Bool
    private let pixels: [UInt8]

    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isOpaque = arguments.contains("--opaque")
        arguments.removeAll { $0 == "--opaque" }
        var runCount = 1
        if let option = arguments.firstIndex(of: "--repeat"), option + 1 < arguments.count {
            runCount = max(1, Int(arguments[option + 1]) ?? 1)
            arguments.removeSubrange(option...option + 1)
        }
        guard arguments.count == 4, let source = size(arguments[1]), let target = size(arguments[3]) else {
            print("usage: scale-rows IN WIDTHxHEIGHT OUT WIDTHxHEIGHT [--opaque] [--repeat N]")
            exit(2)
        }
        let pixels = [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[0])))
        guard pixels.count == source.width * source.height * 4 else {
            print("\(arguments[0]): \(pixels.count) bytes are not \(source) pixels")
            exit(1)
        }
        let work = ScaleRows(source: source, target: target, isOpaque: isOpaque, pixels: pixels)
        var scaled = [UInt8]()
        var best = Duration.seconds(3600)
        for _ in 0..<runCount { best = min(best, try ContinuousClock().measure { scaled = try work.run() }) }
        try Data(scaled).write(to: URL(fileURLWithPath: arguments[2]))
        print(best / .milliseconds(1))
    }

    private static func size(_ text: String) -> PixelSize? {
        let sides = text.split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2, sides.allSatisfy((1...65536).contains) else { return nil }
        return PixelSize(width: sides[0], height: sides[1])
    }

    private func run() throws -> [UInt8] {
        var scaled = [UInt8]()
        scaled.reserveCapacity(target.width * target.height * 4)
        var scaler = try RowScaler(source: source, target: target, opaque: isOpaque)
        pixels.withRawSpan(first: pixels.count) { pixels in
            let bytesPerRow = source.width * 4
            for y in 0..<source.height {
                scaler.push(pixels.extracting(y * bytesPerRow..<(y + 1) * bytesPerRow)) { _, row in scaled.append(row) }
            }
        }
        return scaled
    }
}
