// kernel-bench: speed of single kernels, one line each: `family/kernel <TAB> Gpx/s`.
//
//   swift run -c release kernel-bench [--filter TEXT] [--milliseconds N]
//
// A figure is the best of many short runs on data that stays in the first two cache levels. Figures move between
// machines and hours; compare lines of one run (`conversion/copy` tells what a plain copy takes).

@main
struct KernelBench {
    /// Every family of kernels, one file each. Add yours here.
    static var families: [[Kernel]] {
        [
            conversionKernels(),
            filterKernels(),
            encodingKernels(),
            jpegKernels(),
            scalingKernels(),
        ]
    }

    static func main() {
        var filter = ""
        var milliseconds = 60
        var arguments = CommandLine.arguments.dropFirst()
        while let option = arguments.popFirst() {
            switch (option, arguments.popFirst()) {
            case ("--filter", let text?):
                filter = text
            case ("--milliseconds", let text?) where Int(text) != nil:
                milliseconds = Int(text) ?? milliseconds
            default:
                print("usage: kernel-bench [--filter TEXT] [--milliseconds N]")
                return
            }
        }
        for kernel in families.joined() where filter.isEmpty || kernel.name.contains(filter) {
            print("\(kernel.name)\t\(kernel.gigapixelsPerSecond(measuringFor: .milliseconds(milliseconds)))")
        }
    }
}
