// LZW by the book: strings as arrays, one code at a time. The twin of LZWKernel, which has the same window and table, is
// in `LZWKernelReference+Window.swift`.
//
// Source: GIF89a Appendix F "Variable-Length-Code LZW Compression".

package enum LZWKernelReference {
    /// What became of the codes.
    package enum Ending: Hashable, Sendable {
        case inputUsed
        case ended
        case invalidCode
    }

    /// Decodes joined bytes of sub-blocks from the start.
    ///
    /// - Parameter minimumCodeSize: 1...8.
    /// - Returns: the indices, and why decoding stopped.
    package static func decode(_ input: [UInt8], minimumCodeSize: Int) -> (indices: [UInt8], ending: Ending) {
        let clear = 1 << minimumCodeSize
        var strings = cleared(clear)
        var codeSize = minimumCodeSize + 1
        var previous: [UInt8]?
        var indices: [UInt8] = []
        var bit = 0
        while bit + codeSize <= input.count * 8 {
            let code = (0..<codeSize).reduce(0) { $0 | Int(input[(bit + $1) / 8] >> UInt8((bit + $1) % 8) & 1) << $1 }
            bit += codeSize
            if code == clear + 1 { return (indices, .ended) }
            if code == clear {
                (strings, codeSize, previous) = (cleared(clear), minimumCodeSize + 1, nil)
                continue
            }
            let string: [UInt8]
            if code < strings.count {
                string = strings[code]
            } else if let previous, code == strings.count, code < 4096 {
                string = previous + previous.prefix(1)
            } else {
                return (indices, .invalidCode)
            }
            if let previous, strings.count < 4096 { strings.append(previous + string.prefix(1)) }
            if strings.count == 1 << codeSize, codeSize < 12 { codeSize += 1 }
            indices += string
            previous = string
        }
        return (indices, .inputUsed)
    }

    /// The literals, and two places for clear and end.
    private static func cleared(_ clear: Int) -> [[UInt8]] { (0..<clear).map { [UInt8($0)] } + [[], []] }
}
