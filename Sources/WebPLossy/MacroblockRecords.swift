// Keeps what was parsed of all macroblocks, for those who want to look at them.

import ImageCodecsCore

/// The macroblocks of a frame, as far as they were parsed: ``MacroblockInfo`` of each, row by row.
package struct MacroblockRecords: Sendable {
    /// Rows of macroblocks that are known.
    package private(set) var rowCount = 0
    private let columnCount: Int
    private var infos: ScratchBuffer
    /// By segment, then by whether subblocks have modes of their own.
    private let levels: [Int]
    private let sharpness: Int

    init(_ workspace: MacroblockWorkspace, _ frame: VP8FrameHeader, meter: MemoryMeter?) throws(ImageError) {
        columnCount = workspace.columnCount
        levels = FilterPlan.levels(frame.filter, frame.segments)
        sharpness = frame.filter.sharpness
        infos = try ScratchBuffer(zeroedByteCount: Self.byteCount(workspace), meter: meter)
    }

    /// Bytes of the macroblocks of a picture.
    package static func byteCount(_ workspace: MacroblockWorkspace) -> Int {
        workspace.rowCount * rowByteCount(workspace.columnCount)
    }

    private static func rowByteCount(_ columnCount: Int) -> Int {
        columnCount * MemoryLayout<MacroblockInfo>.stride
    }

    mutating func makeUnique() throws(ImageError) { try infos.makeUnique() }

    /// Keeps a row.
    mutating func add(_ parsed: ParsedRow, row: Int) {
        let byteCount = Self.rowByteCount(columnCount)
        parsed.withInfoBytes { bytes in
            infos.withMutableBytes(row * byteCount..<(row + 1) * byteCount) { $0.copy(bytes) }
        }
        rowCount = row + 1
    }

    /// What the frame says of a macroblock; `nil` if there is none, or it is not known yet.
    package func macroblock(column: Int, row: Int) -> VP8Macroblock? {
        guard (0..<columnCount).contains(column), (0..<rowCount).contains(row) else { return nil }
        let start = (row * columnCount + column) * MemoryLayout<MacroblockInfo>.stride
        let info = infos.withBytes(start..<start + MemoryLayout<MacroblockInfo>.stride) { bytes in
            bytes.withMacroblocks { $0[0] }
        }
        let level = levels[2 * Int(info.segment) + Int(info.hasSubblockModes)]
        return VP8Macroblock(info, level: level, FilterStrength(level: level, sharpness: sharpness))
    }
}
