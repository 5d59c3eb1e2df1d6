// From the pixels of a sub-frame to indices: with the table of the file, or one of its own.

import ImageCodecsCore
import ImageEncoding
import ImagePalettes

/// Gives the pixels of sub-frames their indices.
struct FrameIndexer: Sendable {
    /// The color table of the file, its transparent entry 0; `nil` if there is none.
    let globalTable: [UInt32]?
    /// Where each colour is in it.
    private let places: [UInt32: Int]
    /// The most colours of a table.
    private let limit: Int
    private let meter: MemoryMeter?

    /// - Parameters:
    ///   - globalTable: the color table of the file.
    ///   - limit: the most colours of a table, transparency included.
    ///   - meter: counts indices.
    init(globalTable: [UInt32]?, limit: Int, meter: MemoryMeter?) {
        self.globalTable = globalTable
        self.limit = limit
        self.meter = meter
        places = Dictionary(zip(globalTable ?? [], 0...), uniquingKeysWith: { first, _ in first })
    }

    /// Bytes held at most for a frame of this size. Saturates.
    static func byteCount(_ size: PixelSize) -> Int {
        (size.pixelCount ?? .max).addingSaturated(size.width.multipliedSaturated(by: 4))
    }

    /// The image of a frame with a table of its own, in which every pixel has its colour; `nil` if there are too many colours.
    ///
    /// If a frame that leaves out what does not change has one too many for the transparent one, it is drawn as a whole.
    func exactImage(of frame: SubFrame, _ work: inout WorkGuard) throws(ImageError) -> IndexedImage? {
        if let image = try distinctImage(of: frame, &work) { return image }
        guard frame.mayBeTransparent, let image = try distinctImage(of: frame.redrawn, &work),
            image.transparentIndex == nil
        else { return nil }
        return image
    }

    private func distinctImage(of frame: SubFrame, _ work: inout WorkGuard) throws(ImageError) -> IndexedImage? {
        let (width, height) = (frame.rect.width, frame.rect.height)
        var colors = DistinctColors()
        var row = try ScratchBuffer(byteCount: 4 * width, meter: meter)
        var indices = try ScratchBuffer(byteCount: width * height, meter: meter)
        for y in 0..<height {
            try work.spend(width)
            row.withMutableBytes { frame.copyRow(y, into: &$0) }
            let fits = row.withBytes { row in
                indices.withMutableBytes(y * width..<(y + 1) * width) {
                    colors.insert(rgba: row, width: width, indices: &$0)
                }
            }
            guard fits, colors.colors.count <= limit else { return nil }
        }
        let table = colors.colors
        return IndexedImage(
            frame.rect, localTable: table, transparentIndex: table.transparentIndex,
            minimumCodeSize: IndexedImage.minimumCodeSize(indexCount: table.count), indices: indices)
    }

    /// What makes an image's own indices those of the color table of the file.
    struct GlobalPlaces: Sendable {
        /// By an image's own index.
        fileprivate var places: [UInt8] = []
        fileprivate var transparentIndex: UInt8?
        /// 2...8.
        var minimumCodeSize: Int { IndexedImage.minimumCodeSize(indexCount: Int(places.max() ?? 0) + 1) }
    }

    /// Where the colours of an image are in the color table of the file; `nil` if that lacks one of them.
    ///
    /// A transparent pixel may get any index that the image does not need.
    func globalPlaces(of image: IndexedImage) -> GlobalPlaces? {
        guard let globalTable, let table = image.localTable else { return nil }
        var global = GlobalPlaces()
        for color in table where color != 0 {
            guard let place = places[color] else { return nil }
            global.places.append(UInt8(truncatingIfNeeded: place))
        }
        guard let index = image.transparentIndex else { return global }
        let used = Set(global.places)
        let entryCount = 1 << ColorTable.bitCount(entryCount: globalTable.count)
        let free = places[0] ?? (0..<entryCount).first { !used.contains(UInt8(truncatingIfNeeded: $0)) }
        guard let free else { return nil }
        global.transparentIndex = UInt8(truncatingIfNeeded: free)
        global.places.insert(UInt8(truncatingIfNeeded: free), at: Int(index))
        return global
    }

    /// An image with the table of the file in place of its own.
    func image(
        _ image: consuming IndexedImage, at global: GlobalPlaces, _ work: inout WorkGuard
    ) throws(ImageError) -> IndexedImage {
        var image = image
        image.localTable = nil
        image.transparentIndex = global.transparentIndex
        image.minimumCodeSize = global.minimumCodeSize
        try image.indices.makeUnique()
        try Self.map(&image.indices, global.places, &work)
        return image
    }

    private static func map(
        _ indices: inout ScratchBuffer, _ map: [UInt8], _ work: inout WorkGuard
    ) throws(ImageError) {
        let stepCount = 1 << 16
        for start in stride(from: 0, to: indices.byteCount, by: stepCount) {
            let range = start..<min(indices.byteCount, start + stepCount)
            try work.spend(range.count)
            indices.withMutablePixels(range) { indices in
                for place in 0..<indices.count { indices[place] = map[Int(indices[place])] }
            }
        }
    }
}
