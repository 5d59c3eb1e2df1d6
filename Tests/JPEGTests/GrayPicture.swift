// A picture that is gray all over, of any size, written bit by bit.

/// Baseline 4:2:0 files without Huffman tables: those of the standard are used.
enum GrayPicture {
    /// Every coefficient is zero. With the tables of T.81 §K.3 a luma block is the bits 00 (no difference), 1010
    /// (end of block), a chroma block 00, 00; so an MCU of six blocks is four bytes.
    static func jpeg(width: Int, height: Int) -> [UInt8] {
        let quantization: [UInt8] = [0xFF, 0xDB, 0x00, 0x43, 0x00] + Array(repeating: 8, count: 64)
        let frame: [UInt8] = [
            0xFF, 0xC0, 0x00, 0x11, 8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255),
            3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0,
        ]
        let scan: [UInt8] = [0xFF, 0xDA, 0x00, 0x0C, 3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0]
        let mcuCount = ((width + 15) / 16) * ((height + 15) / 16)
        var file: [UInt8] = [0xFF, 0xD8] + quantization + frame + scan
        for _ in 0..<mcuCount { file += [0x28, 0xA2, 0x8A, 0x00] }
        return file + [0xFF, 0xD9]
    }
}
