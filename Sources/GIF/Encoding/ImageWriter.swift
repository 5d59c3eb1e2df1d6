// From indices to the blocks of one image: where to clear the table, codes, sub-blocks.

import ImageCodecsCore
import ImageEncoding

/// Writes images, one after another in the same memory.
struct ImageWriter: Sendable {
    private let effort: EncodingOptions.Effort
    private let meter: MemoryMeter?
    private var search: ClearSearch?
    private var encoder: LZWEncoder?

    /// - Parameters:
    ///   - effort: how much is tried to find the places where the table is cleared.
    ///   - meter: counts the tables, which are made for the first image.
    init(effort: EncodingOptions.Effort, meter: MemoryMeter?) {
        self.effort = effort
        self.meter = meter
    }

    /// Bytes held at most for images of this size. Saturates.
    static func byteCount(_ size: PixelSize, effort: EncodingOptions.Effort) -> Int {
        ClearSearch.byteCount(size, thoroughness(effort)).addingSaturated(LZWEncoder.byteCount)
            .addingSaturated(2 * PendingBytes.pieceByteCount)
    }

    private static func thoroughness(_ effort: EncodingOptions.Effort) -> ClearSearch.Thoroughness {
        switch effort {
        case .fast: .coarse
        case .default: .planned
        case .best: .exhaustive
        }
    }

    /// About how many bytes an image will take, without what stands before it.
    mutating func cost(of image: IndexedImage, _ work: inout WorkGuard) throws(ImageError) -> Int {
        try clears(of: image, .coarse, &work).byteCount + image.overheadByteCount
    }

    /// The image that takes the fewest bytes as it is written; of equals the first.
    mutating func shortest(
        _ images: [IndexedImage], _ work: inout WorkGuard
    ) throws(ImageError) -> IndexedImage? {
        guard images.count > 1 else { return images.first }
        var best: (image: IndexedImage, byteCount: Int)?
        for image in images {
            var image = image
            let clears = try clears(of: image, Self.thoroughness(effort), &work)
            image.clears = clears
            let byteCount = clears.byteCount + image.overheadByteCount
            if byteCount < best?.byteCount ?? .max { best = (image, byteCount) }
        }
        return best?.image
    }

    /// Writes an image, its descriptor and table first.
    mutating func write(
        _ image: IndexedImage, to file: inout GIFBlockWriter, _ sink: EncodedBytesSink, _ work: inout WorkGuard
    ) throws(ImageError) {
        let clears = try clears(of: image, Self.thoroughness(effort), &work)
        file.appendImage(
            image.rect, image.localTable, isInterlaced: image.isInterlaced, minimumCodeSize: image.minimumCodeSize)
        if encoder == nil { encoder = try LZWEncoder(meter: meter) }
        // Taken out for the call, so that nothing is copied.
        guard var encoder = encoder.take() else { return }
        try image.indices.withBytes { (indices) throws(ImageError) in
            try encoder.encode(
                indices, minimumCodeSize: image.minimumCodeSize, clears: clears.places, work: &work
            ) {
                (data) throws(ImageError) in
                file.appendData(data)
                try file.pending.sendIfFull(to: sink)
            }
        }
        self.encoder = encoder
        file.endData()
    }

    /// Where the table is cleared: in the places that the image was made for, if it was made for some.
    private mutating func clears(
        of image: IndexedImage, _ thoroughness: ClearSearch.Thoroughness, _ work: inout WorkGuard
    ) throws(ImageError) -> LZWClears {
        if let clears = image.clears { return clears }
        var search: ClearSearch
        if let made = self.search.take() { search = made } else { search = try ClearSearch(meter: meter) }
        let clears = try image.indices.withBytes { (indices) throws(ImageError) in
            try search.clears(indices, minimumCodeSize: image.minimumCodeSize, thoroughness, work: &work)
        }
        self.search = search
        return clears
    }
}
