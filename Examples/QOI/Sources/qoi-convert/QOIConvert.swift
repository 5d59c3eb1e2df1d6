// Converts any image to any other, QOI among them: `qoi-convert photo.jpg photo.qoi`.

import ImageCodecs
import QOI

@main
enum QOIConvert {
    static func main() throws {
        let paths = CommandLine.arguments.dropFirst()
        guard paths.count == 2, let input = paths.first, let output = paths.last else {
            print("usage: qoi-convert INPUT OUTPUT")
            return
        }
        CoderRegistry.shared.addQOI()
        try RasterImage(contentsOfFile: input).write(toFile: output)
    }
}
