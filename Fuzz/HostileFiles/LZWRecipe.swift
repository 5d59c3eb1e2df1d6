// Code streams of GIF images: compressed as encoders do it, random, long, damaged.

package import CodecTestSupport

/// Makes the codes of one image.
package struct LZWRecipe {
    private var source: DecisionSource
    private var writer: LZWCodeWriter
    /// Indices that are written, at least.
    private let indexCount: Int
    /// Colors that there are.
    private let colorCount: Int
    /// Once in so many codes the table is cleared, needed or not.
    private let clearRate: Int

    /// Joined bytes of sub-blocks for at least `indexCount` indices, unless they are to be damaged.
    ///
    /// - Parameter source: is left where the decisions end.
    package static func codes(minimumCodeSize: Int, indexCount: Int, _ source: inout DecisionSource) -> [UInt8] {
        var recipe = LZWRecipe(minimumCodeSize, indexCount, source)
        let bytes = recipe.written()
        source = recipe.source
        return bytes
    }

    private init(_ minimumCodeSize: Int, _ indexCount: Int, _ source: DecisionSource) {
        self.source = source
        self.indexCount = indexCount
        writer = LZWCodeWriter(minimumCodeSize: minimumCodeSize)
        colorCount = max(1, 1 << min(8, minimumCodeSize))
        clearRate = self.source.pick([5, 60, 5000, 1 << 20])
    }

    private mutating func written() -> [UInt8] {
        if source.isFault(oneIn: 25) { return source.bytes(source.below(400)) }
        if !source.oneIn(15) { writer.write(writer.clearCode) }
        switch source.below(5) {
        case 0: writeLiterals()
        case 1: writeRandomStrings()
        case 2: writeEverLongerStrings()
        default: writeCompressed()
        }
        if source.isFault(oneIn: 20) { writer.write(wrongCode()) }
        if !source.oneIn(12) { writer.write(writer.endCode) }
        writer.finish()
        let cut = source.isFault(oneIn: 25) ? source.below(writer.bytes.count + 1) : writer.bytes.count
        return writer.bytes.prefix(cut) + (source.oneIn(15) ? source.bytes(source.below(300)) : [])
    }

    /// Whether codes are still wanted; now and then a clear code, an end or a wrong code comes between.
    private mutating func wantsMore() -> Bool {
        if source.oneIn(clearRate) {
            for _ in 0...source.below(2) { writer.write(writer.clearCode) }
        }
        if source.isFault(oneIn: 4000) { writer.write(source.oneIn(2) ? writer.endCode : wrongCode()) }
        return writer.indexCount < indexCount
    }

    /// A code that has no string: just after the table, or far.
    private mutating func wrongCode() -> Int {
        source.oneIn(2) ? writer.nextCode + (writer.mayRunAhead ? 1 : 0) : source.below(4096)
    }

    private mutating func writeLiterals() {
        while wantsMore() { writer.write(source.below(colorCount)) }
    }

    /// Any code that has a string, the one that is not complete too.
    private mutating func writeRandomStrings() {
        while wantsMore() {
            var code = source.below(writer.nextCode + (writer.mayRunAhead ? 1 : 0))
            if code == writer.clearCode || code == writer.endCode { code = source.below(colorCount) }
            writer.write(code)
        }
    }

    /// Each code one index longer than the last; when the table is full, the longest again and again.
    private mutating func writeEverLongerStrings() {
        writer.write(source.below(colorCount))
        while wantsMore() {
            writer.write(writer.mayRunAhead ? writer.nextCode : writer.nextCode > 4095 ? 4095 : 0)
        }
    }

    /// As an encoder does it: the longest string that has a code; a full table stays for a while.
    private mutating func writeCompressed() {
        var table: [Int: Int] = [:]
        var current: Int?
        var nextCode = writer.nextCode
        let runs = source.oneIn(2)
        var (index, runLength, written) = (0, 0, 0)
        while written < indexCount {
            if runLength == 0 { (index, runLength) = (source.below(colorCount), runs ? 1 + source.below(30) : 1) }
            runLength -= 1
            written += 1
            guard let prefix = current else {
                current = index
                continue
            }
            if let known = table[prefix << 8 | index] {
                current = known
                continue
            }
            writer.write(prefix)
            if nextCode < 4096 {
                table[prefix << 8 | index] = nextCode
                nextCode += 1
            }
            if source.oneIn(clearRate) {
                writer.write(writer.clearCode)
                (table, nextCode) = ([:], writer.nextCode)
            }
            current = index
        }
        if let current { writer.write(current) }
    }
}
