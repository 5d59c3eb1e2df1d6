// Plain twins of PixelKernel and IndexKernel: one unit at a time from the tables, every access checked.

import ImageCodecsCore

extension PixelKernelReference: PixelBuffers {
    /// See ``PixelKernel/decode(_:_:pixels:workspace:records:arena:blocks:input:bitPosition:stop:)``.
    package static func decode(
        _ state: inout PixelState, _ shape: PixelShape, pixels: inout MutableRawSpan,
        workspace: inout MutableSpan<UInt32>, records: Span<UInt32>, arena: RawSpan, blocks: Span<UInt16>,
        input: RawSpan, bitPosition: inout Int, stop: Int
    ) -> PixelPause {
        while state.position < stop {
            let codes = PlainCodes(shape, blocks, at: state.position)
            let literal = records[codes.record + PrefixGroupRecord.literal]
            let kind = records[codes.record + PrefixGroupRecord.kind]
            if kind == PrefixGroupRecord.kindConstant {
                append(literal, &state, shape, &pixels, &workspace)
                continue
            }
            var bits = PlainBits(position: bitPosition)
            let symbol = bits.symbol(codes, 0, records, arena, input)
            if symbol < PrefixAlphabet.literalCount {
                var pixel = literal | UInt32(symbol) << 8
                if kind != PrefixGroupRecord.kindGreen {
                    pixel |= UInt32(bits.symbol(codes, 1, records, arena, input)) << 16
                    pixel |= UInt32(bits.symbol(codes, 2, records, arena, input))
                }
                if kind == PrefixGroupRecord.kindFull {
                    pixel |= UInt32(bits.symbol(codes, 3, records, arena, input)) << 24
                }
                guard bits.position <= input.byteCount * 8 else { return .inputUsed }
                append(pixel, &state, shape, &pixels, &workspace)
            } else if symbol < PrefixAlphabet.literalCount + PrefixAlphabet.lengthCount {
                let (length, distanceCode) = bits.copy(symbol, codes, records, arena, input)
                guard bits.position <= input.byteCount * 8 else { return .inputUsed }
                let isNear = distanceCode <= BackwardReferences.nearCount
                let distance =
                    isNear ? Int(workspace[distanceCode - 1]) : distanceCode - BackwardReferences.nearCount
                guard distance <= state.position, length <= shape.pixelCount - state.position else { return .outside }
                for _ in 0..<length {
                    let pixel = pixels.bytes.nativeUInt32(at: 4 * (state.position - distance))
                    append(pixel, &state, shape, &pixels, &workspace)
                }
            } else {
                guard bits.position <= input.byteCount * 8 else { return .inputUsed }
                // Without a cache there are no such symbols.
                guard shape.cacheBits > 0 else { return .outside }
                let place = symbol - PrefixAlphabet.literalCount - PrefixAlphabet.lengthCount
                let pixel = workspace[cacheStart + place & (1 << shape.cacheBits - 1)]
                append(pixel, &state, shape, &pixels, &workspace)
            }
            bitPosition = bits.position
        }
        return .reachedStop
    }

    private static func append(
        _ pixel: UInt32, _ state: inout PixelState, _ shape: PixelShape, _ pixels: inout MutableRawSpan,
        _ workspace: inout MutableSpan<UInt32>
    ) {
        pixels.storeBytes(of: pixel, toByteOffset: 4 * state.position, as: UInt32.self)
        state.position += 1
        guard shape.cacheBits > 0 else { return }
        workspace[cacheStart + ColorCache.place(of: pixel, bitCount: shape.cacheBits)] = pixel
    }
}

