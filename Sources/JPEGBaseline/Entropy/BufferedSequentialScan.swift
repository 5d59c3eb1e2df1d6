// A scan of a sequential frame that comes in several, each with some of the components.

package import ImageCodecsCore

/// Decodes a sequential scan into a store, through a buffer of one row.
package struct BufferedSequentialScan: StoredScan {
    private var scan: SequentialScan
    /// Made when the first row is decoded.
    private var row: MCURowBuffer?
    private let frame: FrameGeometry
    private let meter: MemoryMeter?

    package init(
        header: ScanHeader, frame: FrameGeometry, tables: DecodingTables, strictness: DecodingOptions.Strictness,
        meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        self.frame = frame
        self.meter = meter
        scan = try SequentialScan(
            header: header, frame: frame, tables: tables, rows: MCURowLayout(frame), strictness: strictness,
            work: &work)
    }

    package static var selectsBand: Bool { false }
    package var control: ScanControl { scan.control }
    package var isFirst: Bool { true }
    package func consumedCount(of input: Span<UInt8>) -> Int { scan.consumedCount(of: input) }
    package mutating func makeUnique() throws(ImageError) { try row?.makeUnique() }
    package mutating func rebase(droppingFirst byteCount: Int) { scan.rebase(droppingFirst: byteCount) }

    package mutating func decodeRow(
        into store: inout CoefficientStore, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let mcuRow = store.row(scan.control.mcuRow, of: scan.control.geometry)
        var row = if let row = self.row.take() { row } else { try MCURowBuffer(frame, meter: meter) }
        defer { self.row = row }
        guard try row.decode(&scan, input: input, offset: offset, isFinal: isFinal, work: &work) else { return false }
        for component in scan.control.geometry.components {
            let rows = scan.control.geometry.isInterleaved ? frame.components[component].verticalSampling : 1
            for blockRow in 0..<rows {
                row.copyBlocks(of: component, blockRow: blockRow, to: &store, row: mcuRow * rows + blockRow)
            }
        }
        return true
    }

    package static func script(componentCount: Int) -> any StoredScanScript {
        Script(isDelivered: Array(repeating: false, count: componentCount))
    }

    /// Each component comes once.
    private struct Script: StoredScanScript {
        var isDelivered: [Bool]

        var isComplete: Bool { isDelivered.allSatisfy { $0 } }

        // A scan delivers whole coefficients.
        var hasEstimates: Bool { false }
        var delivered: [DeliveredBits] { [] }

        /// - Returns: `corrupt` for a component that was there before.
        func irregularity(of scan: ScanHeader) -> ImageError? {
            let isRepeated = scan.components.contains { isDelivered[$0.index] }
            return isRepeated ? .corruptJPEG(.jpegScanOrder, scan.offset, "second scan of a component") : nil
        }

        mutating func record(_ scan: ScanHeader) {
            for component in scan.components { isDelivered[component.index] = true }
        }
    }
}
