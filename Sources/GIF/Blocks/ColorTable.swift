// Color tables, global and local.

package import ImageCodecsCore

/// A color table as the file has it: 2 to 256 colours of three bytes.
///
/// Source: GIF89a sections 19 "Global Color Table" and 21 "Local Color Table".
package struct ColorTable: Hashable, Sendable {
    /// Opaque pixels, red in the lowest byte.
    package let rgba: [UInt32]

    /// What counts for an image without any table: black and white. As after the end of every table, other indices are black.
    ///
    /// A decoder may take a table of its own then, which should begin with these two.
    ///
    /// - Source: GIF89a section 11 "About Color Tables", which recommends it.
    package static let withoutTable = ColorTable(rgba: [0xFF00_0000, 0xFFFF_FFFF])

    private init(rgba: [UInt32]) { self.rgba = rgba }

    /// Bits of an index into the table.
    package var bitDepth: Int { (rgba.count - 1).bitWidth - (rgba.count - 1).leadingZeroBitCount }

    /// Entries that the packed fields of a descriptor announce; 0 if the table flag is not set.
    package static func count(packedFields: UInt8) -> Int {
        packedFields & 0x80 == 0 ? 0 : 2 << Int(packedFields & 7)
    }

    /// Bytes of a table of `count` entries in the file.
    package static func byteCount(_ count: Int) -> Int { 3 * count }

    /// Reads a table.
    ///
    /// - Parameter bytes: three for each colour.
    package init(_ bytes: Span<UInt8>) {
        var rgba = [UInt32](repeating: 0xFF00_0000, count: bytes.count / 3)
        for entry in rgba.indices {
            rgba[entry] |=
                UInt32(bytes[3 * entry]) | UInt32(bytes[3 * entry + 1]) << 8 | UInt32(bytes[3 * entry + 2]) << 16
        }
        self.rgba = rgba
    }

    /// The palette of a frame: one index may be transparent, those after the table are black.
    package func palette(transparentIndex: UInt8?) -> Palette {
        guard let index = transparentIndex.map(Int.init) else { return Palette(rgba) }
        var entries = rgba
        while entries.count <= index { entries.append(0xFF00_0000) }
        entries[index] = 0
        return Palette(entries)
    }
}
