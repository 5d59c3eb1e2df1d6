// The LZW decoder against strings as arrays, through the public API: this package cannot name the decoder itself.
//
// The first byte gives the minimum code size and the size of a picture, the rest is its code stream. It stands in a GIF
// file whose colors are the indices.

import FuzzSupport
import GIF
import Glibc
import ImageCore

@main enum FuzzLZW {
    static func main() {
        exit(
            unsafe FuzzDriver.run { start, count in
                // SAFETY: libFuzzer passes `count` readable bytes.
                let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
                guard let first = bytes.first else { return -1 }
                compare(Array(bytes.dropFirst()), first)
                return 0
            })
    }
}

private func compare(_ codes: [UInt8], _ choice: UInt8) {
    let minimumCodeSize = Int(choice & 7) + 1
    let width = [1, 7, 33, 500][Int(choice >> 3 & 3)]
    let height = [1, 9, 100, 500][Int(choice >> 5 & 3)]
    let indices = plainIndices(codes, minimumCodeSize, atMost: width * height)
    var options = DecodingOptions()
    options.strictness = .tolerant
    options.pixelFormat = .gray
    let realRowCount = min(height, indices.count / width)
    do throws(ImageError) {
        let image = try GIFCoder().decode(ImageData(file(codes, minimumCodeSize, width, height)), options: options)
        let rows = image.partial?.rows ?? [0..<height]
        require(rows.allSatisfy { $0 == 0..<realRowCount }, "rows \(rows), not \(realRowCount)")
        require((image.partial == nil) == (indices.count >= width * height), "\(image.partial as Any)")
        let pixels = image.bitmap.packedBytes()
        require(pixels.prefix(realRowCount * width) == indices.prefix(realRowCount * width), "other indices")
    } catch {
        require(realRowCount == 0, "\(error), but there are \(realRowCount) rows")
    }
}

/// Strings as arrays, one code at a time (GIF89a Appendix F).
private func plainIndices(_ codes: [UInt8], _ minimumCodeSize: Int, atMost count: Int) -> [UInt8] {
    let clear = 1 << minimumCodeSize
    let literals = (0..<clear).map { [UInt8($0)] } + [[], []]
    var (strings, codeSize, previous) = (literals, minimumCodeSize + 1, [UInt8]?.none)
    var (indices, bit) = ([UInt8](), 0)
    while bit + codeSize <= codes.count * 8, indices.count < count {
        let code = (0..<codeSize).reduce(0) { $0 | Int(codes[(bit + $1) / 8] >> UInt8((bit + $1) % 8) & 1) << $1 }
        bit += codeSize
        if code == clear + 1 { break }
        if code == clear {
            (strings, codeSize, previous) = (literals, minimumCodeSize + 1, nil)
            continue
        }
        var string: [UInt8]
        if code < strings.count {
            string = strings[code]
        } else if let previous, code == strings.count, code < 4096 {
            string = previous + previous.prefix(1)
        } else {
            break
        }
        if let previous, strings.count < 4096 { strings.append(previous + string.prefix(1)) }
        if strings.count == 1 << codeSize, codeSize < 12 { codeSize += 1 }
        indices += string
        previous = string
    }
    return indices
}

/// A GIF file of one image, whose table has gray levels in order.
private func file(_ codes: [UInt8], _ minimumCodeSize: Int, _ width: Int, _ height: Int) -> [UInt8] {
    func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
    var bytes = Array("GIF89a".utf8) + word(width) + word(height) + [0xF7, 0, 0]
    for level in 0...255 as ClosedRange<UInt8> { bytes += [level, level, level] }
    bytes += [0x2C, 0, 0, 0, 0] + word(width) + word(height) + [0, UInt8(minimumCodeSize)]
    for start in stride(from: 0, to: codes.count, by: 255) {
        let block = codes[start..<min(codes.count, start + 255)]
        bytes += [UInt8(block.count)] + block
    }
    return bytes + [0, 0x3B]
}
