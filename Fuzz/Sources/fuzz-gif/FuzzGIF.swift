// Decodes any bytes as GIF, the picture and every frame.

import FuzzSupport
import Glibc
import GIF

@main enum FuzzGIF {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                let bytes = FuzzInput.bytes(start, count)
                WholeDecodeCheck.run(bytes, GIFCoder())
                AnimationCheck.run(bytes, GIFCoder())
                return 0
            })
    }
}
