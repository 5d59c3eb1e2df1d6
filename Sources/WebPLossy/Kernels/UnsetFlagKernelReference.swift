// Plain twin of UnsetFlagKernel: one bool at a time, every access checked.

package enum UnsetFlagKernelReference {
    /// See ``UnsetFlagKernel/pass(_:_:from:input:)``.
    package static func pass(
        _ state: inout BooleanState, _ probabilities: [UInt8], from index: Int, input: RawSpan
    ) -> (index: Int, isSet: Bool) {
        guard !state.isOverfull else { return (index, false) }
        var (reader, index) = (PlainBooleanReader(state), index)
        while index < probabilities.count {
            var next = reader
            let isSet = next.bit(probabilities[index], input)
            if next.isDry { break }
            reader = next
            if isSet {
                state = reader.state
                return (index, true)
            }
            index += 1
        }
        state = reader.state
        return (index, false)
    }
}

#if ReferenceKernels
package typealias UnsetFlagKernel = UnsetFlagKernelReference
#endif
