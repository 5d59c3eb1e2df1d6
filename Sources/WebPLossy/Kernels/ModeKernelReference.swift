// Plain twin of ModeKernel: one bool at a time, every access checked.

import ImageCodecsCore

package enum ModeKernelReference {
    /// See ``ModeKernel/decodeRow(_:parameters:input:probabilities:top:infos:)``.
    package static func decodeRow(
        _ state: inout ModeState, parameters: ModeParameters, input: RawSpan, probabilities: [UInt16],
        top: inout MutableRawSpan, infos: inout MutableSpan<MacroblockInfo>
    ) {
        var reader = PlainBooleanReader(state.reader)
        // Outside of the picture modes are B_DC_PRED, which is 0.
        var left = SIMD4<UInt8>()
        for column in 0..<infos.count {
            var above = SIMD4<UInt8>()
            for x in 0..<4 { above[x] = top.byte(at: 4 * column + x) }
            // Bytes that no mode was written to yet are not read.
            var info = MacroblockInfo()
            (info.lumaCodes, info.chromaCodes) = (infos[column].lumaCodes, infos[column].chromaCodes)
            decode(&info, parameters, &above, &left, &reader, input, probabilities)
            infos[column] = info
            for x in 0..<4 { top.setByte(above[x], at: 4 * column + x) }
        }
        state.reader = reader.state
        if reader.isDry { state.isDry = true }
    }

    private static func decode(
        _ info: inout MacroblockInfo, _ parameters: ModeParameters, _ above: inout SIMD4<UInt8>,
        _ left: inout SIMD4<UInt8>, _ reader: inout PlainBooleanReader, _ input: RawSpan, _ probabilities: [UInt16]
    ) {
        if parameters.hasSegmentMap {
            let p = parameters.segmentProbabilities
            let isUpper = reader.bit(p[0], input)
            info.segment = (isUpper ? 2 : 0) + (reader.bit(p[isUpper ? 2 : 1], input) ? 1 : 0)
        }
        if let probability = parameters.skipProbability { info.isSkipped = reader.bit(probability, input) ? 1 : 0 }
        if reader.bit(145, input) {
            info.modes[0] = lumaMode(&reader, input)
            above = SIMD4(repeating: subblockMode(of: info.modes[0]))
            left = above
        } else {
            info.hasSubblockModes = 1
            for index in 0..<16 {
                let context = Int(above[index % 4]) * SubblockModeProbabilities.modeCount + Int(left[index / 4])
                let mode = subblockMode(&reader, input, probabilities, context * SubblockModeProbabilities.nodeCount)
                info.modes[index] = mode
                (above[index % 4], left[index / 4]) = (mode, mode)
            }
        }
        info.chromaMode = chromaMode(&reader, input)
    }

    /// - Source: RFC 6386 section 11.2 "Luma Modes"
    private static func lumaMode(_ reader: inout PlainBooleanReader, _ input: RawSpan) -> UInt8 {
        if reader.bit(156, input) {
            return reader.bit(128, input) ? MacroblockMode.trueMotion : MacroblockMode.horizontal
        }
        return reader.bit(163, input) ? MacroblockMode.vertical : MacroblockMode.dc
    }

    /// - Source: RFC 6386 section 11.4 "Chroma Modes"
    private static func chromaMode(_ reader: inout PlainBooleanReader, _ input: RawSpan) -> UInt8 {
        guard reader.bit(142, input) else { return MacroblockMode.dc }
        guard reader.bit(114, input) else { return MacroblockMode.vertical }
        return reader.bit(183, input) ? MacroblockMode.trueMotion : MacroblockMode.horizontal
    }

    /// What a macroblock's mode counts as in the contexts of its neighbours' subblocks.
    ///
    /// - Source: RFC 6386 section 11.3 "Subblock Mode Contexts"
    private static func subblockMode(of mode: UInt8) -> UInt8 {
        switch mode {
        case MacroblockMode.vertical: SubblockMode.vertical
        case MacroblockMode.horizontal: SubblockMode.horizontal
        case MacroblockMode.trueMotion: SubblockMode.trueMotion
        default: SubblockMode.dc
        }
    }

    /// - Source: RFC 6386 section 11.2 "Luma Modes", bmode_tree
    private static func subblockMode(
        _ reader: inout PlainBooleanReader, _ input: RawSpan, _ probabilities: [UInt16], _ start: Int
    ) -> UInt8 {
        func bit(_ node: Int) -> Bool { reader.bit(UInt8(probabilities[start + node] >> 8), input) }
        if !bit(0) { return SubblockMode.dc }
        if !bit(1) { return SubblockMode.trueMotion }
        if !bit(2) { return SubblockMode.vertical }
        if !bit(3) {
            if !bit(4) { return SubblockMode.horizontal }
            return bit(5) ? SubblockMode.verticalRight : SubblockMode.rightDown
        }
        if !bit(6) { return SubblockMode.leftDown }
        if !bit(7) { return SubblockMode.verticalLeft }
        return bit(8) ? SubblockMode.horizontalUp : SubblockMode.horizontalDown
    }
}

#if ReferenceKernels
package typealias ModeKernel = ModeKernelReference
#endif
