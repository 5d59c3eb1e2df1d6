// The row scaler's stages and the transposes (ImageCore); figures count source pixels.

import ImageCodecsCore

func scalingKernels() -> [Kernel] {
    [
        scaling("thumbnail-10", 4000, 60, to: 400, 6),
        scaling("thumbnail-40", 4000, 80, to: 100, 2),
        scaling("third", 3000, 60, to: 1000, 20),
        scaling("half", 2000, 60, to: 1000, 30),
        scaling("slightly-smaller", 1000, 60, to: 999, 59),
        scaling("double", 500, 60, to: 1000, 120),
        columnSums(),
    ] + Orientation.allCases.map { turning($0, bytesPerPixel: 4) }
        + [1, 2, 3, 8].map { turning(.right, bytesPerPixel: $0) }
}

private func randomBytes(_ count: Int) -> [UInt8] {
    var state: UInt32 = 7
    return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}

/// A whole picture, the same row again and again.
private func scaling(_ name: String, _ width: Int, _ height: Int, to newWidth: Int, _ newHeight: Int) -> Kernel {
    let source = PixelSize(width: width, height: height)
    let target = PixelSize(width: newWidth, height: newHeight)
    guard let scaler = try? RowScaler(source: source, target: target, alpha: .premultiplied) else {
        fatalError("no memory for \(name)")
    }
    let row = randomBytes(width * 4)
    return Kernel(name: "scaling/\(name)", pixelCount: width * height) {
        var scaler = scaler
        row.withRawSpan(first: row.count) { row in
            for _ in 0..<height { scaler.push(row) { _, _ in } }
        }
    }
}

private final class Sums {
    var sums: NumberBuffer<UInt16>

    init?(count: Int) {
        guard let sums = try? NumberBuffer<UInt16>(count: count, meter: nil) else { return nil }
        self.sums = sums
    }
}

private func columnSums() -> Kernel {
    let row = randomBytes(4000 * 4)
    guard let target = Sums(count: 4000 * 4) else { fatalError("no memory for column sums") }
    return Kernel(name: "scaling/column-sums", pixelCount: 4000) {
        row.withRawSpan(first: row.count) { row in
            target.sums.withMutableSpan { BoxKernels.addToColumnSums(row, sums: &$0) }
        }
    }
}

private final class Picture {
    var bytes: [UInt8]
    init(byteCount: Int) { bytes = [UInt8](repeating: 0, count: byteCount) }
}

/// A megapixel, so that columns are far apart.
private func turning(_ orientation: Orientation, bytesPerPixel: Int) -> Kernel {
    let size = PixelSize(width: 1024, height: 1000)
    let source = randomBytes(size.width * size.height * bytesPerPixel)
    let target = Picture(byteCount: source.count)
    let seen = orientation.size(ofStored: size)
    return Kernel(name: "orientation/\(orientation)-\(bytesPerPixel)", pixelCount: size.width * size.height) {
        source.withRawSpan(first: source.count) { source in
            // Moved to a variable and back, since a class's array cannot lend a span.
            var pixels = target.bytes
            target.bytes = []
            defer { target.bytes = pixels }
            var span = pixels.mutableSpan
            // SAFETY: every bit pattern is a byte.
            var bytes = unsafe span.mutableBytes
            OrientationKernels.orient(
                source, bytesPerRow: size.width * bytesPerPixel, size: size, bytesPerPixel: bytesPerPixel,
                orientation: orientation, into: &bytes, targetBytesPerRow: seen.width * bytesPerPixel)
        }
    }
}
