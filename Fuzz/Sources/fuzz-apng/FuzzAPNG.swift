// Decodes any bytes as APNG: whole, and frame by frame in any order.

import FuzzSupport
import APNG
import Glibc

@main enum FuzzAPNG {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                let bytes = FuzzInput.bytes(start, count)
                WholeDecodeCheck.run(bytes, APNGCoder())
                FrameCheck.run(bytes, APNGCoder())
                AnimationCheck.run(bytes, APNGCoder())
                return 0
            })
    }
}
