// Deflate data of any bytes, or of blocks that decisions lead to, through the inflater and zlib.

import CodecTestSupport
import HostileFiles

enum InflateCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        #if SystemZlib
        var source = DecisionSource(bytes)
        let stream: [UInt8] =
            switch source.below(4) {
            case 0: DeflateRecipe.stream(DecisionSource(Array(bytes.dropFirst())))
            case 1: Array(bytes.dropFirst())
            // Bytes of a block after a header that is right.
            default: [0x78, 0x9C] + bytes.dropFirst()
            }
        return InflateComparison.differences(stream, DecisionSource(hashOf: bytes)).differences
        #else
        return []
        #endif
    }
}
