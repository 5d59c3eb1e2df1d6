// Passes over flags that are 0: a frame says of 1056 token probabilities whether it replaces them, and of most it does not.

#if !ReferenceKernels
/// Decodes flags up to the first that is 1.
///
/// - Source: RFC 6386 section 13.4 "Token Probability Updates"
package enum UnsetFlagKernel {
    /// Decodes flags up to the first that is 1, or that may need a byte which is not there.
    ///
    /// - Parameters:
    ///   - state: where decoding stands.
    ///   - probabilities: of each flag to be 0, in 256ths.
    ///   - index: the flag that comes next.
    ///   - input: the partition, in which the state counts.
    /// - Returns: the flag at which decoding stopped, the number of flags if all are 0; and whether it is decoded, and is 1.
    package static func pass(
        _ state: inout BooleanState, _ probabilities: [UInt8], from index: Int, input: RawSpan
    ) -> (index: Int, isSet: Bool) {
        precondition(index >= 0 && state.next >= 0 && state.next <= input.byteCount)
        precondition((0...63).contains(state.count) && (128...255).contains(state.range))
        // How such a partition is read depends on where it ends.
        guard !state.isOverfull else { return (index, false) }
        return unsafe input.withUnsafeBytes { input in
            unsafe probabilities.withUnsafeBufferPointer { probabilities in
                unsafe BooleanRanges.table.withUnsafeBufferPointer { ranges in
                    guard let ranges = ranges.baseAddress else { return (index, false) }
                    // An empty buffer may have no address, and none of its bytes are read.
                    let base = unsafe input.baseAddress ?? UnsafeRawPointer(ranges)
                    var reader = unsafe FastBooleanReader(state, base, limit: input.count, ranges: ranges)
                    let stop = unsafe pass(&reader, probabilities, from: index)
                    state = reader.state
                    return stop
                }
            }
        }
    }

    private static func pass(
        _ reader: inout FastBooleanReader, _ probabilities: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> (index: Int, isSet: Bool) {
        var index = start
        while index < probabilities.count {
            // Each flag takes seven bits at most, and eight have to be there.
            reader.ensure(50)
            guard !reader.mayBeShort else { break }
            let end = min(index &+ 7, probabilities.count)
            while index < end {
                // SAFETY: the index is below the count.
                let probability = unsafe UInt16(probabilities[index]) &<< 8
                if reader.bit(probability) { return (index, true) }
                index &+= 1
            }
        }
        return (index, false)
    }
}
#endif