package enum IndexKernelReference: IndexBuffer {
    /// See ``IndexKernel/decode(_:_:indices:distances:records:arena:blocks:input:bitPosition:stop:)``.
    package static func decode(
        _ state: inout PixelState, _ shape: PixelShape, literal: UInt32, indices: inout MutableRawSpan,
        workspace: inout MutableSpan<UInt32>, records: Span<UInt32>, arena: RawSpan, blocks: Span<UInt16>,
        input: RawSpan, bitPosition: inout Int, stop: Int
    ) -> PixelPause {
        while state.position < stop {
            let codes = PlainCodes(shape, blocks, at: state.position)
            if records[codes.record + PrefixGroupRecord.kind] == PrefixGroupRecord.kindConstant {
                let value = UInt8(truncatingIfNeeded: records[codes.record + PrefixGroupRecord.literal] >> 8)
                append(value, literal, &state, shape, &indices, &workspace)
                continue
            }
            var bits = PlainBits(position: bitPosition)
            let symbol = bits.symbol(codes, 0, records, arena, input)
            if symbol < PrefixAlphabet.literalCount {
                guard bits.position <= input.byteCount * 8 else { return .inputUsed }
                append(UInt8(symbol), literal, &state, shape, &indices, &workspace)
            } else if symbol < PrefixAlphabet.literalCount + PrefixAlphabet.lengthCount {
                let (length, distanceCode) = bits.copy(symbol, codes, records, arena, input)
                guard bits.position <= input.byteCount * 8 else { return .inputUsed }
                let isNear = distanceCode <= BackwardReferences.nearCount
                let distance =
                    isNear ? Int(workspace[distanceCode - 1]) : distanceCode - BackwardReferences.nearCount
                guard distance <= state.position, length <= shape.pixelCount - state.position else { return .outside }
                for _ in 0..<length {
                    let value = indices.byte(at: state.position - distance)
                    append(value, literal, &state, shape, &indices, &workspace)
                }
            } else {
                guard bits.position <= input.byteCount * 8 else { return .inputUsed }
                let place = symbol - PrefixAlphabet.literalCount - PrefixAlphabet.lengthCount
                let color = workspace[PixelKernelReference.cacheStart + place & (1 << shape.cacheBits - 1)]
                guard color != 0 || literal == 0 else { return .unsetColor }
                append(UInt8(truncatingIfNeeded: color >> 8), literal, &state, shape, &indices, &workspace)
            }
            bitPosition = bits.position
        }
        return .reachedStop
    }

    private static func append(
        _ value: UInt8, _ literal: UInt32, _ state: inout PixelState, _ shape: PixelShape,
        _ indices: inout MutableRawSpan, _ workspace: inout MutableSpan<UInt32>
    ) {
        indices.setByte(value, at: state.position)
        state.position += 1
        guard shape.cacheBits > 0 else { return }
        let color = literal | UInt32(value) << 8
        workspace[PixelKernelReference.cacheStart + ColorCache.place(of: color, bitCount: shape.cacheBits)] = color
    }
}

/// The codes of a pixel's group.
private struct PlainCodes {
    /// Where the group's record begins.
    let record: Int

    init(_ shape: PixelShape, _ blocks: Span<UInt16>, at position: Int) {
        guard shape.sizeBits > 0 else {
            record = 0
            return
        }
        let (y, x) = position.quotientAndRemainder(dividingBy: shape.width)
        let block = ((shape.firstRow + y) >> shape.sizeBits) * shape.blocksPerRow + x >> shape.sizeBits
        record = Int(blocks[block]) * PrefixGroupRecord.stride
    }
}

/// A place in the input. After its end there are zeros; whether some were taken shows in the place.
private struct PlainBits {
    var position: Int

    /// The next bits, 57 or more.
    private func next(_ input: RawSpan) -> UInt64 {
        input.littleEndianWord(at: min(position >> 3, input.byteCount)) >> UInt64(position & 7)
    }

    /// The next symbol of code 0...4.
    mutating func symbol(
        _ codes: PlainCodes, _ code: Int, _ records: Span<UInt32>, _ arena: RawSpan, _ input: RawSpan
    ) -> Int {
        let table = Int(records[codes.record + PrefixGroupRecord.tableStart + code])
        let mask = UInt64(records[codes.record + PrefixGroupRecord.maskStart + code])
        var bits = next(input)
        var entry = Int(arena.nativeUInt16(at: 2 * (table + Int(bits & mask))))
        let limit = PrefixTableKernelReference.rootBitLimit
        if entry & 15 > limit {
            let rootBits = mask.nonzeroBitCount
            bits >>= UInt64(rootBits)
            position += rootBits
            let place = Int(bits & (1 << UInt64(entry & 15 - limit) - 1))
            entry = Int(arena.nativeUInt16(at: 2 * (table + entry >> 4 + place)))
        }
        position += entry & 15
        return entry >> 4
    }

    /// Length and distance of a copy whose length symbol was read.
    mutating func copy(
        _ symbol: Int, _ codes: PlainCodes, _ records: Span<UInt32>, _ arena: RawSpan, _ input: RawSpan
    ) -> (length: Int, distanceCode: Int) {
        let length = prefixedValue(symbol - PrefixAlphabet.literalCount, input)
        let distance = self.symbol(codes, 4, records, arena, input)
        return (length, prefixedValue(distance, input))
    }

    /// A length or a distance: a small number itself, or its highest bits and more after them.
    private mutating func prefixedValue(_ symbol: Int, _ input: RawSpan) -> Int {
        if symbol < 4 { return symbol + 1 }
        let extra = (symbol - 2) / 2
        let rest = Int(next(input) & (1 << UInt64(extra) - 1))
        position += extra
        return (2 + symbol & 1) << extra + rest + 1
    }
}

#if ReferenceKernels
package typealias PixelKernel = PixelKernelReference
package typealias IndexKernel = IndexKernelReference
#endif
