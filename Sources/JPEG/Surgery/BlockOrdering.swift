// The blocks of a decoder in the order that an encoder has.
//
// In: coefficients in natural order, as scans have delivered them. Out: the same in zig-zag order, in the same place; blocks
// beyond the picture are the cheapest there are.

import ImageCodecsCore
import JPEGBaselineCodec

/// Which coefficients a file of samples of eight bits may have.
///
/// DC coefficients of -1024...1023 have differences of eleven bits, the most that there are codes for.
///
/// - Source: ITU-T T.81 (1992) §F.1.2.1.2 "Defining Huffman tables for the DC coefficients", §F.1.2.2.1 "Structure of AC code table".
struct CoefficientRange: Sendable {
    /// Whether one was beyond, and is now at the bound.
    private(set) var isExceeded = false

    private static let dc: ClosedRange<Int16> = -1024...1023
    private static let ac: ClosedRange<Int16> = -1023...1023

    static let error = ImageError.corruptJPEG(
        .jpegCodedDataInvalid, 0, "coefficients that samples of eight bits do not have")

    /// Whether every coefficient of some blocks is in the smaller range.
    static func contains(_ coefficients: Span<Int16>) -> Bool {
        var (least, most) = (Int16(0), Int16(0))
        for index in coefficients.indices {
            least = min(least, coefficients[index])
            most = max(most, coefficients[index])
        }
        return least >= ac.lowerBound && most <= ac.upperBound
    }

    /// Brings the coefficients of whole blocks to the bounds.
    mutating func clamp(_ coefficients: inout MutableSpan<Int16>, in blocks: Range<Int>) {
        for index in blocks {
            let range = (index - blocks.lowerBound) % 64 == 0 ? Self.dc : Self.ac
            let value = min(max(coefficients[index], range.lowerBound), range.upperBound)
            guard value != coefficients[index] else { continue }
            isExceeded = true
            coefficients[index] = value
        }
    }
}

/// Brings blocks into the order of a ``CoefficientPicture``.
enum BlockOrdering {
    /// Does so with the blocks of one component.
    ///
    /// - Parameters:
    ///   - range: records that coefficients are beyond it.
    ///   - isTolerant: whether those are cut to the range; otherwise they are an error.
    static func finish(
        _ store: inout CoefficientStore, component: Int, of geometry: FrameGeometry, _ range: inout CoefficientRange,
        isTolerant: Bool, _ work: inout WorkGuard
    ) throws(ImageError) {
        let plane = store.planes[component]
        var scratch = [Int16](repeating: 0, count: 64)
        for row in 0..<plane.blockRows {
            try work.check()
            let first = row * plane.blocksPerRow
            store.coefficients.withMutableSpan { coefficients in
                let start = plane.start + first * 64
                let blocks = start..<start + plane.blocksPerRow * 64
                if !CoefficientRange.contains(coefficients.span.extracting(blocks)) {
                    range.clamp(&coefficients, in: blocks)
                }
                store.masks.withSpan { masks in
                    // Bit 0 stands for the DC coefficient.
                    for block in 0..<plane.blocksPerRow where masks[plane.firstBlock + first + block] > 1 {
                        reorder(&coefficients, at: start + block * 64, &scratch)
                    }
                }
            }
            guard isTolerant || !range.isExceeded else { throw CoefficientRange.error }
        }
        store.coefficients.withMutableSpan { coefficients in
            DummyBlocks.forEach(of: geometry.components[component]) { source, target in
                let start = plane.start + target * 64
                let dc = coefficients[plane.start + source * 64]
                for index in start..<start + 64 { coefficients[index] = 0 }
                coefficients[start] = dc
            }
        }
    }

    /// - Parameter scratch: 64 numbers, of no meaning before and after.
    @inline(__always)
    private static func reorder(_ blocks: inout MutableSpan<Int16>, at start: Int, _ scratch: inout [Int16]) {
        for index in 0..<64 { scratch[index] = blocks[start + index] }
        for index in 0..<64 { blocks[start + index] = scratch[Int(ZigZagOrder.natural[index])] }
    }
}
