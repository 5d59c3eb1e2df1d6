// Decodes any bytes as WebP: whole, and frame by frame in any order.

import FuzzSupport
import Glibc
import WebP

@main enum FuzzWebP {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                let bytes = FuzzInput.bytes(start, count)
                WholeDecodeCheck.run(bytes, WebPCoder())
                FrameCheck.run(bytes, WebPCoder())
                AnimationCheck.run(bytes, WebPCoder())
                return 0
            })
    }
}
