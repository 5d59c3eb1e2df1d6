// How a prefix code group lies in memory for the loop that decodes pixels: sixteen numbers, a cache line.

/// Places of the numbers of a group, and what they mean.
package enum PrefixGroupRecord {
    /// Numbers from one group to the next.
    package static let stride = 16
    /// Five numbers: where the tables of green, red, blue, alpha and distance begin, in entries of the arena.
    package static let tableStart = 0
    /// Five numbers: masks of the bits that the roots are looked up with.
    package static let maskStart = 5
    /// One of the kinds below.
    package static let kind = 10
    /// Alpha, red and blue if they take no bits; green too if it takes none.
    package static let literal = 11
    /// Where the table of whole pixels begins, in units of eight bytes.
    package static let packedStart = 12
    /// Mask of the bits that it is looked up with; 0 if there is none.
    package static let packedMask = 13

    /// Each channel takes bits, or at least alpha does.
    package static let kindFull: UInt32 = 0
    /// Alpha takes no bits.
    package static let kindOpaque: UInt32 = 1
    /// Only green takes bits.
    package static let kindGreen: UInt32 = 2
    /// Nothing takes bits: each pixel is the literal.
    package static let kindConstant: UInt32 = 3
}
