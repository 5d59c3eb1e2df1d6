// Options about how results are encoded, shared by the commands that write pictures.

import ArgumentParser
import ImageCodecs

/// Quality and size of the written file.
struct EncodingArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "0 ... 100: fidelity of lossy formats, effort of lossless ones (pixels never change). Honoured by png, as "
                + "effort; pgm, ppm, pam and raw have none.", valueName: "0-100"))
    var quality: Double?

    @Option(
        help: ArgumentHelp(
            "Most bytes of the written file; lossy formats lower the quality, png gets smaller pictures. K, M and G are "
                + "powers of 1024.", valueName: "size"))
    var maxBytes: ByteCount?

    func validate() throws {
        if let quality, !(0...100).contains(quality) { throw ValidationError("--quality must be from 0 to 100") }
    }

    var options: EncodingOptions {
        var options = EncodingOptions()
        options.quality = quality.map { $0 / 100 }
        options.maxFileByteCount = maxBytes?.bytes
        return options
    }
}
