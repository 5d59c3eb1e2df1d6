// The samples of the components as they are stored, for who wants them besides the picture.
//
// In: the sample planes of MCU rows. Out: a gray bitmap for each component, neither upsampled nor converted nor turned.

package import ImageCodecsCore

/// Sees the samples of every MCU row between the inverse DCT and upsampling, and keeps them.
package struct ComponentPlanes: Sendable {
    /// One per component, once ``allocate(_:meter:work:)`` was called.
    package private(set) var bitmaps: [Bitmap] = []

    package init() {}

    /// Bytes that the planes take. Saturates.
    package static func byteCount(_ geometry: FrameGeometry) -> Int {
        sizes(geometry).reduce(0) { $0.addingSaturated(Bitmap.byteCount(size: $1, format: .gray) ?? .max) }
    }

    /// Sizes in samples, at the scale of the inverse DCT.
    private static func sizes(_ geometry: FrameGeometry) -> [PixelSize] {
        geometry.components.map { PixelSize(width: $0.widthInSamples, height: $0.heightInSamples) }
    }

    /// Allocates the planes.
    mutating func allocate(_ geometry: FrameGeometry, meter: MemoryMeter?, work: WorkGuard) throws(ImageError) {
        bitmaps = []
        for size in Self.sizes(geometry) {
            bitmaps.append(try Bitmap(cleared: size, format: .gray, meter: meter, work: work))
        }
    }

    /// Keeps the samples of the emitter's current MCU row.
    mutating func observe(_ emitter: RowEmitter) {
        for component in bitmaps.indices {
            for row in emitter.componentRows(component, finishedBy: emitter.mcuRow) {
                emitter.withComponentRow(component, row) { samples in
                    bitmaps[component].withMutableRowBytes(row) { $0.copy(samples) }
                }
            }
        }
    }

    /// Makes the planes this value's own.
    mutating func makeUnique() throws(ImageError) {
        for index in bitmaps.indices { try bitmaps[index].makeUnique() }
    }
}
