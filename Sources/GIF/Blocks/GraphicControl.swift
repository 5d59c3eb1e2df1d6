// What is to be done with the frame that follows: delay, disposal, transparency.

package import ImageCodecsCore

/// A graphic control extension; it counts for the next frame alone.
///
/// Source: GIF89a section 23 "Graphic Control Extension".
package struct GraphicControl: Hashable, Sendable {
    /// How long the frame is shown, in hundredths of a second.
    package var delay: UInt16 = 0
    /// The disposal method as stored, 0...7.
    package var disposalMethod: UInt8 = 0
    /// The index that leaves the canvas as it is, if there is one.
    package var transparentIndex: UInt8?

    /// What counts if no extension comes before a frame.
    package init() {}

    /// Reads the data of the extension's sub-block; `nil` if there are fewer than four bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        disposalMethod = bytes[0] >> 2 & 7
        delay = bytes.littleEndianUInt16(at: 1)
        if bytes[0] & 1 != 0 { transparentIndex = bytes[3] }
    }

    /// How long the frame is shown.
    package var duration: Duration { .milliseconds(10 * Int(delay)) }

    /// What becomes of the frame's rectangle.
    ///
    /// Methods 4 to 7 are to be defined. Deviation: 4 is taken for 3, as browsers do, for there are files whose encoders
    /// counted bits; the others keep.
    package var disposal: FrameInfo.Disposal {
        switch disposalMethod {
        case 2: .clear
        case 3, 4: .restore
        default: .keep
        }
    }
}
