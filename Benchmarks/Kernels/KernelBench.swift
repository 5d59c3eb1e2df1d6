// kernel-bench: speed of single kernels, one line each: `family/kernel <TAB> Gpx/s`.
//
//   IMAGE_CODECS_TOOLS=1 swift run -c release kernel-bench [--filter TEXT] [--milliseconds N] [FILE.png ...]
//   IMAGE_CODECS_TOOLS=1 swift run -c release kernel-bench --deflate stored|fast|default|best FILE ...
//
// Files are for the inflaters, which are timed on their image data, and for the deflaters, on what that unpacks to (bytes that are not
// compressed; all of them count, whatever the cache). `--deflate` compresses files as they are: see `DeflateFiles`.
// A figure is the best of many short runs on data that stays in the first two cache levels. Figures move between
// machines and hours; compare lines of one run (`conversion/copy` tells what a plain copy takes).

import DeflateCodec

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@main
struct KernelBench {
    /// Every family of kernels, one file each. Add yours here.
    static var families: [[Kernel]] {
        [
            conversionKernels(),
            filterKernels(),
            encodingKernels(),
            checksumKernels(),
            jpegKernels(),
            scalingKernels(),
        ]
    }

    static func main() {
        var filter = ""
        var milliseconds = 60
        var files: [String] = []
        var arguments = CommandLine.arguments.dropFirst()
        var deflateEffort: CompressionEffort?
        while let option = arguments.popFirst() {
            if !option.hasPrefix("-") {
                files.append(option)
                continue
            }
            switch (option, arguments.popFirst()) {
            case ("--filter", let text?):
                filter = text
            case ("--milliseconds", let text?) where Int(text) != nil:
                milliseconds = Int(text) ?? milliseconds
            case ("--deflate", let text?) where CompressionEffort(rawValue: text) != nil:
                deflateEffort = CompressionEffort(rawValue: text)
            default:
                print(
                    "usage: kernel-bench [--filter TEXT] [--milliseconds N] [FILE.png ...] | --deflate EFFORT FILE ...")
                return
            }
        }
        if let deflateEffort { exit(DeflateFiles.run(deflateEffort, files) ? 0 : 1) }
        let kernels = families.joined() + files.flatMap { inflateKernels($0) + deflateKernels($0) }
        for kernel in kernels where filter.isEmpty || kernel.name.contains(filter) {
            print("\(kernel.name)\t\(kernel.gigapixelsPerSecond(measuringFor: .milliseconds(milliseconds)))")
        }
    }
}
