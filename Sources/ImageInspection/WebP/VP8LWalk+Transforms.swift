// Transforms of a VP8L picture undone one by one, for the pictures in between.

import ImageCodecsCore
import WebPLosslessCodec

extension VP8LWalk.Transform.Kind {
    /// In words.
    var name: String {
        switch self {
        case .predictor: "predictor"
        case .color: "color"
        case .subtractGreen: "subtract green"
        case .colorIndexing: "color indexing"
        }
    }

    /// For keys of layers.
    var key: String { name.replacing(" ", with: "-") }
}

extension VP8LWalk.Transform {
    /// The image that comes out when the transform is undone; of color indexing, whose image has another size, the one that goes in.
    ///
    /// Source: RFC 9649 section 4 "Transforms".
    func undone(_ image: VP8LWalk.Image, _ work: inout WorkGuard) throws(ImageError) -> VP8LWalk.Image {
        guard kind != .colorIndexing else { return image }
        let (width, height) = (image.size.width, image.size.height)
        let sizeBits = blockSize.trailingZeroBitCount
        let blocks = data?.pixels ?? []
        let modes = kind == .predictor ? blocks.map { UInt8(truncatingIfNeeded: $0 >> 8 & 15) } : []
        // The row above, and one that is worked on.
        var rows = try NumberBuffer<UInt32>(count: 2 * width, meter: nil)
        var pixels: [UInt32] = []
        pixels.reserveCapacity(image.pixels.count)
        for y in 0..<height {
            try work.spend(width)
            image.pixels.withSpan { source in
                blocks.withSpan { factors in
                    modes.withSpan { modes in
                        rows.withMutableSpan { target in
                            switch kind {
                            case .predictor:
                                PredictorKernelReference.undo(
                                    source, from: y * width, &target, width: width, firstRow: y, rowCount: 1,
                                    modes: modes,
                                    sizeBits: sizeBits)
                            case .color:
                                ColorKernelReference.undo(
                                    source, from: y * width, &target, at: width, width: width, firstRow: y, rowCount: 1,
                                    factors: factors, sizeBits: sizeBits)
                            case .subtractGreen:
                                ColorKernelReference.addGreen(source, from: y * width, &target, at: width, count: width)
                            case .colorIndexing: break
                            }
                        }
                    }
                }
            }
            rows.withMutableSpan { rows in
                for x in 0..<width {
                    rows[x] = rows[width + x]
                    pixels.append(rows[x])
                }
            }
        }
        return VP8LWalk.Image(size: image.size, pixels: pixels)
    }
}
