// Two animations, or pictures, compared frame by frame.

import ArgumentParser
import ImageCodecs

/// Compares the frames of two files and says what was found.
struct FrameComparison {
    let thresholds: ComparisonThresholds
    let result: ComparisonOutput
    let protection: InputProtection

    /// - Returns: whether every frame is within the thresholds.
    /// - Throws: `invalidArgument` for different numbers of frames or sizes, what decoding and writing throw.
    func run(_ one: any AnimatedImageProvider, _ other: any AnimatedImageProvider) throws(ImageError) -> Bool {
        guard one.frameCount == other.frameCount else {
            throw .invalidArgument(
                "\(one.frameCount.counted("frame")) and \(other.frameCount.counted("frame")) cannot be compared")
        }
        var isClose = true
        // The first frame, until one is found that differs.
        var shown: Bitmap?
        var showsDifference = false
        for index in 0..<one.frameCount {
            let (left, right) = (try one.frame(at: index).bitmap, try other.frame(at: index).bitmap)
            let difference = try PictureDifference(left, right)
            let isAdmitted = thresholds.admit(difference)
            isClose = isClose && isAdmitted
            StandardOutput.write(line(difference, index, of: one.frameCount, isAdmitted))
            guard result.difference != nil, shown == nil || (!showsDifference && difference.largest > 0) else {
                continue
            }
            shown = try difference.picture(left, right)
            showsDifference = difference.largest > 0
        }
        if let output = result.difference, let shown { try write(shown, to: output) }
        return isClose
    }

    private func line(_ difference: PictureDifference, _ index: Int, of count: Int, _ isAdmitted: Bool) -> String {
        let decibels = difference.decibels
        guard !result.json else {
            return JSONValue.object([
                ("index", .integer(index)), ("width", .integer(difference.size.width)),
                ("height", .integer(difference.size.height)), ("largestDifference", .integer(difference.largest)),
                ("differentPixelCount", .integer(difference.pixelCount)),
                ("psnr", decibels.map { .decimal($0, places: 2) } ?? .null),
                ("ssim", .decimal(difference.similarity, places: 5)), ("isWithinThresholds", .bool(isAdmitted)),
            ]).text
        }
        let name = count > 1 ? "frame \(index): " : ""
        return name + "largest difference \(difference.largest), "
            + "\(difference.pixelCount.counted("pixel")) of \(difference.size.width * difference.size.height) differ\(difference.pixelCount == 1 ? "s" : ""), "
            + "PSNR \(decibels.map { $0.fixed(2) + " dB" } ?? "inf"), SSIM \(difference.similarity.fixed(5))"
    }

    private func write(_ bitmap: Bitmap, to output: String) throws(ImageError) {
        let fileExtension = FilePath.splitExtension(FilePath.name(output)).fileExtension ?? ""
        let format = OutputFormat(name: fileExtension) ?? .coded(.png)
        let bytes = try format.encode(RasterImage(bitmap: bitmap), pixelFormat: .rgb, options: .default)
        try protection.write(bytes, to: output, of: nil, in: nil)
    }
}
