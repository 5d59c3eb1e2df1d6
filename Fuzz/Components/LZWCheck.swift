// Any bytes as LZW data: the first says the minimum code size and the width, the rest are codes, or decisions on codes that
// make more indices than the decoder's window holds. What the decoder makes of them in a GIF must be what a plain decoder
// makes of them, index by index.

import CodecTestSupport
import GIFCodec
import HostileFiles
import ImageCodecsCore

enum LZWCheck {
    static func check(_ bytes: [UInt8]) throws {
        guard bytes.count > 2 else { return }
        let minimumCodeSize = 1 + Int(bytes[0] & 7)
        var codes = Array(bytes.dropFirst(2))
        if bytes[0] & 0x18 == 0x18 {
            var source = DecisionSource(codes)
            codes = LZWRecipe.codes(
                minimumCodeSize: minimumCodeSize, indexCount: source.pick([500, 70_000, 200_000]), &source)
        }
        let indices = PlainLZW.decode(codes, minimumCodeSize: minimumCodeSize, limit: 1 << 18)
        let width = 1 + Int(bytes[1]) % 97
        let height = min(65_535, indices.count / width)
        guard height > 0 else { return }
        let file = gif(codes, minimumCodeSize: minimumCodeSize, width: width, height: height)
        var options = DecodingOptions()
        options.limits = .small
        options.limits.maxDimension = 65_535
        options.pixelFormat = .rgb
        // Red is the index.
        let bitmap = try GIFCoder().decode(ImageData(file), options: options).bitmap
        for y in 0..<height {
            try bitmap.withRow(y) { row in
                for x in 0..<width { try require(row[3 * x] == indices[y * width + x], "index \(x), \(y)") }
            }
        }
    }

    /// A file of one image whose palette is its indices.
    private static func gif(_ codes: [UInt8], minimumCodeSize: Int, width: Int, height: Int) -> [UInt8] {
        let size = [UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8)]
        var file = Array("GIF89a".utf8) + size + [0xF7, 0, 0]
        for index in 0...255 { file += [UInt8(index), 0, 0] }
        file += [0x2C, 0, 0, 0, 0] + size + [0, UInt8(minimumCodeSize)]
        var rest = codes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(255)
            file += [UInt8(piece.count)] + piece
            rest = rest.dropFirst(piece.count)
        }
        return file + [0, 0x3B]
    }
}

/// LZW as GIF89a Appendix F describes it, string by string.
private enum PlainLZW {
    static func decode(_ input: [UInt8], minimumCodeSize: Int, limit: Int) -> [UInt8] {
        let clear = 1 << minimumCodeSize
        // Of each code: the code of its string without the last index, and that index.
        var (prefixes, lasts, count) = ([Int](repeating: -1, count: 4096), [UInt8](repeating: 0, count: 4096), 0)
        for code in 0..<clear { lasts[code] = UInt8(code) }
        count = clear + 2
        var (codeSize, previous, bit) = (minimumCodeSize + 1, -1, 0)
        var (output, string): ([UInt8], [UInt8]) = ([], [])
        while bit + codeSize <= input.count * 8, output.count < limit {
            var code = 0
            for place in 0..<codeSize { code |= Int(input[(bit + place) / 8] >> UInt8((bit + place) % 8) & 1) << place }
            bit += codeSize
            if code == clear + 1 { break }
            if code == clear {
                (count, codeSize, previous) = (clear + 2, minimumCodeSize + 1, -1)
                continue
            }
            let isNew = code == count && previous >= 0 && count < 4096
            guard code < count || isNew else { break }
            string.removeAll(keepingCapacity: true)
            var walked = isNew ? previous : code
            while walked >= 0 {
                string.append(lasts[walked])
                walked = prefixes[walked]
            }
            let first = string[string.count - 1]
            if previous >= 0, count < 4096 {
                (prefixes[count], lasts[count]) = (previous, first)
                count += 1
            }
            if count == 1 << codeSize, codeSize < 12 { codeSize += 1 }
            output += string.reversed()
            if isNew { output.append(first) }
            previous = code
        }
        return output
    }
}
