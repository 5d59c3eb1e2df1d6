// Luma of a macroblock, repaired for what its chroma lost when it was coded.
//
//   chroma wanted, decoded ──▶ both enlarged as by a decoder ──▶ LumaRepair ──▶ luma to code
//
// VP8 predicts chroma from chroma alone, so a macroblock's chroma is coded before its luma. Enlarging looks at chroma around it, too:
//
//           -1   0 ...  7   8
//        ┌────┬───────────┬────┐
//     -1 │  decoded        │    │
//        ├────┼───────────┼────┤   what is not decoded yet, to the right and below, is assumed to lose nothing: it
//      0 │    │ this      │ as │   counts a quarter, in the last row and column alone
//    ... │    │macroblock │want│
//      7 │    │           │-ed │
//        ├────┴───────────┴────┤
//      8 │  as wanted          │
//        └─────────────────────┘

import ImageCodecsCore
import ImageEncoding

/// The room in which luma is repaired.
struct MacroblockRepair: Sendable {
    private typealias Kernels = MacroblockRepairKernels

    /// Grids of U and V as wanted and as decoded; then words of luma, of the four grids, and of repaired luma.
    private var workspace = [UInt8](repeating: 0, count: repaired + Kernels.wordByteCount)

    private static let luma = 4 * Kernels.gridByteCount + Kernels.gridMargin
    private static let enlarged = luma + Kernels.wordByteCount
    private static let repaired = enlarged + 4 * Kernels.wordByteCount

    /// Where a sample of a grid lies: 0 is U as wanted, 1 is V, 2 and 3 are as decoded.
    private static func place(_ grid: Int, _ x: Int, _ y: Int) -> Int {
        grid * Kernels.gridByteCount + (y + 1) * Kernels.gridStride + x + 1
    }

    /// Gathers the chroma that is wanted in and around a macroblock, which counts as decoded until ``decode`` says more.
    mutating func gather(_ geometry: PlaneGeometry, _ bytes: RawSpan, column: Int, row: Int) {
        let (width, height) = (geometry.chromaStride, 8 * geometry.rowCount)
        workspace.withMutableBytes { workspace in
            for (plane, first) in [geometry.u, geometry.v].enumerated() {
                for y in -1...8 {
                    let line = first + min(max(8 * row + y, 0), height - 1) * width
                    for x in -1...8 {
                        let sample = bytes.byte(at: line + min(max(8 * column + x, 0), width - 1))
                        workspace.setByte(sample, at: Self.place(plane, x, y))
                        workspace.setByte(sample, at: Self.place(2 + plane, x, y))
                    }
                }
            }
        }
    }

    /// Sets the decoded chroma of the macroblock and above it and to its left.
    ///
    /// - Parameters:
    ///   - samples: eight subblocks, four of U and four of V.
    ///   - above: ten samples, from the one above and to the left on; `nil` if there is none, so that the first row is repeated.
    ///   - left: eight samples; `nil` as well.
    ///   - isLast: whether the last column is repeated.
    mutating func decode(
        _ plane: Int, _ samples: [BlockSamples], above: SIMD16<UInt8>?, left: SIMD8<UInt8>?, isLast: Bool
    ) {
        workspace.withMutableBytes { workspace in
            for block in 0..<4 {
                let rows = SampleGatheringKernels.rows(samples[4 * plane + block])
                for y in 0..<4 {
                    let place = Self.place(2 + plane, block % 2 * 4, block / 2 * 4 + y)
                    workspace.storeBytes(of: rows[y], toByteOffset: place, as: UInt32.self)
                }
            }
            for y in 0..<8 {
                let place = Self.place(2 + plane, 0, y)
                workspace.setByte(left?[y] ?? workspace.byte(at: place), at: place - 1)
                if isLast { workspace.setByte(workspace.byte(at: place + 7), at: place + 8) }
            }
            let place = Self.place(2 + plane, -1, -1)
            for x in 0..<10 {
                workspace.setByte(above?[x] ?? workspace.byte(at: place + Kernels.gridStride + x), at: place + x)
            }
        }
    }

    /// Repairs the sixteen subblocks of luma.
    mutating func repair(_ source: inout [BlockSamples]) {
        workspace.withMutableBytes { workspace in
            for grid in 0..<4 {
                Kernels.enlarge(
                    grid * Kernels.gridByteCount, into: Self.enlarged + grid * Kernels.wordByteCount, in: &workspace)
            }
            for block in 0..<16 { Kernels.store(source[block], at: Self.luma + 32 * block, in: &workspace) }
            let chroma = (0..<4).map { Self.enlarged + $0 * Kernels.wordByteCount }
            LumaRepairKernels.repair(
                luma: Self.luma, cb: chroma[0], cr: chroma[1], decodedCb: chroma[2], decodedCr: chroma[3], count: 256,
                into: Self.repaired, in: &workspace)
            for block in 0..<16 {
                source[block] = Kernels.changed(
                    source[block], from: Self.luma + 32 * block, to: Self.repaired + 32 * block, in: workspace.bytes)
            }
        }
    }
}
