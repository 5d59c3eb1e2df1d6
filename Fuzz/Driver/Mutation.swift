// How libFuzzer changes inputs: files unit by unit, all else byte by byte.

import CFuzzer
import CodecTestSupport
import FuzzComponents
import HostileFiles

/// libFuzzer's own change to bytes.
private func mutate(_ bytes: [UInt8], largest: Int) -> [UInt8] {
    let room = max(largest, 1)
    // SAFETY: there is room for as many bytes as libFuzzer is told; it returns how many it left there.
    return unsafe [UInt8](unsafeUninitializedCapacity: max(room, bytes.count)) { target, count in
        for (place, byte) in bytes.enumerated() { unsafe target[place] = byte }
        count = unsafe LLVMFuzzerMutate(target.baseAddress, min(bytes.count, room), room)
    }
}

/// Files are changed unit by unit half of the times, all else byte by byte.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(_ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ largestSize: Int, _ seed: UInt32) -> Int
{
    // SAFETY: libFuzzer passes `size` bytes with room for `largestSize`.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: data, count: size))
    var source = DecisionSource(seed: UInt64(seed))
    guard component.takesFiles, source.oneIn(2),
        let changed = UnitMutator.mutated(bytes, largest: largestSize, &source, mutateBody: mutate)
    else { return unsafe LLVMFuzzerMutate(data, size, largestSize) }
    return unsafe put(changed, data, largestSize)
}

/// Units of one file in another, or the beginning of one input and the end of the other.
@_cdecl("LLVMFuzzerCustomCrossOver")
public func customCrossOver(
    _ data: UnsafePointer<UInt8>?, _ size: Int, _ other: UnsafePointer<UInt8>?, _ otherSize: Int,
    _ output: UnsafeMutablePointer<UInt8>?, _ largestSize: Int, _ seed: UInt32
) -> Int {
    // SAFETY: libFuzzer passes so many readable bytes, and room for `largestSize`.
    let (one, two) = unsafe (
        [UInt8](UnsafeBufferPointer(start: data, count: size)),
        [UInt8](UnsafeBufferPointer(start: other, count: otherSize))
    )
    var source = DecisionSource(seed: UInt64(seed))
    if component.takesFiles,
        let changed = UnitMutator.mutated(
            one, other: two, largest: largestSize, &source, mutateBody: { body, _ in body })
    {
        return unsafe put(changed, output, largestSize)
    }
    return unsafe put(
        Array(one.prefix(source.below(size + 1)) + two.dropFirst(source.below(otherSize + 1))), output, largestSize)
}

/// Writes what there is room for.
@unsafe
private func put(_ bytes: [UInt8], _ target: UnsafeMutablePointer<UInt8>?, _ largestSize: Int) -> Int {
    let kept = bytes.prefix(largestSize)
    guard let target = unsafe target else { return 0 }
    // SAFETY: no more bytes than the caller has room for.
    for (place, byte) in kept.enumerated() { unsafe target[place] = byte }
    return kept.count
}
