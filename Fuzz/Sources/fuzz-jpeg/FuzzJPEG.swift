// Decodes any bytes as JPEG.

import FuzzSupport
import Glibc
import JPEG

@main enum FuzzJPEG {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                WholeDecodeCheck.run(FuzzInput.bytes(start, count), JPEGCoder())
                return 0
            })
    }
}
