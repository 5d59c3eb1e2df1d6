// SOS: which components a scan carries, with which tables, and which part of their coefficients.

package import ImageCodecsCore

/// A scan header.
///
/// - Source: ITU-T T.81 (1992) §B.2.3 "Scan header syntax".
package struct ScanHeader: Hashable, Sendable {
    /// A component of the scan and the tables of its symbols.
    package struct Component: Hashable, Sendable {
        /// Index into the frame's components.
        package let index: Int
        /// `Tdj` and `Taj`, 0...3.
        package let dcTable: Int
        package let acTable: Int

        /// Whether both name the same tables.
        package func hasTables(of other: Component) -> Bool { dcTable == other.dcTable && acTable == other.acTable }
    }

    /// One to four, all different.
    package let components: PerComponent<Component>
    /// `Ss` and `Se`: first and last coefficient of the band, in zig-zag order.
    package let spectralStart: Int
    package let spectralEnd: Int
    /// `Ah` and `Al`: bits that earlier scans left out, and that this scan still leaves out.
    package let approximationHigh: Int
    package let approximationLow: Int
    /// Where the marker was found, for errors.
    package let offset: Int
    /// Whether a DNL segment may end the scan before all MCUs came: the picture has fewer lines then than its frame header says.
    package var mayEndWithLines = false

    /// - Parameters:
    ///   - body: The segment after its length.
    ///   - frame: The frame the scan belongs to.
    ///   - offset: Where the marker was found, for errors.
    package init(body: Span<UInt8>, frame: JPEGFrameHeader, offset: Int) throws(ImageError) {
        guard let count = body.count > 0 ? Int(body[0]) : nil, (1...4).contains(count), body.count == 4 + 2 * count
        else { throw .corruptJPEG(.jpegScanHeader, offset, "scan header has a wrong length") }
        var used: UInt8 = 0
        components = try PerComponent(count: count) { position throws(ImageError) in
            let identifier = body[1 + 2 * position]
            // Several components may bear one name (some writers leave all at 0): take them in turn.
            let index = frame.components.indices.first { index in
                frame.components[index].identifier == identifier && used & 1 << UInt8(index) == 0
            }
            guard let index else {
                throw .corruptJPEG(.jpegScanHeader, offset, "scan of a component that the frame has not")
            }
            let tables = body[2 + 2 * position]
            used |= 1 << UInt8(index)
            return Component(index: index, dcTable: Int(tables >> 4), acTable: Int(tables & 15))
        }
        let tail = 1 + 2 * count
        spectralStart = Int(body[tail])
        spectralEnd = Int(body[tail + 1])
        approximationHigh = Int(body[tail + 2] >> 4)
        approximationLow = Int(body[tail + 2] & 15)
        self.offset = offset
    }
}
