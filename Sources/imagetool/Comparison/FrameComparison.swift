// Two animations, or pictures, compared frame by frame.

import ArgumentParser
import ImageCodecs
import ImageComparison

/// Compares the frames of two files and says what was found.
struct FrameComparison {
    let thresholds: ComparisonThresholds
    let result: ComparisonOutput
    let protection: InputProtection
    /// Of comparing a frame.
    let limits: DecodingLimits

    /// - Returns: whether every frame is within the thresholds.
    /// - Throws: `invalidArgument` for different numbers of frames or sizes, what decoding and writing throw.
    func run(_ one: any AnimatedImageProvider, _ other: any AnimatedImageProvider) throws(ImageError) -> Bool {
        guard one.frameCount == other.frameCount else {
            throw .invalidArgument(
                "\(one.frameCount.counted("frame")) and \(other.frameCount.counted("frame")) cannot be compared")
        }
        var isClose = true
        // The first frame, until one is found that differs.
        var shown: (difference: Bitmap?, map: Bitmap?)?
        var showsDifference = false
        for index in 0..<one.frameCount {
            let (left, right) = (try one.frame(at: index).bitmap, try other.frame(at: index).bitmap)
            let difference = try PictureDifference(left, right)
            let look = try SSIMULACRA2(left, right, makesMap: result.picture != nil, limits: limits)
            let isAdmitted = thresholds.admit(difference, look)
            isClose = isClose && isAdmitted
            StandardOutput.write(line(difference, look, index, of: one.frameCount, isAdmitted))
            guard shown == nil || (!showsDifference && difference.largest > 0) else { continue }
            shown = (
                result.difference == nil ? nil : try difference.picture(left, right), try look.map?.picture()
            )
            showsDifference = difference.largest > 0
        }
        if let output = result.difference, let picture = shown?.difference { try write(picture, to: output) }
        if let output = result.picture, let picture = shown?.map { try write(picture, to: output) }
        return isClose
    }

    private func line(
        _ difference: PictureDifference, _ look: SSIMULACRA2, _ index: Int, of count: Int, _ isAdmitted: Bool
    ) -> String {
        let decibels = difference.decibels
        guard !result.json else {
            return JSONValue.object([
                ("index", .integer(index)), ("width", .integer(difference.size.width)),
                ("height", .integer(difference.size.height)), ("largestDifference", .integer(difference.largest)),
                ("differentPixelCount", .integer(difference.pixelCount)),
                ("psnr", decibels.map { .decimal($0, places: 2) } ?? .null),
                ("ssim", .decimal(difference.similarity, places: 5)),
                ("ssimulacra2", .decimal(look.score, places: 2)), ("isWithinThresholds", .bool(isAdmitted)),
            ]).text
        }
        let name = count > 1 ? "frame \(index): " : ""
        return name + "largest difference \(difference.largest), "
            + "\(difference.pixelCount.counted("pixel")) of \(difference.size.width * difference.size.height) differ\(difference.pixelCount == 1 ? "s" : ""), "
            + "PSNR \(decibels.map { $0.fixed(2) + " dB" } ?? "inf"), SSIM \(difference.similarity.fixed(5)), "
            + "SSIMULACRA 2 \(look.score.fixed(2))"
    }

    private func write(_ bitmap: Bitmap, to output: String) throws(ImageError) {
        let fileExtension = FilePath.splitExtension(FilePath.name(output)).fileExtension ?? ""
        let format = OutputFormat(name: fileExtension) ?? .coded(.png)
        let bytes = try format.encode(RasterImage(bitmap: bitmap), pixelFormat: .rgb, options: .default)
        try protection.write(bytes, to: output, of: nil, in: nil)
    }
}
