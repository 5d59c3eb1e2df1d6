// The work that a debug build of a client is compared by (Scripts/check-debug-client): this is the release build of it.

import ImageCodecs

@main
struct ClientTiming {
    /// `client-timing make FILE` writes the picture; `client-timing time FILE` prints a name and milliseconds for each task.
    static func main() throws {
        let path = CommandLine.arguments[2]
        guard CommandLine.arguments[1] == "time" else {
            return try picture().write(toFile: path)
        }
        let data = try ImageData(contentsOfFile: path)
        let picture = try RasterImage(data)
        var bitmap = picture.bitmap
        try time("decode") { try CoderRegistry.shared.decode(data, into: &bitmap, options: .default) }
        try time("thumbnail") { _ = try RasterImage(data, options: .thumbnail(width: 320, height: 180)) }
        try time("incremental") {
            var decoder = CoderRegistry.shared.makeIncrementalDecoder(options: .default)
            try data.withBytes { (bytes) throws(ImageError) in
                var start = 0
                while start < bytes.count {
                    let end = min(start + 4096, bytes.count)
                    _ = try decoder.append(bytes.extracting(start..<end))
                    start = end
                }
            }
            _ = try decoder.finish()
        }
        try time("encode") { _ = try picture.encoded(as: .png) }
    }

    static func time(_ name: String, _ body: () throws -> Void) throws {
        var best = Duration.seconds(3600)
        for _ in 0..<10 {
            let start = ContinuousClock.now
            try body()
            best = min(best, start.duration(to: .now))
        }
        print(name, best / .milliseconds(1))
    }

    /// Smooth colours with some grain, and a soft round hole.
    static func picture() throws -> RasterImage {
        var bitmap = try Bitmap(size: PixelSize(width: 1280, height: 720), format: .rgba)
        var grain: UInt32 = 1
        for y in 0..<bitmap.height {
            let width = bitmap.width
            try bitmap.withMutableRow(y) { row in
                for x in 0..<width {
                    grain = grain &* 1_664_525 &+ 1_013_904_223
                    let noise = Int(grain >> 29)
                    let distance = (x - 640) * (x - 640) + (y - 360) * (y - 360)
                    let pixel = [x * 240 / 1280 + noise, y * 240 / 720 + noise, 40 + noise, min(255, distance / 256)]
                    for (channel, value) in pixel.enumerated() {
                        row[4 * x + channel] = UInt8(value)
                    }
                }
            }
        }
        return RasterImage(bitmap: bitmap)
    }
}
