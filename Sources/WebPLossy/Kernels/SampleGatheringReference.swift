// Plain twin of SampleGatheringKernels: one sample at a time.

import ImageCodecsCore

/// See the functions of the same names in ``SampleGatheringKernels``.
package enum SampleGatheringReference {
    package static func luma(_ pixels: RawSpan, count: Int, into plane: inout MutableRawSpan, at offset: Int) {
        for x in 0..<count {
            let (r, g, b) = color(pixels, x)
            plane.setByte(UInt8(truncatingIfNeeded: PlaneColors.luma(r, g, b)), at: offset + x)
        }
    }

    private static func color(_ pixels: RawSpan, _ x: Int) -> (Int32, Int32, Int32) {
        (Int32(pixels.byte(at: 4 * x)), Int32(pixels.byte(at: 4 * x + 1)), Int32(pixels.byte(at: 4 * x + 2)))
    }

    package static func chroma(
        _ upper: RawSpan, _ lower: RawSpan, count: Int, into plane: inout MutableRawSpan, u: Int, v: Int
    ) {
        for x in 0..<(count + 1) / 2 {
            var sum = SIMD3<Int32>()
            for place in [2 * x, min(2 * x + 1, count - 1)] {
                let (a, b) = (color(upper, place), color(lower, place))
                sum &+= SIMD3(a.0 + b.0, a.1 + b.1, a.2 + b.2)
            }
            plane.setByte(UInt8(truncatingIfNeeded: PlaneColors.u(sum[0], sum[1], sum[2])), at: u + x)
            plane.setByte(UInt8(truncatingIfNeeded: PlaneColors.v(sum[0], sum[1], sum[2])), at: v + x)
        }
    }

    package static func fourBlocks(
        _ plane: RawSpan, at offset: Int, stride: Int
    ) -> (BlockSamples, BlockSamples, BlockSamples, BlockSamples) {
        (
            block(plane, offset, stride), block(plane, offset + 4, stride), block(plane, offset + 8, stride),
            block(plane, offset + 12, stride)
        )
    }

    package static func twoBlocks(_ plane: RawSpan, at offset: Int, stride: Int) -> (BlockSamples, BlockSamples) {
        (block(plane, offset, stride), block(plane, offset + 4, stride))
    }

    private static func block(_ plane: RawSpan, _ offset: Int, _ stride: Int) -> BlockSamples {
        var result = BlockSamples()
        for index in 0..<16 { result[index] = plane.byte(at: offset + index / 4 * stride + index % 4) }
        return result
    }

    package static func store(_ levels: BlockValues, at index: Int, in memory: inout MutableRawSpan) {
        for place in 0..<16 {
            let bits = UInt16(bitPattern: levels[place])
            memory.setByte(UInt8(bits & 255), at: 32 * index + 2 * place)
            memory.setByte(UInt8(bits >> 8), at: 32 * index + 2 * place + 1)
        }
    }

    package static func load(at index: Int, from memory: RawSpan) -> BlockValues {
        var result = BlockValues()
        for place in 0..<16 {
            let (low, high) = (memory.byte(at: 32 * index + 2 * place), memory.byte(at: 32 * index + 2 * place + 1))
            result[place] = Int16(bitPattern: UInt16(low) | UInt16(high) << 8)
        }
        return result
    }

    package static func rows(_ block: BlockSamples) -> SIMD4<UInt32> {
        var result = SIMD4<UInt32>()
        for index in 0..<16 { result[index / 4] |= UInt32(block[index]) << UInt32(8 * (index % 4)) }
        return result
    }

    package static func block(_ rows: SIMD4<UInt32>) -> BlockSamples {
        var result = BlockSamples()
        for index in 0..<16 { result[index] = UInt8(truncatingIfNeeded: rows[index / 4] >> UInt32(8 * (index % 4))) }
        return result
    }
}

#if ReferenceKernels
package typealias SampleGatheringKernels = SampleGatheringReference
#endif
