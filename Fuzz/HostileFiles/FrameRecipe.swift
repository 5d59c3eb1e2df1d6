// The frame header of a hostile JPEG file, and the counts that follow from it.

package import CodecTestSupport

/// A frame: sides, components, process.
///
/// - Source: ITU-T T.81 (1992) §B.2.2 "Frame header syntax", §A.1.1 "Dimensions and sampling factors".
package struct FrameRecipe: Sendable {
    /// One component of the frame.
    package struct Component: Sendable {
        var identifier: UInt8
        var horizontal: Int
        var vertical: Int
        var quantizer: UInt8
    }

    var marker: UInt8 = 0xC0
    var precision: UInt8 = 8
    var width: Int
    /// The lines that are coded.
    var height: Int
    /// Whether the header says 0 lines, and a DNL segment says how many there are.
    var hasDeferredHeight = false
    var components: [Component]

    var isProgressive: Bool { marker == 0xC2 }
    var isHuge: Bool { width * height > 1 << 18 }
    private var maxHorizontal: Int { components.map(\.horizontal).max() ?? 1 }
    private var maxVertical: Int { components.map(\.vertical).max() ?? 1 }

    /// Blocks that a scan of one component has, across and down.
    func blocks(of index: Int) -> (across: Int, down: Int) {
        let component = components[index]
        return (
            Self.ceiling(width * component.horizontal, 8 * maxHorizontal),
            Self.ceiling(height * component.vertical, 8 * maxVertical)
        )
    }

    /// MCUs of a scan of several components, across and down.
    var interleavedUnits: (across: Int, down: Int) {
        (Self.ceiling(width, 8 * maxHorizontal), Self.ceiling(height, 8 * maxVertical))
    }

    /// The SOF segment's body.
    var body: [UInt8] {
        let lines = hasDeferredHeight ? 0 : height
        return [precision, UInt8(lines >> 8), UInt8(lines & 255), UInt8(width >> 8), UInt8(width & 255)]
            + [UInt8(components.count)]
            + components.flatMap { [$0.identifier, UInt8($0.horizontal << 4 | $0.vertical), $0.quantizer] }
    }

    /// The body of a DNL segment.
    var linesBody: [UInt8] { [UInt8(height >> 8), UInt8(height & 255)] }

    private static func ceiling(_ value: Int, _ divisor: Int) -> Int {
        divisor > 0 ? (value + divisor - 1) / divisor : 0
    }
}

extension FrameRecipe {
    /// Any frame; mostly small and of a process the decoder knows.
    package static func any(_ source: inout DecisionSource) -> FrameRecipe {
        let edges = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 1000]
        func side() -> Int { source.oneIn(6) ? source.pick(edges) : 1 + source.below(source.oneIn(5) ? 160 : 40) }
        var frame = FrameRecipe(width: side(), height: side(), components: components(&source))
        // Two long sides make large pictures of what should be small ones.
        if frame.width * frame.height > 40_000 { frame.height = min(frame.height, 33) }
        frame.marker = source.oneIn(2) ? 0xC2 : source.oneIn(4) ? 0xC1 : 0xC0
        frame.hasDeferredHeight = source.oneIn(12)
        if source.isFault(oneIn: 30) {
            let sides = [2000, 4096, 8192, 16_384, 20_000, 65_535]
            (frame.width, frame.height) = (source.pick(sides), source.pick(sides))
        }
        if source.isFault(oneIn: 60) {
            frame.marker = source.pick([0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCF])
        }
        if source.isFault(oneIn: 80) { frame.precision = source.pick([0, 7, 12, 16, 255]) }
        if source.isFault(oneIn: 120) { frame.width = 0 }
        return frame
    }

    private static func components(_ source: inout DecisionSource) -> [Component] {
        let count = source.isFault(oneIn: 60) ? source.pick([0, 2, 5]) : source.pick([1, 3, 3, 3, 4])
        let style = source.below(4)
        let firstFactors = source.pick([(1, 1), (2, 1), (2, 2), (1, 2), (4, 1), (4, 2), (1, 4)])
        let names = source.oneIn(8) ? Array("RGBA".utf8) : source.oneIn(10) ? [0, 1, 2, 3] : [1, 2, 3, 4]
        return (0..<count).map { index in
            var factors = (1, 1)
            switch style {
            case 0: factors = index == 0 ? firstFactors : (1, 1)
            case 1: factors = (source.pick([1, 2, 4]), source.pick([1, 2, 4]))
            case 2: factors = (source.pick([1, 2]), source.pick([1, 2]))
            // 3 is odd, and 0 and 5 are not allowed.
            default:
                if source.oneIn(4) { factors = (1 + source.below(4), 1 + source.below(4)) }
                if source.isFault(oneIn: 100) { factors = (source.pick([0, 5, 15]), 1) }
            }
            let identifier = source.isFault(oneIn: 100) ? 1 : names[min(index, 3)]
            let quantizer = source.below(source.isFault(oneIn: 20) ? 5 : 2)
            return Component(
                identifier: identifier, horizontal: factors.0, vertical: factors.1, quantizer: UInt8(quantizer))
        }
    }
}
