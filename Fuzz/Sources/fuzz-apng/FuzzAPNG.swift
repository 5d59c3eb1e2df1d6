// Decodes any bytes as APNG, the picture and every frame.

import FuzzSupport
import Glibc
import APNG

@main enum FuzzAPNG {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                let bytes = FuzzInput.bytes(start, count)
                WholeDecodeCheck.run(bytes, APNGCoder())
                AnimationCheck.run(bytes, APNGCoder())
                return 0
            })
    }
}
