// The samples of a frame of twelve bits, as its coefficients make them.

import ImageCodecsCore

/// Makes the samples of MCU rows, and keeps all of them, from which `SampleRowEmitter` makes the picture.
struct DeepSamples: BlockReceiver, Sendable {
    private(set) var planes: SamplePlanes
    private let components: [FrameGeometry.Component]
    /// The values of a `DequantizationTable` for each component, one after the other.
    private let steps: ContiguousArray<Int16>
    private var mcuRow = 0

    init(_ plan: PicturePlan, steps: ContiguousArray<Int16>, meter: MemoryMeter?) throws(ImageError) {
        planes = try SamplePlanes(plan.geometry, keepsAll: true, meter: meter)
        components = plan.geometry.components
        self.steps = steps
    }

    mutating func reconstruct(
        component: Int, blockRow: Int, coefficients: Span<Int16>, lastIndices: Span<UInt8>
    ) {
        let first = component * DequantizationTable.count
        let allSteps = steps
        let row = (mcuRow * components[component].verticalSampling + blockRow) * 8
        let (start, width) = (planes.start(component, row: row), planes.planes[component].width)
        planes.samples.withMutableBytes { bytes in
            bytes.withNumbers(of: UInt16.self) { samples in
                DeepInverseDCT.reconstruct(
                    coefficients, lastIndices: lastIndices,
                    steps: allSteps.span.extracting(first..<first + DequantizationTable.count), into: &samples,
                    at: start, stride: width)
            }
        }
    }

    mutating func finishMCURow() { mcuRow += 1 }
}
