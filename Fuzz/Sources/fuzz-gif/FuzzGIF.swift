// Decodes any bytes as GIF: whole, and frame by frame in any order.

import FuzzSupport
import GIF
import Glibc

@main enum FuzzGIF {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                let bytes = FuzzInput.bytes(start, count)
                WholeDecodeCheck.run(bytes, GIFCoder())
                FrameCheck.run(bytes, GIFCoder())
                AnimationCheck.run(bytes, GIFCoder())
                return 0
            })
    }
}
