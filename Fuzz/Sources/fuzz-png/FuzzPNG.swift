// Decodes any bytes as PNG.

import FuzzSupport
import Glibc
import PNG

@main enum FuzzPNG {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                WholeDecodeCheck.run(FuzzInput.bytes(start, count), PNGCoder())
                return 0
            })
    }
}
