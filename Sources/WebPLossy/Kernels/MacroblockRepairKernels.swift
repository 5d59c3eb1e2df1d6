// The steps of the repair of a macroblock's luma that are about VP8 alone: chroma enlarged, luma on the scale of LumaRepair and back.
//
// A grid of chroma is ten rows of sixteen bytes, of which the first ten are samples: the eight of the macroblock and those around it.
// Rows of words are 256 samples with four fractional bits, in the order of subblocks: sixteen of the first, sixteen of the second.

import ImageCodecsCore

/// What grids and words take.
package protocol MacroblockRepairLayout {}

extension MacroblockRepairLayout {
    /// Bytes of a grid, and what vectors read beyond it.
    package static var gridByteCount: Int { 160 }
    package static var gridMargin: Int { 16 }
    package static var gridStride: Int { 16 }
    /// Bytes of the words of a macroblock.
    package static var wordByteCount: Int { 512 }
}

#if !ReferenceKernels
/// Steps of the repair of a macroblock.
package enum MacroblockRepairKernels: MacroblockRepairLayout {
    /// Chroma as a decoder enlarges it: 9/16 of the nearest sample, 3/16 of two others, 1/16 of the fourth.
    ///
    /// - Parameters:
    ///   - grid: byte offset of a grid.
    ///   - result: byte offset of words: 0 is gray, 2048 the most of full range.
    package static func enlarge(_ grid: Int, into result: Int, in workspace: inout MutableRawSpan) {
        precondition(grid >= 0 && grid + gridByteCount + gridMargin <= workspace.byteCount)
        precondition(result >= 0 && result + wordByteCount <= workspace.byteCount)
        unsafe workspace.withUnsafeMutableBytes { workspace in
            guard let base = workspace.baseAddress else { return }
            for y in 0..<16 {
                let near = grid &+ (y / 2 &+ 1) &* gridStride
                let far = y % 2 == 0 ? near &- gridStride : near &+ gridStride
                // SAFETY: rows 0 ... 9 of the grid from a place of 0 ... 2 on, and sixteen words of 256 (checked above).
                let (left, here, right) = unsafe (
                    mixed(base, near, far), mixed(base, near &+ 1, far &+ 1), mixed(base, near &+ 2, far &+ 2)
                )
                let three = here &+ here &+ here
                let (even, odd) = (onFullRange(three &+ left), onFullRange(three &+ right))
                let (low, high) = (asQuads(interleaveLow(even, odd)), asQuads(interleaveHigh(even, odd)))
                let place = result &+ y / 4 &* 128 &+ y % 4 &* 8
                unsafe base.storeBytes(of: low[0], toByteOffset: place, as: UInt64.self)
                unsafe base.storeBytes(of: low[1], toByteOffset: place &+ 32, as: UInt64.self)
                unsafe base.storeBytes(of: high[0], toByteOffset: place &+ 64, as: UInt64.self)
                unsafe base.storeBytes(of: high[1], toByteOffset: place &+ 96, as: UInt64.self)
            }
        }
    }

    /// Eight samples of a row three times, and of another one once.
    @unsafe @inline(__always)
    private static func mixed(_ base: UnsafeMutableRawPointer, _ near: Int, _ far: Int) -> Words {
        // SAFETY: the caller promises sixteen bytes at both places.
        let (a, b) = unsafe (
            widenLow(base.loadUnaligned(fromByteOffset: near, as: Bytes16.self)),
            widenLow(base.loadUnaligned(fromByteOffset: far, as: Bytes16.self))
        )
        return a &+ a &+ a &+ b
    }

    /// Sixteen times samples around 128, of which 225 are 256 of full range, around 0.
    @inline(__always)
    private static func onFullRange(_ a: Words) -> Words {
        let word = a &- Words(repeating: 2048)
        return word &+ multiplyHigh(word, Words(repeating: 9031))
    }

    /// The words of a subblock of luma: -2048 is black, 2032 white.
    package static func store(_ block: BlockSamples, at offset: Int, in workspace: inout MutableRawSpan) {
        precondition(offset >= 0 && offset + 32 <= workspace.byteCount)
        let (low, high) = (word(widenLow(block)), word(widenHigh(block)))
        unsafe workspace.withUnsafeMutableBytes { workspace in
            // SAFETY: 32 bytes (checked above).
            unsafe workspace.storeBytes(of: low, toByteOffset: offset, as: Words.self)
            unsafe workspace.storeBytes(of: high, toByteOffset: offset &+ 16, as: Words.self)
        }
    }

    @inline(__always)
    private static func word(_ samples: Words) -> Words {
        multiplyHigh(samples &<< Words(repeating: 6), Words(repeating: 19066)) &- Words(repeating: 2346)
    }

    /// A subblock of luma, changed by the difference of two rows of words.
    package static func changed(
        _ block: BlockSamples, from before: Int, to after: Int, in workspace: RawSpan
    ) -> BlockSamples {
        precondition(min(before, after) >= 0 && max(before, after) + 32 <= workspace.byteCount)
        return unsafe workspace.withUnsafeBytes { workspace in
            @inline(__always) func change(_ offset: Int) -> Words {
                // SAFETY: sixteen bytes of 32 (checked above).
                let (from, to) = unsafe (
                    workspace.loadUnaligned(fromByteOffset: before &+ offset, as: Words.self),
                    workspace.loadUnaligned(fromByteOffset: after &+ offset, as: Words.self)
                )
                let difference = to &- from
                return multiplyHigh((difference &<< Words(repeating: 2)) &+ Words(repeating: 37), Words(repeating: 880))
            }
            return packUnsigned(widenLow(block) &+ change(0), widenHigh(block) &+ change(16))
        }
    }
}
#endif
