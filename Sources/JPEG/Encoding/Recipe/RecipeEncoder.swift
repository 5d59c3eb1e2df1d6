// The default effort from rows of pixels to quantised coefficients.
//
// In: rows of pixels, top to bottom. Out: a frame and the coefficients of each of its components.
//
//     row -> luma and chroma at full size            FineColorKernels
//         -> chroma at half the size                 ChromaFit
//         -> chroma blocks, and what a decoder sees  DeadZone, QuantizingKernels
//         -> luma repaired                           LumaRepair
//         -> luma blocks                             Overshoot, DeadZone, QuantizingKernels
//         -> blocks beyond the picture               DummyBlocks

package import ImageCodecsCore
import ImageEncoding
package import JPEGBaselineCodec

/// Turns rows into coefficients with the measured recipe, in strips.
///
/// Rows in, one at a time, with ``write(_:work:)``; then ``finish(work:)``. Memory: 48 rows of each component and some more as `Int16`,
/// and all coefficients; see ``byteCount(_:)``.
package struct RecipeEncoder: Sendable {
    /// What comes out.
    package struct Output: Sendable {
        package let frame: EncoderFrame
        /// One per component of the frame.
        package var coefficients: [QuantizedCoefficients]
    }

    /// Where chroma comes from.
    private enum ChromaSource: Sendable {
        /// There is none.
        case none
        /// From every pixel.
        case full
        /// From each 2x2 pixels, fitted to the decoder's upsampling.
        case fitted
        /// The mean of as many pixels: other subsamplings, which only a caller chooses.
        case averaged(across: Int, down: Int)
    }

    private let frame: EncoderFrame
    private let layout: FineColorLayout
    private let steps: RecipeSteps
    private let source: ChromaSource
    private let plan: RecipeWorkspace
    private var workspace: ScratchBuffer
    private var coefficients: [QuantizedCoefficients]
    private let lumaZone: DeadZone
    private let chromaZone: DeadZone
    /// One per component, if levels are chosen by a trellis.
    private var trellis: [TrellisQuantizer]
    /// Rows of the picture, and copies of its last one, that have been written to the window.
    private var rowCount = 0
    /// Rows of half the size that have been reduced.
    private var reducedRowCount = 0
    /// Rows of blocks of chroma that have been coded.
    private var chromaRowCount = 0
    /// Rows of luma blocks that have been coded.
    private var lumaRowCount = 0

    /// - Parameters:
    ///   - size: Of the picture: sides of 1...65535.
    ///   - layout: Of the rows.
    ///   - scale: Of the quantisation tables; see ``QualityScale``.
    ///   - subsampling: As a caller wants it, or as a ``SubsamplingSurvey`` finds; of no account for gray.
    ///   - steps: All but for measurements.
    /// - Throws: `limitExceeded(.memory)`.
    package init(
        size: PixelSize, layout: FineColorLayout, scale: Double, subsampling: JPEGSubsampling,
        steps: RecipeSteps = .all, meter: MemoryMeter?
    ) throws(ImageError) {
        let isGray = layout == .gray
        source = Self.source(layout, subsampling)
        let tables = FittedTables(
            scale: scale, chroma: isGray ? .none : subsampling == .yCbCr444 ? .full : .subsampled,
            fit: steps.contains(.trellis) ? .trellis : .deadZone)
        guard
            let frame = EncoderFrame(
                size: size, colorModel: isGray ? .grayscale : .yCbCr, subsampling: subsampling,
                quantizationTables: isGray ? [tables.luma] : [tables.luma, tables.chroma])
        else { preconditionFailure("sides outside 1...65535") }
        self.frame = frame
        self.layout = layout
        self.steps = steps
        let hasZone = steps.contains(.deadZone)
        lumaZone = DeadZone(tables.luma, hasZone ? (isGray ? DeadZone.gray : DeadZone.luma) : DeadZone.none)
        chromaZone = DeadZone(tables.chroma, hasZone ? DeadZone.chroma : DeadZone.none)
        trellis = steps.contains(.trellis) ? Self.trellis(frame, scale) : []
        plan = RecipeWorkspace(frame.geometry, isFitted: Self.isFitted(source))
        workspace = try ScratchBuffer(byteCount: plan.byteCount, filledWith: 0, meter: meter)
        coefficients = []
        for component in frame.geometry.components {
            coefficients.append(
                try QuantizedCoefficients(
                    widthInBlocks: component.paddedWidthInBlocks, heightInBlocks: component.paddedHeightInBlocks,
                    meter: meter))
        }
    }

    private static func trellis(_ frame: EncoderFrame, _ scale: Double) -> [TrellisQuantizer] {
        let lambda = 0.065 * ReproduciblePowers.power(scale, 0.445)
        return frame.geometry.components.indices.map { component in
            TrellisQuantizer(
                frame.quantizationTable(component), lambda: Float(component == 0 ? lambda : 0.8 * lambda),
                prior: StandardTables.ac[min(component, 1)])
        }
    }

    private static func source(_ layout: FineColorLayout, _ subsampling: JPEGSubsampling) -> ChromaSource {
        if layout == .gray { return .none }
        switch subsampling {
        case .yCbCr444: return .full
        case .yCbCr420: return .fitted
        case .yCbCr422, .yCbCr440, .yCbCr411:
            return .averaged(across: subsampling.horizontalFactor, down: subsampling.verticalFactor)
        }
    }

    private static func isFitted(_ source: ChromaSource) -> Bool {
        if case .fitted = source { true } else { false }
    }

    private var isFitted: Bool { Self.isFitted(source) }
    private var luma: FrameGeometry.Component { frame.geometry.components[0] }

    /// Bytes that an encoder of a geometry holds, its coefficients included.
    package static func byteCount(_ geometry: FrameGeometry) -> Int {
        let isFitted =
            geometry.components.count == 3 && geometry.components[1].horizontalExpansion == 2
            && geometry.components[1].verticalExpansion == 2
        return geometry.components.reduce(RecipeWorkspace(geometry, isFitted: isFitted).byteCount) {
            $0.addingSaturated(
                QuantizedCoefficients.byteCount(
                    widthInBlocks: $1.paddedWidthInBlocks, heightInBlocks: $1.paddedHeightInBlocks))
        }
    }

    /// Codes as much as a further row allows.
    package mutating func write(_ row: RawSpan, work: WorkGuard) throws(ImageError) {
        precondition(rowCount < frame.geometry.size.height)
        let width = frame.geometry.size.width
        let offsets = plan.source.map { $0.offset(rowCount) }
        let padded = luma.paddedWidthInBlocks * 8 + RowWindow.margin
        let layout = layout
        workspace.withMutableBytes { workspace in
            FineColorKernels.convert(
                row, layout: layout, width: width, luma: offsets[0], cb: offsets.count > 1 ? offsets[1] : offsets[0],
                cr: offsets.count > 1 ? offsets[2] : offsets[0], into: &workspace)
            for offset in offsets { workspace.extendWords(offset, from: width, to: padded) }
        }
        rowCount += 1
        try advance(work)
    }

    /// Codes what is left.
    package mutating func finish(work: WorkGuard) throws(ImageError) -> Output {
        // Copies of the last row, as many as the filters of the last row of blocks look at.
        let end = luma.paddedHeightInBlocks * 8 + (isFitted ? ChromaFit.rowsAhead : 0)
        while rowCount < end {
            for window in plan.source {
                workspace.withMutableBytes { window.repeatRow(rowCount - 1, in: &$0) }
            }
            rowCount += 1
            try advance(work)
        }
        while lumaRowCount < luma.paddedHeightInBlocks { try codeLuma(work) }
        for (component, geometry) in frame.geometry.components.enumerated() {
            DummyBlocks.fill(&coefficients[component], geometry)
        }
        return Output(frame: frame, coefficients: coefficients)
    }

    /// Codes what the rows that are there allow.
    private mutating func advance(_ work: WorkGuard) throws(ImageError) {
        if rowCount % frame.geometry.outputRowsPerMCURow == 0 { try work.check() }
        switch source {
        case .none:
            if rowCount % 8 == 0 { try codeLuma(work) }
        case .full:
            guard rowCount % 8 == 0 else { return }
            try codeChromaRow(plan.source[1], plan.source[2], work)
            try codeLuma(work)
        case .fitted:
            while rowCount > 2 * reducedRowCount + 2 { try reduce(work) }
        case .averaged(let across, let down):
            guard rowCount % (8 * down) == 0 else { return }
            average(across, down)
            try codeChromaRow(plan.fitted[0], plan.fitted[1], work)
            for _ in 0..<down { try codeLuma(work) }
        }
    }

    /// Averages eight rows of chroma.
    private mutating func average(_ across: Int, _ down: Int) {
        let count = frame.geometry.components[1].paddedWidthInBlocks * 8
        for chroma in 0..<2 {
            let (source, target) = (plan.source[1 + chroma], plan.fitted[chroma])
            workspace.withMutableBytes { workspace in
                for row in 0..<8 {
                    let rows = (0..<down).map { source.offset((8 * chromaRowCount + row) * down + $0) }
                    RowMeans.average(rows, across: across, count: count, into: target.offset(row), in: &workspace)
                }
            }
        }
    }

    /// Reduces one more row of chroma, and codes what becomes complete.
    private mutating func reduce(_ work: WorkGuard) throws(ImageError) {
        let row = reducedRowCount
        reducedRowCount += 1
        let count = frame.geometry.components[1].paddedWidthInBlocks * 8
        let (plan, steps) = (plan, steps)
        workspace.withMutableBytes { workspace in
            for (chroma, rows) in plan.reduced.enumerated() {
                let fitted = plan.fitted[chroma]
                rows.reduce(
                    row, of: plan.source[1 + chroma], count: count, room: plan.room.origin, into: fitted, in: &workspace
                )
                if !steps.contains(.chromaFit), row >= 2 {
                    RowMeans.halve(
                        rows.means.offset(row - 2), count: count, into: fitted.offset(row - 2), in: &workspace)
                }
            }
        }
        guard row >= 2, (row - 2) % 8 == 7 else { return }
        try codeChromaRow(plan.fitted[0], plan.fitted[1], work)
        // Upsampling looks at the next row of blocks.
        if chromaRowCount > 1 {
            try codeLuma(work)
            try codeLuma(work)
        }
    }

    /// Codes the next row of blocks of both chroma components from eight rows of their windows.
    private mutating func codeChromaRow(
        _ cb: RowWindow, _ cr: RowWindow, _ work: WorkGuard
    ) throws(ImageError) {
        for (chroma, window) in [cb, cr].enumerated() {
            try codeChroma(
                1 + chroma, samples: window.offset(8 * chromaRowCount), stride: window.stride,
                decoded: plan.decoded[chroma].offset(8 * chromaRowCount), work)
        }
        chromaRowCount += 1
    }

    private mutating func codeChroma(
        _ component: Int, samples: Int, stride: Int, decoded: Int, _ work: WorkGuard
    ) throws(ImageError) {
        try code(
            component, chromaZone, .chroma(decoded: decoded), row: chromaRowCount, samples: samples, stride: stride,
            work)
    }

    /// Codes one row of blocks.
    private mutating func code(
        _ component: Int, _ zone: DeadZone, _ use: BlockUse, row: Int, samples: Int, stride: Int, _ work: WorkGuard
    ) throws(ImageError) {
        let blockCount = frame.geometry.components[component].paddedWidthInBlocks
        let offset = coefficients[component].byteOffset(column: 0, row: row)
        let slice = zone.numbers[...]
        let numbers = slice.span
        guard steps.contains(.trellis) else {
            workspace.withMutableBytes { workspace in
                coefficients[component].values.withMutableBytes { target in
                    QuantizingKernels.code(
                        samples: samples, stride: stride, blockCount: blockCount, numbers: numbers, use: use,
                        into: &target, at: offset, in: &workspace)
                }
            }
            return
        }
        var work = work
        try workspace.withMutableBytes { (workspace) throws(ImageError) in
            try coefficients[component].values.withMutableBytes { (target) throws(ImageError) in
                QuantizingKernels.transform(
                    samples: samples, stride: stride, blockCount: blockCount, numbers: numbers, use: use, into: &target,
                    at: offset, in: &workspace)
                try trellis[component].quantize(&target, at: offset, count: blockCount, work: &work)
                if let decoded = use.decoded {
                    QuantizingKernels.decode(
                        coefficients: &target, at: offset, blockCount: blockCount, numbers: numbers, samples: decoded,
                        stride: stride, in: &workspace)
                }
            }
        }
    }

    private var isRepaired: Bool {
        switch source {
        case .full, .fitted: steps.contains(.lumaRepair)
        case .none, .averaged: false
        }
    }

    /// Codes one row of luma blocks.
    private mutating func codeLuma(_ work: WorkGuard) throws(ImageError) {
        let row = lumaRowCount
        lumaRowCount += 1
        var samples = plan.source[0].offset(8 * row)
        var stride = plan.source[0].stride
        if isRepaired {
            for y in 8 * row..<8 * row + 8 { repair(y) }
            (samples, stride) = (plan.repaired.origin, plan.repaired.stride)
        }
        try code(
            0, lumaZone, steps.contains(.overshoot) ? .luma : .plain, row: row, samples: samples, stride: stride, work)
    }

    /// Repairs row `y` of luma.
    private mutating func repair(_ y: Int) {
        let count = luma.paddedWidthInBlocks * 8
        let plan = plan
        let isFitted = isFitted
        let strength = steps.contains(.trellis) ? LumaRepair.moderateStrength : LumaRepair.strength
        let last = chromaRowCount * 8 - 1
        workspace.withMutableBytes { workspace in
            var decoded = (plan.decoded[0].offset(y), plan.decoded[1].offset(y))
            if isFitted {
                let near = y / 2
                let far = min(max(y % 2 == 0 ? near - 1 : near + 1, 0), last)
                for chroma in 0..<2 {
                    LumaRepairKernels.upsample(
                        near: plan.decoded[chroma].offset(near), far: plan.decoded[chroma].offset(far),
                        count: count / 2, room: plan.room.origin, into: plan.upsampled[chroma].origin, in: &workspace)
                }
                decoded = (plan.upsampled[0].origin, plan.upsampled[1].origin)
            }
            LumaRepairKernels.repair(
                luma: plan.source[0].offset(y), cb: plan.source[1].offset(y), cr: plan.source[2].offset(y),
                decodedCb: decoded.0, decodedCr: decoded.1, count: count,
                into: plan.repaired.origin + y % 8 * plan.repaired.stride, strength: strength, in: &workspace)
        }
    }
}
