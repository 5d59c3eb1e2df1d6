// The colours of a picture that has few, and pixels as numbers of them.
//
//   pixels ──▶ colours, if there are at most 256 ──▶ their order ──▶ an index for each pixel, several to a pixel of the index image

import ImageCodecsCore
import ImagePalettes

/// A palette.
///
/// Source: RFC 9649 section 3.5.4 "Color Indexing Transform".
struct IndexingPalette: Hashable, Sendable {
    /// How colours are ordered.
    enum Order: Hashable, Sendable, CaseIterable {
        /// By their value.
        case value
        /// Each the nearest of those that are left to the one before.
        case neighbours
        /// The most frequent first.
        case frequency
        /// Each near those that it is beside most often: what predictions of indices leave is small then.
        case adjacency
    }

    /// The colours.
    let colors: [UInt32]

    /// Pixels that share a pixel of the index image, as a power of two.
    var bundleBits: Int {
        switch colors.count {
        case ...2: 3
        case ...4: 2
        case ...16: 1
        default: 0
        }
    }

    /// The size of the index image.
    func indexSize(_ size: PixelSize) -> PixelSize {
        PixelSize(width: (size.width + (1 << bundleBits) - 1) >> bundleBits, height: size.height)
    }

    /// Colours less the ones before them, as they are written.
    var differences: [UInt32] {
        colors.indices.map { $0 == 0 ? colors[0] : TransformReference.difference(colors[$0], colors[$0 - 1]) }
    }

    /// Makes the index image in the place of a picture: green has the indices.
    func index(_ picture: inout PixelPlane, meter: MemoryMeter?, _ work: inout WorkGuard) throws(ImageError) {
        let indexSize = indexSize(picture.size)
        let lookup = DistinctColors(colors)
        let (bits, width, indexWidth) = (bundleBits, picture.width, indexSize.width)
        var indices = try ScratchBuffer(byteCount: width, meter: meter)
        for y in 0..<picture.height {
            try work.spend(2 * width)
            picture.withRowBytes(y) { row in
                indices.withMutableBytes { lookup.look(up: row, width: width, into: &$0) }
            }
            // Rows of the index image are no longer: those that are written over have been looked up.
            picture.pixels.withMutableSpan { result in
                indices.withBytes { indices in
                    let target = PixelPlane.margin + y * indexWidth
                    guard bits > 0 else {
                        for x in 0..<width { result[target + x] = 0xFF00_0000 | UInt32(indices.byte(at: x)) << 8 }
                        return
                    }
                    var bundle: UInt32 = 0
                    for x in 0..<width {
                        let place = x & (1 << bits - 1)
                        // Four, two or one bits an index.
                        bundle |= UInt32(indices.byte(at: x)) << UInt32(8 >> bits * place)
                        if place == 1 << bits - 1 || x == width - 1 {
                            result[target + x >> bits] = 0xFF00_0000 | bundle << 8
                            bundle = 0
                        }
                    }
                }
            }
        }
        picture = picture.handedOver(as: indexSize)
    }
}

/// The colours of a picture and how often they occur.
struct PictureColors: Sendable {
    private var counted: CountedColors

    /// The colours, in the order in which they come up.
    var colors: [UInt32] { counted.distinct.colors }

    /// - Returns: `nil` if there are more than 256 colours.
    init?(_ picture: PixelPlane, meter: MemoryMeter?, _ work: inout WorkGuard) throws(ImageError) {
        let width = picture.width
        counted = try CountedColors(width: width, meter: meter)
        for y in 0..<picture.height {
            try work.spend(width)
            guard picture.withRowBytes(y, { counted.add($0, width: width) }) else { return nil }
        }
    }

    /// A palette of the colours.
    ///
    /// - Parameter picture: the one that they are of.
    func table(
        _ order: IndexingPalette.Order, of picture: PixelPlane, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> IndexingPalette {
        let colors = colors
        switch order {
        case .adjacency:
            let adjacency = try ColorAdjacency(picture, counted.distinct, meter: meter, &work)
            return IndexingPalette(colors: adjacency.order().map { colors[$0] })
        case .value: return IndexingPalette(colors: colors.sorted())
        case .frequency:
            let counts = counted.counts
            let places = colors.indices.sorted {
                counts[$0] == counts[$1] ? colors[$0] < colors[$1] : counts[$0] > counts[$1]
            }
            return IndexingPalette(colors: places.map { colors[$0] })
        case .neighbours: return IndexingPalette(colors: chained())
        }
    }

    /// Each the nearest to the one before of those that are left.
    private func chained() -> [UInt32] {
        var left = colors.sorted()
        var points = left.map { color in
            let bytes = SIMD4(truncatingIfNeeded: SIMD4(repeating: color) &>> SIMD4(0, 8, 16, 24)) as SIMD4<UInt8>
            return SIMD4<Int16>(truncatingIfNeeded: bytes)
        }
        var result: [UInt32] = []
        var last = SIMD4<Int16>.zero
        while !left.isEmpty {
            var best = (place: 0, distance: Int16.max)
            for place in points.indices {
                let difference = points[place] &- last
                let distance = pointwiseMax(difference, SIMD4.zero &- difference).wrappedSum()
                if distance < best.distance { best = (place, distance) }
            }
            last = points.remove(at: best.place)
            result.append(left.remove(at: best.place))
        }
        return result
    }
}
